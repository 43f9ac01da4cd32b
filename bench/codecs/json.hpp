#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// JSON by the fastest packaged libraries: written by RapidJSON's writer, read by simdjson On-Demand. Temperature: hot.
//
// simdjson reads up to 64 bytes past the end, so the input is copied to where that is allowed; the copy is timed.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <rapidjson/writer.h>
#include <simdjson.h>

#include <weir/codec/buffer.hpp>
#include <weir/codec/fault.hpp>
#include <weir/codec/framing.hpp>
#include <weir/codec/record.hpp>
#include <weir/codec/utf8.hpp>

namespace reference {

/// A buffer as RapidJSON's output: it asks for room before a value, then puts characters without asking.
class json_output {
 public:
  using Ch = char;

  void open(weir::codec::buffer& to) {
    to_ = &to;
    at_ = end_ = to.grow(0);
  }
  void close() { to_->end_at(at_); }

  void reserve(std::size_t n) {
    if (static_cast<std::size_t>(end_ - at_) >= n) return;
    to_->end_at(at_);
    n = std::max<std::size_t>(n, 256);  // fewer small steps
    at_ = to_->grow(n);
    end_ = at_ + n;
  }
  void put(char c) { *at_++ = c; }

  // What RapidJSON calls.
  void Put(char c) {
    reserve(1);
    put(c);
  }
  void Flush() {}
  friend void PutReserve(json_output& to, std::size_t n) { to.reserve(n); }
  friend void PutUnsafe(json_output& to, char c) { to.put(c); }

 private:
  weir::codec::buffer* to_ = nullptr;
  char* at_ = nullptr;
  char* end_ = nullptr;
};

/// Requires: records of at most 64 fields, names of at most 63 characters.
class json {
 public:
  explicit json(weir::codec::framing frame) : frame_(frame) {}

  [[nodiscard]] std::string_view name() const noexcept { return frame_.size() == 0 ? "JSON" : "JSON_SR"; }
  [[nodiscard]] weir::codec::framing frame() const noexcept { return frame_; }

  template <weir::codec::record R>
  void serialize(const R& in, weir::codec::buffer& out) {
    json_output to;
    to.open(out);
    to.reserve(frame_.size());
    for (const char c : prefix()) to.put(c);
    writer_.Reset(to);
    if (is_unwrapped(in))
      for_each_field(in, [&](std::string_view, const auto& value) { return write(value); });
    else
      write(in);
    to.close();
  }

  template <weir::codec::record R>
  weir::codec::fault deserialize(std::string_view bytes, R& out) {
    if (const fault f = frame_.check(bytes)) return f;
    bytes.remove_prefix(frame_.size());
    if (padded_.size() < bytes.size() + simdjson::SIMDJSON_PADDING)
      padded_.resize(2 * bytes.size() + simdjson::SIMDJSON_PADDING);
    if (!bytes.empty()) std::memcpy(padded_.data(), bytes.data(), bytes.size());

    simdjson::ondemand::document document;
    simdjson::error_code error = parser_.iterate(padded_.data(), bytes.size(), padded_.size()).get(document);
    if (error) return located({kind_of(error), error == simdjson::UTF8_ERROR ? 0 : bytes.size()}, bytes);
    found_ = {};
    if (is_unwrapped(out)) {
      for_each_field(out, [&](std::string_view, auto& value) { return read(document, value, document); });
    } else {
      simdjson::ondemand::object object;
      if ((error = document.get_object().get(object)))
        fail(kind_of(error), document);
      else
        take(object, out, document);
    }
    if (!found_ && !document.is_alive()) fail(fault_kind::bad_syntax, document);
    if (!found_ && document.current_location().error() != simdjson::OUT_OF_BOUNDS)
      fail(fault_kind::trailing_bytes, document);
    return found_ ? located(found_, bytes) : fault{};
  }

 private:
  using fault = weir::codec::fault;
  using fault_kind = weir::codec::fault_kind;

  [[nodiscard]] std::string prefix() const {
    std::string bytes(frame_.size(), '\0');
    frame_.write(bytes.data());
    return bytes;
  }

  bool write(const std::string& text) {
    return writer_.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
  }
  bool write(std::int64_t number) { return writer_.Int64(number); }
  bool write(std::int32_t number) { return writer_.Int(number); }
  template <weir::codec::record R>
  bool write(const R& in) {
    writer_.StartObject();
    for_each_field(in, [&](std::string_view name, const auto& value) {
      writer_.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
      return write(value);
    });
    return writer_.EndObject();
  }

  /// Fields in the schema's order, as they nearly always come; else once more in whatever order they have.
  template <weir::codec::record R>
  bool take(simdjson::ondemand::object& object, R& out, simdjson::ondemand::document& all) {
    auto at = object.begin();
    const auto end = object.end();
    bool in_order = true;
    const bool good = for_each_field(out, [&](std::string_view name, auto& value) {
      if (at == end) return fail(fault_kind::missing_field, all);
      simdjson::ondemand::field field;
      if (const auto error = (*at).get(field)) return fail(kind_of(error), all);
      // A name has no escapes, and its quote cannot be beyond the padding.
      const char* const key = field.key().raw();
      in_order = std::memcmp(key, name.data(), name.size()) == 0 && key[name.size()] == '"';
      if (!in_order || !read(field.value(), value, all)) return false;
      ++at;
      return true;
    });
    if (!good) return !in_order && take_any_order(object, out, all);
    if (at == end) return true;
    const auto error = (*at).error();
    return fail(error ? kind_of(error) : fault_kind::unknown_field, all);
  }

