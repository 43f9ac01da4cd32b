#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// What a row type of your own needs to run in the row suite (gbench/row_suite.hpp). Temperature: hot.
//
//   struct my_row {
//     explicit my_row(const weir::data::row_fields& f);
//     weir::data::row_fields fields() const;
//     std::uint32_t bytes_size() const;
//     ...
//   };
//   static_assert(weir::data::row_like<my_row>);

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <weir/base/config.hpp>
#include <weir/data/decimal.hpp>

namespace weir::inline WEIR_ABI::data {

/// What a row does to its table.
enum class row_kind : std::uint8_t { insert, update_before, update_after, remove };

/// The suite's row, as views: eight fields, table and kind. A row built from it owns what these point to.
struct row_fields {
  std::int64_t id = 0;
  std::string_view name;
  double score = 0;
  bool enabled = false;
  std::int32_t shard = 0;
  std::span<const std::byte> payload;
  std::array<std::string_view, 3> tags;
  decimal amount;
  std::string_view table;
  row_kind kind = row_kind::insert;
};

/// Number of fields, and what the projection of the suite keeps: id, name, enabled, payload.
inline constexpr std::size_t row_arity = 8;
inline constexpr std::array<std::uint32_t, 4> row_projection{0, 1, 3, 5};

/// A row of the suite. Meaning: made from fields it gives the same fields back and owns their bytes; a copy
/// equals its source and neither changes when the other does, nor when it ends; bytes_size() follows
/// upstream's rules (int64 and double 8, int32 4, bool 1, decimal 36, bytes and UTF-16 units as many).
template <class R>
concept row_like = std::copyable<R> && std::constructible_from<R, const row_fields&> && requires(const R& row) {
  { row.fields() } -> std::convertible_to<row_fields>;
  { row.bytes_size() } -> std::integral;
};

/// Adds copyProjectedPlainRow. Meaning: a row of the fields named, in that order, with table and kind.
template <class R>
concept projectable_row = row_like<R> && requires(const R& row, std::span<const std::uint32_t> wanted) {
  { row.project(wanted) } -> std::convertible_to<R>;
};

/// Adds the scenarios with options. Meaning: a map from names to values that copies keep apart.
template <class R>
concept row_with_options = row_like<R> && requires(R& row, const R& same, std::span<const std::byte> bytes) {
  row.set_option(std::string_view(), std::string_view());
  row.set_option(std::string_view(), std::int64_t());
  row.set_option(std::string_view(), std::int32_t());
  row.set_option(std::string_view(), bytes);
  { same.option_count() } -> std::integral;
};

/// Adds createRowWithSetField. Meaning: built with an arity, every field is null; set(i, x) stores one.
template <class R>
concept settable_row = row_like<R> && std::constructible_from<R, std::size_t> && requires(R& row, const row_fields& f) {
  row.set(std::size_t(), f.id);
  row.set(std::size_t(), f.name);
  row.set(std::size_t(), f.score);
  row.set(std::size_t(), f.enabled);
  row.set(std::size_t(), f.shard);
  row.set(std::size_t(), f.payload);
  row.set(std::size_t(), f.tags);
  row.set(std::size_t(), f.amount);
  row.set_table(f.table);
  row.set_kind(f.kind);
};

}  // namespace weir::inline WEIR_ABI::data
