#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Is this UTF-8, and if not, where does it stop? Temperature: hot.
//
//   static_assert(weir::codec::utf8_prefix("ab\xFF") == 2);

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include <weir/base/config.hpp>

namespace weir::inline WEIR_ABI::codec {

namespace detail {

template <class Word>
[[nodiscard]] inline Word load(const char* from) noexcept {
  Word w;
  std::memcpy(&w, from, sizeof w);
  return w;
}

/// Eight bytes at a time, the last eight overlapping those before.
[[nodiscard]] inline bool is_ascii(std::string_view text) noexcept {
  const char* const p = text.data();
  const std::size_t n = text.size();
  std::uint64_t bits = 0;
  if (n >= 8) {
    for (std::size_t i = 0; i + 8 < n; i += 8) bits |= load<std::uint64_t>(p + i);
    bits |= load<std::uint64_t>(p + n - 8);
  } else if (n >= 4) {
    bits = load<std::uint32_t>(p) | load<std::uint32_t>(p + n - 4);
  } else if (n > 0) {
    bits = static_cast<unsigned char>(p[0] | p[n / 2] | p[n - 1]);
  }
  return (bits & 0x8080808080808080) == 0;
}

/// Length of the well-formed sequence at the start, 0 when there is none.
/// Source: table 3-7 of the Unicode standard: no overlong form, no surrogate, nothing above U+10FFFF.
[[nodiscard]] constexpr std::size_t utf8_sequence(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
  if (length == 0 || text.size() < length) return 0;
  const unsigned lowest = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned highest = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < lowest || byte(1) > highest) return 0;
  for (std::size_t i = 2; i < length; ++i)
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  return length;
}

}  // namespace detail

/// Bytes from the start that are well-formed UTF-8: all of them, or the offset of the first that is not.
/// Cost: eight bytes at a time while all are ASCII.
[[nodiscard]] constexpr std::size_t utf8_prefix(std::string_view text) noexcept {
  if (!std::is_constant_evaluated() && detail::is_ascii(text)) [[likely]]
    return text.size();
  std::size_t i = 0;
  while (i < text.size()) {
    const std::size_t length = detail::utf8_sequence(text.substr(i));
    if (length == 0) break;
    i += length;
  }
  return i;
}

}  // namespace weir::inline WEIR_ABI::codec
