#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// UTF-16 length of UTF-8 text: the size rule of strings, so that byte sizes equal upstream's. Temperature: hot.
//
//   static_assert(weir::data::utf16_units("a\u00e9\U0001F600") == 4);

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <weir/base/config.hpp>

namespace weir::inline WEIR_ABI::data {

/// UTF-16 code units that the text takes: one a code point, two beyond U+FFFF.
/// Counts lead bytes, so malformed text gives a number, never a fault.
[[nodiscard]] constexpr std::uint32_t utf16_units(std::string_view text) noexcept {
  std::uint32_t units = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    units += static_cast<std::uint32_t>((byte & 0xC0U) != 0x80U) + static_cast<std::uint32_t>(byte >= 0xF0U);
  }
  return units;
}

namespace detail {

/// Copies text and returns its UTF-16 units. Short text goes as two overlapping words, which also answer
/// whether it is all ASCII: the common case costs no loop.
inline std::uint32_t copy_text(std::byte* to, std::string_view text) noexcept {
  const std::size_t n = text.size();
  const char* from = text.data();
  constexpr std::uint64_t high_bits = 0x8080808080808080;
  const auto in_two_words = [&]<class Word>(Word first) {
    Word last;
    std::memcpy(&first, from, sizeof first);
    std::memcpy(&last, from + n - sizeof last, sizeof last);
    std::memcpy(to, &first, sizeof first);
    std::memcpy(to + n - sizeof last, &last, sizeof last);
    return ((first | last) & static_cast<Word>(high_bits)) == 0;
  };
  if (n >= 8 && n <= 16) {
    if (in_two_words(std::uint64_t{})) [[likely]] return static_cast<std::uint32_t>(n);
  } else if (n >= 4 && n < 8) {
    if (in_two_words(std::uint32_t{})) [[likely]] return static_cast<std::uint32_t>(n);
  } else if (n != 0) {
    std::memcpy(to, from, n);
    std::uint64_t bits = 0;
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8) {
      std::uint64_t word;
      std::memcpy(&word, from + i, sizeof word);
      bits |= word;
    }
    for (; i < n; ++i) bits |= static_cast<unsigned char>(from[i]);
    if ((bits & high_bits) == 0) return static_cast<std::uint32_t>(n);
  }
  return utf16_units(text);
}

}  // namespace detail
}  // namespace weir::inline WEIR_ABI::data
