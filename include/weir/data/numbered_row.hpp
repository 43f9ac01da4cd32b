#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The content of the suite's row number id, as upstream makes it, and what must come of it. Temperature: hot.
//
//   weir::data::numbered_row content(1000);
//   weir::data::row r(content.fields());
//   assert(r.bytes_size() == weir::data::bytes_size_of(content.fields()));   // 105

#include <array>
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
  explicit numbered_row(std::int32_t id) noexcept {
    const auto bits = static_cast<std::uint32_t>(id);
    constexpr std::uint32_t factors[] = {31, 17, 7, 3};
    for (std::size_t i = 0; i < 4; ++i) {
      payload_[i] = static_cast<std::byte>(bits >> (8 * i));
      payload_[i + 4] = static_cast<std::byte>(bits * factors[i]);
    }
    const std::string_view name = write(name_, "seatunnel-row-", id);
    fields_ = {.id = id,
               .name = name,
               .score = id * 0.01,
               .enabled = (bits & 1) == 0,
               .shard = id % 128,
               .payload = payload_,
               .tags = {write(tag_, "tag-", id % 8), write(bucket_, "bucket-", id % 64), name.substr(10)},  // row-<id>
               .amount = {.unscaled = id * std::int64_t{1000} + 1234, .scale = 4},
               .table = write(table_, "benchmark_table_", id % 16),
               .kind = (bits & 1) == 0 ? row_kind::insert : row_kind::update_after};
  }
  numbered_row(const numbered_row&) = delete;
  numbered_row& operator=(const numbered_row&) = delete;

  [[nodiscard]] const row_fields& fields() const noexcept { return fields_; }

 private:
  using text = std::array<char, 32>;

  template <std::size_t N>
  static std::string_view write(text& to, const char (&prefix)[N], std::int32_t number) noexcept {
    std::memcpy(to.data(), prefix, N - 1);
    char* const digits = to.data() + N - 1;
    const char* end = digits + 1;
    if (number >= 0 && number < 10) {
      *digits = static_cast<char>('0' + number);
    } else {
      end = std::to_chars(digits, to.data() + to.size(), number).ptr;
    }
    return {to.data(), static_cast<std::size_t>(end - to.data())};
  }

  text name_, tag_, bucket_, table_;
  std::array<std::byte, 8> payload_;
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
