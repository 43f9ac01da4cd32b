#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// JSON by nlohmann/json, as most people write it: a tree, then its text; the common baseline. Temperature: hot.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <weir/codec/buffer.hpp>
#include <weir/codec/fault.hpp>
#include <weir/codec/framing.hpp>
#include <weir/codec/record.hpp>
#include <weir/codec/utf8.hpp>

namespace reference {

class nlohmann_json {
 public:
  [[nodiscard]] std::string_view name() const noexcept { return "JSON-nlohmann"; }
  [[nodiscard]] weir::codec::framing frame() const noexcept { return weir::codec::framing::none(); }

  template <weir::codec::record R>
  void serialize(const R& in, weir::codec::buffer& out) const {
    const nlohmann::json tree = tree_of(in);
    out.append(is_unwrapped(in) ? tree.begin()->dump() : tree.dump());
  }

  template <weir::codec::record R>
  weir::codec::fault deserialize(std::string_view bytes, R& out) const {
    weir::codec::fault found;
    try {
      const nlohmann::json tree = nlohmann::json::parse(bytes);
      // The library takes a zero for the end.
      if (const std::size_t zero = bytes.find('\0'); zero != std::string_view::npos)
        return {fault_kind::trailing_bytes, zero};
      static_cast<void>(is_unwrapped(out) ? take_value(tree, out, bytes, found) : take(tree, out, bytes, found));
    } catch (const nlohmann::json::parse_error& e) {
      const std::size_t good = weir::codec::utf8_prefix(bytes);
      const std::size_t at = e.byte == 0 ? 0 : e.byte - 1;
      found = good <= at && good < bytes.size() ? fault{fault_kind::not_utf8, good}
              : at >= bytes.size()              ? fault{fault_kind::truncated, bytes.size()}
                                                : fault{fault_kind::bad_syntax, at};
    } catch (const nlohmann::json::out_of_range&) {  // a number beyond double
      found = {fault_kind::out_of_range, 0};
    }
    return found;
  }

 private:
  using fault = weir::codec::fault;
  using fault_kind = weir::codec::fault_kind;

  template <weir::codec::record R>
  static nlohmann::json tree_of(const R& in) {
    nlohmann::json tree;
    for_each_field(in, [&]<class T>(std::string_view name, const T& value) {
      if constexpr (weir::codec::leaf<T>)
        tree[std::string(name)] = value;
      else
        tree[std::string(name)] = tree_of(value);
      return true;
    });
    return tree;
  }

  template <weir::codec::record R>
  static bool take_value(const nlohmann::json& tree, R& out, std::string_view bytes, fault& found) {
    return for_each_field(out, [&](std::string_view, auto& value) { return read(tree, value, bytes, 0, found); });
  }

  template <weir::codec::record R>
  static bool take(const nlohmann::json& tree, R& out, std::string_view bytes, fault& found) {
    if (!tree.is_object()) return fail(found, fault_kind::wrong_type, 0);
    std::size_t fields = 0;
    const bool good = for_each_field(out, [&](std::string_view name, auto& value) {
      ++fields;
      const auto at = tree.find(name);
      if (at == tree.end()) return fail(found, fault_kind::missing_field, bytes.size());
      return read(*at, value, bytes, place_of(name, bytes), found);
    });
    if (!good) return false;
    if (tree.size() == fields) return true;
    for (const auto& [name, value] : tree.items()) {
      const std::string_view called = name;
      if (for_each_field(out, [&](std::string_view known, auto&) { return known != called; }))
        return fail(found, fault_kind::unknown_field, place_of(called, bytes));
    }
    return fail(found, fault_kind::unknown_field, 0);
  }

  template <class T>
  static bool read(const nlohmann::json& from, T& to, std::string_view bytes, std::size_t place, fault& found) {
    if (from.is_null()) return fail(found, fault_kind::null_value, place);
    if constexpr (std::same_as<T, std::string>) {
      if (!from.is_string()) return fail(found, fault_kind::wrong_type, place);
      to = from.get_ref<const std::string&>();
      return true;
    } else if constexpr (weir::codec::leaf<T>) {
      if (!from.is_number_integer()) return fail(found, fault_kind::wrong_type, place);
      const auto wide = from.get<std::int64_t>();
      const bool too_large = from.is_number_unsigned() && wide < 0;
      if (too_large || wide < std::numeric_limits<T>::min() || wide > std::numeric_limits<T>::max())
        return fail(found, fault_kind::out_of_range, place);
      to = static_cast<T>(wide);
      return true;
    } else {
      return take(from, to, bytes, found);
    }
  }

  /// The tree has forgotten where its values stood: the first place of the name.
  static std::size_t place_of(std::string_view name, std::string_view bytes) {
    const std::size_t at = bytes.find(name);
    return at == std::string_view::npos ? 0 : at;
  }

  static bool fail(fault& found, fault_kind kind, std::size_t at) {
    found = {kind, at};
    return false;
  }
};

}  // namespace reference