  template <weir::codec::record R>
  bool take_any_order(simdjson::ondemand::object& object, R& out, simdjson::ondemand::document& all) {
    if (const auto error = object.reset().error()) return fail(kind_of(error), all);
    std::size_t expected = 0;
    std::uint64_t seen = 0;
    for (auto each : object) {
      simdjson::ondemand::field field;
      if (const auto error = std::move(each).get(field)) return fail(kind_of(error), all);
      std::string_view key;
      if (const auto error = field.unescaped_key().get(key)) return fail(kind_of(error), all);
      bool matched = false;
      bool good = false;
      const auto offer = [&](std::size_t from, std::size_t to) {
        std::size_t i = 0;
        for_each_field(out, [&](std::string_view name, auto& value) {
          const std::size_t here = i++;
          if (here < from) return true;
          if (here >= to) return false;
          if (name != key) return true;
          matched = true;
          good = (seen >> here & 1) == 0 ? read(field.value(), value, all) : fail(fault_kind::repeated_field, all);
          seen |= std::uint64_t{1} << here;
          expected = here + 1;
          return false;
        });
      };
      offer(expected, 64);
      if (!matched) offer(0, expected);
      if (!matched) return fail(fault_kind::unknown_field, all);
      if (!good) return false;
    }
    std::size_t i = 0;
    const bool whole = for_each_field(out, [&](std::string_view, auto&) { return (seen >> i++ & 1) != 0; });
    return whole || fail(fault_kind::missing_field, all);
  }

  /// False when there is no backslash. Looks at up to seven bytes behind the text, which are there: more JSON or
  /// padding.
  [[nodiscard]] static bool has_escape(std::string_view text) noexcept {
    std::uint64_t found = 0;
    for (std::size_t i = 0; i < text.size(); i += 8) {
      std::uint64_t word;
      std::memcpy(&word, text.data() + i, 8);
      word ^= 0x5C5C5C5C5C5C5C5C;
      found |= (word - 0x0101010101010101) & ~word & 0x8080808080808080;
    }
    return found != 0;
  }

  template <class From, class T>
  bool read(From&& from, T& to, simdjson::ondemand::document& all) {
    if constexpr (std::same_as<T, std::string>) {
      // simdjson copies strings byte by byte unless it is compiled for newer processors: the content of one that has no
      // escape is what stands between its quotes.
      if constexpr (!std::same_as<std::remove_cvref_t<From>, simdjson::ondemand::document>) {
        std::string_view token = from.raw_json_token();
        if (token.back() != '"') token = token.substr(0, token.find_last_not_of(" \t\r\n") + 1);
        if (token.size() >= 2 && token.front() == '"' && token.back() == '"' && !has_escape(token)) {
          weir::codec::detail::assign(to, token.substr(1, token.size() - 2));
          return true;
        }
      }
      std::string_view text;
      if (const auto error = from.get_string().get(text)) return fail_value(from, error, all);
      weir::codec::detail::assign(to, text);
      return true;
    } else if constexpr (weir::codec::leaf<T>) {
      std::int64_t wide = 0;
      if (const auto error = from.get_int64().get(wide)) return fail_value(from, error, all);
      if (wide < std::numeric_limits<T>::min() || wide > std::numeric_limits<T>::max())
        return fail(fault_kind::out_of_range, all);
      to = static_cast<T>(wide);
      return true;
    } else {
      simdjson::ondemand::object nested;
      if (const auto error = from.get_object().get(nested)) return fail_value(from, error, all);
      return take(nested, to, all);
    }
  }

  template <class From>
  bool fail_value(From&& from, simdjson::error_code error, simdjson::ondemand::document& all) {
    bool null = false;
    if (error == simdjson::INCORRECT_TYPE && !from.is_null().get(null) && null)
      return fail(fault_kind::null_value, all);
    return fail(kind_of(error), all);
  }

  bool fail(fault_kind kind, simdjson::ondemand::document& all) {
    const char* where = nullptr;
    found_ = {kind,
              all.current_location().get(where) ? ~std::size_t{0} : static_cast<std::size_t>(where - padded_.data())};
    return false;
  }

  /// Within the bytes, framing included; a fault of UTF-8 at its own place, as simdjson does not say where it is.
  [[nodiscard]] fault located(fault f, std::string_view bytes) const {
    const std::size_t good = f.kind == fault_kind::not_utf8 ? weir::codec::utf8_prefix(bytes) : f.at;
    return {f.kind, frame_.size() + std::min(good, bytes.size())};
  }

  [[nodiscard]] static fault_kind kind_of(simdjson::error_code error) noexcept {
    switch (error) {
      case simdjson::EMPTY:
      case simdjson::UNCLOSED_STRING:
      case simdjson::INCOMPLETE_ARRAY_OR_OBJECT:
        return fault_kind::truncated;
      case simdjson::UTF8_ERROR:
        return fault_kind::not_utf8;
      case simdjson::DEPTH_ERROR:
        return fault_kind::too_deep;
      case simdjson::INCORRECT_TYPE:
        return fault_kind::wrong_type;
      case simdjson::NUMBER_OUT_OF_RANGE:
        return fault_kind::out_of_range;
      case simdjson::TRAILING_CONTENT:
        return fault_kind::trailing_bytes;
      default:
        return fault_kind::bad_syntax;
    }
  }

  weir::codec::framing frame_;
  rapidjson::Writer<json_output> writer_;
  simdjson::ondemand::parser parser_;
  std::vector<char> padded_;
  fault found_{};
};

}  // namespace reference
