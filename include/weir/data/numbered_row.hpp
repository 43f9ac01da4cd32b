#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The content of the suite's row number id, as upstream makes it, and what must come of it. Temperature: hot.
//
//   weir::data::numbered_row content(1000);
//   weir::data::row r(content.fields());
//   assert(r.bytes_size() == weir::data::bytes_size_of(content.fields()));   // 105

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <weir/base/config.hpp>
#include <weir/data/decimal.hpp>
#include <weir/data/row_like.hpp>
#include <weir/data/text.hpp>

namespace weir::inline WEIR_ABI::data {

/// Keeps the texts that its fields() point to, so it stays where it is made.
/// Source: the row of upstream's SeaTunnelRowBenchmark; remainders keep the sign of id, as in Java.
class numbered_row {
 public:
  explicit numbered_row(std::int32_t id) noexcept
      : payload_(payload_of(static_cast<std::uint32_t>(id))),
        fields_{.id = id,
                .name = write(name_, "seatunnel-row-", id),
                .score = id * 0.01,
                .enabled = (id & 1) == 0,
                .shard = id % 128,
                .payload = payload_,
                .tags = {write(tag_, "tag-", id % 8), write(bucket_, "bucket-", id % 64), {}},
                .amount = {.unscaled = id * std::int64_t{1000} + 1234, .scale = 4},
                .table = write(table_, "benchmark_table_", id % 16),
                .kind = (id & 1) == 0 ? row_kind::insert : row_kind::update_after} {
    fields_.tags[2] = fields_.name.substr(sizeof "seatunnel-" - 1);  // "row-<id>"
  }
  numbered_row(const numbered_row&) = delete;
  numbered_row& operator=(const numbered_row&) = delete;

  [[nodiscard]] const row_fields& fields() const noexcept { return fields_; }

 private:
  using text = std::array<char, 32>;
  using payload = std::array<std::byte, 8>;

  [[nodiscard]] static payload payload_of(std::uint32_t id) noexcept {
    const std::uint64_t factors = (id * 31 & 0xFF) | (id * 17 & 0xFF) << 8 | (id * 7 & 0xFF) << 16 | id * 3 << 24;
    std::uint64_t bytes = id | factors << 32;
    if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
    return std::bit_cast<payload>(bytes);
  }

  template <std::size_t N>
  static std::string_view write(text& to, const char (&prefix)[N], std::int32_t number) noexcept {
    std::memcpy(to.data(), prefix, N - 1);
    const char* const end = write_number(to.data() + N - 1, to.data() + to.size(), number);
    return {to.data(), static_cast<std::size_t>(end - to.data())};
  }

  // The suite's numbers are small: up to 99 their digits and the count of them are one entry of a table. With
  // std::to_chars, 6 ns a number, the numbers would be a third of what createRow* measures.
  static char* write_number(char* to, char* end, std::int32_t number) noexcept {
    if (number < 0 || number > 9999) return std::to_chars(to, end, number).ptr;
    const auto n = static_cast<std::uint32_t>(number);
    const short_number& first = short_numbers[n < 100 ? n : n / 100];
    std::memcpy(to, &first, sizeof first);  // whole: one store
    to += first.count;
    if (n < 100) return to;
    *to++ = static_cast<char>('0' + n / 10 % 10);
    *to++ = static_cast<char>('0' + n % 10);
    return to;
  }

  struct short_number {
    char digits[3];
    char count;
  };
  static constexpr auto short_numbers = [] {
    std::array<short_number, 100> table{};
    for (int n = 0; n < 100; ++n) {
      const auto digit = [](int d) { return static_cast<char>('0' + d); };
      table[static_cast<std::size_t>(n)] =
          n < 10 ? short_number{{digit(n)}, 1} : short_number{{digit(n / 10), digit(n % 10)}, 2};
    }
    return table;
  }();

  payload payload_;
  text name_, tag_, bucket_, table_;
  row_fields fields_;
};

/// What readFields adds up: every field is looked at, the score rounded half up, the amount cut to its whole part.
[[nodiscard]] inline std::int64_t sum_of(const row_fields& f) noexcept {
  return f.id + static_cast<std::int64_t>(f.name.size()) + static_cast<std::int64_t>(std::floor(f.score + 0.5)) +
         (f.enabled ? 1 : 0) + f.shard + static_cast<std::int64_t>(f.payload.size()) +
         static_cast<std::int64_t>(f.tags.size()) + f.amount.to_int64();
}

/// Size of a row of these fields under upstream's rules, from the fields alone.  Units: bytes.
[[nodiscard]] inline std::uint32_t bytes_size_of(const row_fields& f) noexcept {
  std::uint32_t size = 8 + utf16_units(f.name) + 8 + 1 + 4 + static_cast<std::uint32_t>(f.payload.size()) + 36;
  for (const std::string_view tag : f.tags) size += utf16_units(tag);
  return size;
}

}  // namespace weir::inline WEIR_ABI::data
