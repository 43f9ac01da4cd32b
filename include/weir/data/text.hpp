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
#include <type_traits>

#include <weir/base/config.hpp>

namespace weir::inline WEIR_ABI::data {

namespace detail {

inline constexpr std::uint64_t high_bits = 0x8080808080808080;

[[nodiscard]] constexpr std::uint32_t count_utf16_units(std::string_view text) noexcept {
  std::uint32_t units = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    units += static_cast<std::uint32_t>((byte & 0xC0U) != 0x80U) + static_cast<std::uint32_t>(byte >= 0xF0U);
  }
  return units;
}

/// Calls visit(offset, Word) on words that cover n bytes, the last one overlapping the one before it.
template <class Visit>
constexpr void for_each_word(std::size_t n, Visit visit) noexcept {
  if (n >= 8) {
    for (std::size_t i = 0; i + 8 < n; i += 8) visit(i, std::uint64_t{});
    visit(n - 8, std::uint64_t{});
  } else if (n >= 4) {
    visit(0, std::uint32_t{});
    visit(n - 4, std::uint32_t{});
  } else {
    for (std::size_t i = 0; i < n; ++i) visit(i, std::uint8_t{});
  }
}

}  // namespace detail

/// UTF-16 code units that the text takes: one a code point, two beyond U+FFFF.
/// Counts lead bytes, so malformed text gives a number, never a fault.
[[nodiscard]] constexpr std::uint32_t utf16_units(std::string_view text) noexcept {
  if (!std::is_constant_evaluated()) {
    std::uint64_t bits = 0;
    detail::for_each_word(text.size(), [&]<class Word>(std::size_t i, Word word) {
      std::memcpy(&word, text.data() + i, sizeof word);
      bits |= word;
    });
    if ((bits & detail::high_bits) == 0) [[likely]]
      return static_cast<std::uint32_t>(text.size());
  }
  return detail::count_utf16_units(text);
}

namespace detail {

/// Copies text and returns its UTF-16 units: the words on their way also tell whether it is all ASCII.
inline std::uint32_t copy_text(std::byte* to, std::string_view text) noexcept {
  std::uint64_t bits = 0;
  for_each_word(text.size(), [&]<class Word>(std::size_t i, Word word) {
    std::memcpy(&word, text.data() + i, sizeof word);
    std::memcpy(to + i, &word, sizeof word);
    bits |= word;
  });
  return (bits & high_bits) == 0 ? static_cast<std::uint32_t>(text.size()) : count_utf16_units(text);
}

}  // namespace detail
}  // namespace weir::inline WEIR_ABI::data
