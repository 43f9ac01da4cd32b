#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// One line of comma-separated values, without its line end: RFC 4180, quoted where it must be. Temperature: hot.
//
//   codec::delimited d;
//   d.serialize(impression, out);  // 1700000413269,impression_123,user_42,ad_17
//
// A column that is empty and not quoted is null, which is refused, as the records have none; an empty text is "".

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>

#include <weir/base/config.hpp>
#include <weir/codec/buffer.hpp>
#include <weir/codec/fault.hpp>
#include <weir/codec/framing.hpp>
#include <weir/codec/record.hpp>
#include <weir/codec/utf8.hpp>

namespace weir::inline WEIR_ABI::codec {

class delimited {
 public:
  [[nodiscard]] std::string_view name() const noexcept { return "Delimited"; }
  [[nodiscard]] framing frame() const noexcept { return framing::none(); }
  [[nodiscard]] static std::string_view refusal(const shape& s) noexcept {
    return s.is_flat() ? "" : "a line of values has no nested types";
  }

  /// Cost: no allocation once `out` has grown.  Requires: no nested record.
  template <record R>
  void serialize(const R& in, buffer& out) const {
    std::size_t most = 0;
    for_each_leaf(in, [&]<class T>(const T& value) {
      if constexpr (std::same_as<T, std::string>)
        most += 2 * value.size() + 3;
      else
        most += longest_number + 1;
    });
    char* const start = out.grow(most);
    char* to = start;
    for_each_leaf(in, [&]<class T>(const T& value) {
      if (to != start) *to++ = ',';
      if constexpr (std::same_as<T, std::string>)
        to = put(to, value);
      else
        to = std::to_chars(to, to + longest_number, value).ptr;
    });
    out.end_at(to);
  }

  template <record R>
  fault deserialize(std::string_view bytes, R& out) const {
    line from{bytes};
    bool good = true;
    for_each_leaf(out, [&](auto& value) { good = good && from.take(value); });
    if (good && from.at < bytes.size()) from.fail(fault_kind::trailing_bytes, from.at);
    return from.found;
  }

 private:
  static constexpr std::size_t longest_number = 20;

  /// What makes a text need quotes.
  static constexpr std::array<bool, 256> special = [] {
    std::array<bool, 256> table{};
    for (const char c : {',', '"', '\r', '\n'}) table[static_cast<unsigned char>(c)] = true;
    return table;
  }();
  [[nodiscard]] static bool is_special(char c) noexcept { return special[static_cast<unsigned char>(c)]; }

  static char* put(char* to, const std::string& text) noexcept {
    bool quoted = text.empty();
    for (const char c : text) quoted |= is_special(c);
    if (!quoted) {
      std::memcpy(to, text.data(), text.size());
      return to + text.size();
    }
    *to++ = '"';
    for (const char c : text) {
      if (c == '"') *to++ = '"';
      *to++ = c;
    }
    *to++ = '"';
    return to;
  }

  struct line {
    std::string_view bytes;
    std::size_t at = 0;
    bool first = true;
    fault found{};

    bool fail(fault_kind kind, std::size_t where) noexcept {
      found = {kind, where};
      return false;
    }

    /// Past the comma before any column but the first.
    bool next_column() noexcept {
      if (first) {
        first = false;
        return true;
      }
      if (at == bytes.size()) return fail(fault_kind::missing_field, at);
      if (bytes[at] != ',') return fail(fault_kind::bad_syntax, at);
      ++at;
      return true;
    }

    [[nodiscard]] std::string_view bare() noexcept {
      const std::size_t start = at;
      while (at < bytes.size() && !is_special(bytes[at])) ++at;
      return bytes.substr(start, at - start);
    }

    template <class Number>
    bool take(Number& to) noexcept {
      if (!next_column()) return false;
      const bool in_quotes = at < bytes.size() && bytes[at] == '"';
      if (in_quotes) ++at;
      const std::size_t start = at;
      const std::string_view text = bare();
      if (text.empty() && !in_quotes && (at == bytes.size() || bytes[at] == ','))
        return fail(fault_kind::null_value, start);
      const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), to);
      if (failed == std::errc::result_out_of_range) return fail(fault_kind::out_of_range, start);
      if (failed != std::errc{} || end != text.data() + text.size()) return fail(fault_kind::wrong_type, start);
      if (!in_quotes) return true;
      if (at == bytes.size()) return fail(fault_kind::truncated, start);
      return bytes[at++] == '"' || fail(fault_kind::bad_syntax, at - 1);
    }

    bool take(std::string& to) {
      if (!next_column()) return false;
      const std::size_t start = at;
      if (at < bytes.size() && bytes[at] == '"') {
        if (!quoted(to)) return false;
      } else {
        to.assign(bare());
        if (to.empty())
          return fail(at == bytes.size() || bytes[at] == ',' ? fault_kind::null_value : fault_kind::bad_syntax, at);
      }
      const std::string_view content = bytes.substr(start, at - start);
      const std::size_t good = utf8_prefix(content);
      return good == content.size() || fail(fault_kind::not_utf8, start + good);
    }

    bool quoted(std::string& to) {
      const std::size_t start = at++;
      to.clear();
      while (true) {
        const std::size_t quote = bytes.find('"', at);
        if (quote == std::string_view::npos) return fail(fault_kind::truncated, start);
        to.append(bytes.substr(at, quote - at));
        at = quote + 1;
        if (at == bytes.size() || bytes[at] != '"') return true;
        to += '"';
        ++at;
      }
    }
  };
};

}  // namespace weir::inline WEIR_ABI::codec
