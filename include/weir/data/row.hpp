#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// A row: fields of eight kinds, table, kind and options, in one block of memory. Temperature: hot.
//
//   weir::data::row r(2);
//   r.set(0, std::int64_t{7});
//   r.set(1, "seven");
//   weir::data::row copy = r;       // 9 ns; either may change, move to another thread or end
//
// How copies stay cheap and safe is told in data/pack.hpp: short contents travel with the row, long ones and
// large blocks are shared by atomic count, and no row ever sees another one's change.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include <weir/base/config.hpp>
#include <weir/base/expects.hpp>
#include <weir/data/decimal.hpp>
#include <weir/data/pack.hpp>
#include <weir/data/row_like.hpp>
#include <weir/data/value.hpp>

namespace weir::inline WEIR_ABI::data {

/// Threads: distinct rows, copies of one another or not, on any threads; one row, readers only.
/// Errors: out of memory ends the program.
class row {
 public:
  row() noexcept = default;

  /// `arity` null fields and room for so many bytes of text and byte arrays; more are found when needed.
  explicit row(std::size_t arity, std::size_t bytes = 80) noexcept
      : cells_(arity + 1, arity + 1, bytes), arity_(static_cast<std::uint32_t>(arity)) {}

  explicit row(const row_fields& f) noexcept;

  /// Options come along, the cached size does not.  Cost: 9 ns, with options 12.
  row(const row& other) noexcept : row(other.cells_, other.arity_, other.kind_) {}
  row(row&& other) noexcept = default;
  row& operator=(const row& other) noexcept { return *this = row(other); }
  row& operator=(row&& other) noexcept = default;
  ~row() = default;

  /// A row of the fields named, in that order, with table, kind and options.
  [[nodiscard]] row project(std::span<const std::uint32_t> wanted) const noexcept {
    if (is_empty()) return {};
    return row(cells_.select(wanted, arity_), static_cast<std::uint32_t>(wanted.size()), kind_);
  }

  [[nodiscard]] std::size_t arity() const noexcept { return is_empty() ? 0 : arity_; }

  /// Requires: i < arity().
  [[nodiscard]] value at(std::size_t i) const noexcept {
    WEIR_EXPECTS(i < arity());
    return cells_.at(i);
  }

  /// Stores a field: int64, int32, double, bool, text, bytes, strings, decimal, or the value of another row.
  /// Does not touch a size that bytes_size() has cached, as upstream's setField does not.
  /// Requires: i < arity(), contents below 4 GiB.
  template <class T>
  void set(std::size_t i, const T& x) noexcept {
    WEIR_EXPECTS(i < arity());
    cells_.put(i, x);
  }
  void set_null(std::size_t i) noexcept {
    WEIR_EXPECTS(i < arity());
    cells_.put_null(i);
  }

  /// Empty when never set.
  [[nodiscard]] std::string_view table() const noexcept {
    if (is_empty() || cells_.at(arity_).is_null()) return {};
    return cells_.at(arity_).as_string();
  }
  void set_table(std::string_view table) noexcept {
    if (is_empty()) *this = row(0);
    cells_.put(arity_, table);
  }

  [[nodiscard]] row_kind kind() const noexcept { return kind_; }
  void set_kind(row_kind kind) noexcept { kind_ = kind; }

  /// Sum of the fields' sizes under upstream's rules; table, kind and options do not count.
  /// Computed once and kept, whatever set() does later; a sum of 0 is computed anew.  Units: bytes.
  [[nodiscard]] std::uint32_t bytes_size() const noexcept {
    // Atomic, as readers on several threads may all be the first. A plain move on the processors we know.
    std::atomic_ref cached(bytes_size_);
    std::uint32_t size = cached.load(std::memory_order_relaxed);
    if (size == 0) {
      size = cells_.bytes_size(arity());
      cached.store(size, std::memory_order_relaxed);
    }
    return size;
  }

  [[nodiscard]] std::size_t option_count() const noexcept { return is_empty() ? 0 : (cells_.size() - options()) / 2; }

  /// The option's value, null when there is none.  Cost: a scan of the names.
  [[nodiscard]] value option(std::string_view name) const noexcept {
    if (is_empty()) return {};
    const std::size_t i = find_option(name);
    return i == cells_.size() ? value() : cells_.at(i + 1);
  }

  /// Adds an option or replaces it, in this row only.  Cost: a scan of the names.
  template <class T>
  void set_option(std::string_view name, const T& x) noexcept {
    if (is_empty()) *this = row(0);
    const std::size_t i = find_option(name);
    if (i != cells_.size()) {
      cells_.put(i + 1, x);
      return;
    }
    // name and x may be views into the block that grows.
    const detail::pack before = cells_.append_two();
    const detail::pack before_name = cells_.put(i, name);
    cells_.put(i + 1, x);
  }

  /// The suite's view of a row of its eight fields.  Requires: one made from row_fields, or set like one.
  [[nodiscard]] row_fields fields() const noexcept;

  /// Table, kind and fields; as upstream, not options.
  friend bool operator==(const row& a, const row& b) noexcept {
    if (a.arity() != b.arity() || a.kind_ != b.kind_ || a.table() != b.table()) return false;
    for (std::size_t i = 0; i < a.arity(); ++i) {
      if (a.at(i) != b.at(i)) return false;
    }
    return true;
  }

 private:
  row(detail::pack cells, std::uint32_t arity, row_kind kind) noexcept
      : cells_(std::move(cells)), arity_(arity), kind_(kind) {}

  /// Made by row(), or moved from.
  [[nodiscard]] bool is_empty() const noexcept { return cells_.size() == 0; }

  /// The cell of the first option.
  [[nodiscard]] std::size_t options() const noexcept { return arity_ + 1U; }

  [[nodiscard]] std::size_t find_option(std::string_view name) const noexcept {
    std::size_t i = options();
    while (i < cells_.size() && cells_.at(i).as_string() != name) i += 2;
    return i;
  }

  detail::pack cells_;  // the fields, the table, then name and value of each option
  std::uint32_t arity_ = 0;
  mutable std::uint32_t bytes_size_ = 0;
  row_kind kind_ = row_kind::insert;
};

inline row::row(const row_fields& f) noexcept
    : cells_(detail::pack::of(f.id, f.name, f.score, f.enabled, f.shard, f.payload, f.tags, f.amount, f.table)),
      arity_(row_arity),
      kind_(f.kind) {}

inline row_fields row::fields() const noexcept {
  const string_list tags = at(6).as_strings();
  return {.id = at(0).as_int64(),
          .name = at(1).as_string(),
          .score = at(2).as_double(),
          .enabled = at(3).as_bool(),
          .shard = at(4).as_int32(),
          .payload = at(5).as_bytes(),
          .tags = {tags[0], tags[1], tags[2]},
          .amount = at(7).as_decimal(),
          .table = table(),
          .kind = kind_};
}

}  // namespace weir::inline WEIR_ABI::data
