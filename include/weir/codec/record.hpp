#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// How a codec sees a record: fields with names, in order, each an int64, an int32, a text or a record of its own.
// A record is a plain struct that lists them, or a dynamic_record, whose fields are known at run time alone; a codec
// written with for_each_field() works on both. Temperature: hot, except shapes.
//
//   struct reading {
//     std::int64_t time;
//     std::string sensor;
//     static constexpr auto fields() {
//       return std::tuple(codec::field("time", &reading::time), codec::field("sensor", &reading::sensor));
//     }
//   };
//   codec::for_each_field(r, [](std::string_view name, auto& value) { ...; return true; });

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <weir/base/config.hpp>

namespace weir::inline WEIR_ABI::codec {

namespace detail {

/// to.assign(text), but for growing at once to the size that it has: in libstdc++ 12 that is 55 of 150 instructions.
inline void assign(std::string& to, std::string_view text) {
  if (text.size() > to.capacity())
    to = std::string(text);
  else
    to.assign(text);
}

}  // namespace detail

/// One field of a struct.
template <class Record, class Member>
struct field {
  constexpr field(std::string_view called, Member Record::* where) noexcept : name(called), at(where) {}
  std::string_view name;
  Member Record::* at;
};

/// A struct that lists its fields. One that has `static constexpr bool unwrapped = true` is a single value: formats
/// that can write it bare do, as keys are written.
template <class R>
concept described = requires { R::fields(); };

template <class T>
concept leaf = std::same_as<T, std::int64_t> || std::same_as<T, std::int32_t> || std::same_as<T, std::string>;

/// What a schema says of a record, at run time.
struct shape {
  enum class kind : std::uint8_t { int64, int32, text, record };
  struct column {
    std::string name;
    kind type = kind::int64;
    std::vector<shape> nested{};  // of a record: one
  };

  std::string name{};
  std::vector<column> columns{};
  bool unwrapped = false;

  [[nodiscard]] bool is_flat() const noexcept {
    return std::none_of(columns.begin(), columns.end(), [](const column& c) { return c.type == kind::record; });
  }
};

struct dynamic_value;

/// A record whose fields are known at run time alone. Made from a shape each value has its type, and zero.
/// Requires: the shape outlives the record.
struct dynamic_record {
  const shape* form = nullptr;
  std::vector<dynamic_value> values;

  dynamic_record() noexcept;
  explicit dynamic_record(const shape& of);
};

struct dynamic_value : std::variant<std::int64_t, std::int32_t, std::string, dynamic_record> {
  using variant::variant;
};

inline dynamic_record::dynamic_record() noexcept = default;

inline dynamic_record::dynamic_record(const shape& of) : form(&of) {
  values.reserve(of.columns.size());
  for (const shape::column& c : of.columns) {
    switch (c.type) {
      case shape::kind::int64:
        values.emplace_back(std::int64_t{});
        break;
      case shape::kind::int32:
        values.emplace_back(std::int32_t{});
        break;
      case shape::kind::text:
        values.emplace_back(std::string());
        break;
      case shape::kind::record:
        values.emplace_back(dynamic_record(c.nested.front()));
    }
  }
}

template <class R>
concept record = described<R> || std::same_as<R, dynamic_record>;

/// Calls visit(name, value) on each field in order, until one returns false.  Returns: whether none did.
template <class R, class Visit>
  requires described<std::remove_const_t<R>>
constexpr bool for_each_field(R& r, Visit&& visit) {
  return std::apply([&](const auto&... f) { return (visit(f.name, r.*f.at) && ...); }, R::fields());
}

template <class R, class Visit>
  requires std::same_as<std::remove_const_t<R>, dynamic_record>
bool for_each_field(R& r, Visit&& visit) {
  for (std::size_t i = 0; i < r.values.size(); ++i) {
    const std::string_view name = r.form->columns[i].name;
    auto& any = r.values[i];
    bool go_on = false;
    if (auto* number = std::get_if<std::int64_t>(&any)) {
      go_on = visit(name, *number);
    } else if (auto* small = std::get_if<std::int32_t>(&any)) {
      go_on = visit(name, *small);
    } else if (auto* text = std::get_if<std::string>(&any)) {
      go_on = visit(name, *text);
    } else {
      go_on = visit(name, *std::get_if<dynamic_record>(&any));
    }
    if (!go_on) return false;
  }
  return true;
}

/// Calls visit(leaf) on each value in order, those of nested records in place.
template <class R, class Visit>
  requires record<std::remove_const_t<R>>
constexpr void for_each_leaf(R& r, Visit&& visit) {
  for_each_field(r, [&](std::string_view, auto& value) {
    if constexpr (leaf<std::remove_cvref_t<decltype(value)>>)
      visit(value);
    else
      for_each_leaf(value, visit);
    return true;
  });
}

template <described R>
[[nodiscard]] constexpr bool is_unwrapped(const R&) noexcept {
  if constexpr (requires { R::unwrapped; })
    return R::unwrapped;
  else
    return false;
}
[[nodiscard]] inline bool is_unwrapped(const dynamic_record& r) noexcept { return r.form->unwrapped; }

/// The shape of a struct, under that name.
template <described R>
[[nodiscard]] shape shape_of(std::string name) {
  shape s{.name = std::move(name), .unwrapped = is_unwrapped(R())};
  const R example{};
  for_each_field(example, [&]<class T>(std::string_view called, const T&) {
    shape::column c{.name = std::string(called)};
    if constexpr (std::same_as<T, std::int64_t>)
      c.type = shape::kind::int64;
    else if constexpr (std::same_as<T, std::int32_t>)
      c.type = shape::kind::int32;
    else if constexpr (std::same_as<T, std::string>)
      c.type = shape::kind::text;
    else {
      c.type = shape::kind::record;
      c.nested.push_back(shape_of<T>(c.name));
    }
    s.columns.push_back(std::move(c));
    return true;
  });
  return s;
}

/// The same content in a record of that shape.  Requires: of is shape_of<R>().
template <described R>
[[nodiscard]] dynamic_record to_dynamic(const R& r, const shape& of) {
  dynamic_record d(of);
  std::size_t i = 0;
  for_each_field(r, [&]<class T>(std::string_view, const T& value) {
    if constexpr (leaf<T>)
      static_cast<dynamic_value::variant&>(d.values[i]) = value;
    else
      static_cast<dynamic_value::variant&>(d.values[i]) = to_dynamic(value, of.columns[i].nested.front());
    ++i;
    return true;
  });
  return d;
}

/// Where two records of one shape differ first, as "metric.topic"; empty when they are equal.
template <record A, record B>
[[nodiscard]] std::string first_difference(const A& a, const B& b) {
  using any_leaf = std::variant<std::int64_t, std::int32_t, std::string>;
  const auto list = [](const auto& r) {
    std::vector<std::pair<std::string, any_leaf>> all;
    const auto add = [&all](const auto& self, const std::string& prefix, const auto& from) -> void {
      for_each_field(from, [&]<class T>(std::string_view name, const T& value) {
        if constexpr (leaf<T>)
          all.emplace_back(prefix + std::string(name), value);
        else
          self(self, prefix + std::string(name) + ".", value);
        return true;
      });
    };
    add(add, "", r);
    return all;
  };
  const auto left = list(a);
  const auto right = list(b);
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i)
    if (left[i] != right[i]) return left[i].first;
  return left.size() == right.size() ? "" : "the number of fields";
}

}  // namespace weir::inline WEIR_ABI::codec
