#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// One field of a row, as a view: its kind, and the content under its own type. Temperature: hot.
//
//   if (value name = row.at(1); name.kind() == field_kind::string) use(name.as_string());

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include <weir/base/config.hpp>
#include <weir/base/expects.hpp>
#include <weir/data/decimal.hpp>
#include <weir/data/text.hpp>

namespace weir::inline WEIR_ABI::data {

enum class field_kind : std::uint8_t { null, int64, string, float64, boolean, int32, bytes, strings, decimal };

/// The elements of a string array: their ends, then their bytes.
class string_list {
 public:
  string_list(const std::byte* blob, std::uint32_t size) noexcept : blob_(blob), size_(size) {}

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  [[nodiscard]] std::string_view operator[](std::size_t i) const noexcept {
    WEIR_EXPECTS(i < size_);
    const std::uint32_t begin = i == 0 ? 0 : end_of(i - 1);
    return {reinterpret_cast<const char*>(blob_) + size_ * sizeof(std::uint32_t) + begin, end_of(i) - begin};
  }

 private:
  [[nodiscard]] std::uint32_t end_of(std::size_t i) const noexcept {
    std::uint32_t end;
    std::memcpy(&end, blob_ + i * sizeof end, sizeof end);
    return end;
  }

  const std::byte* blob_;
  std::uint32_t size_;
};

namespace detail {

/// Where the content of a cell is: in the cell, in the bytes behind the cells of its block, or in a counted
/// allocation of its own.
enum class place : std::uint8_t { here, packed, apart };

/// A large value, shared by every row that has it. Never changed once it is stored.
struct shared_value {
  std::uint32_t references;  // atomic, through atomic_ref
  std::uint32_t weight;
  [[nodiscard]] std::byte* bytes() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
};

/// Two words, each written whole: a cell that is put together from narrower stores and then copied as words
/// stalls on store forwarding, 5 ns each time.
class cell {
 public:
  constexpr cell() noexcept = default;
  constexpr cell(field_kind kind, place where, std::uint32_t size, std::uint64_t bits) noexcept
      : bits_(bits), tag_(size | static_cast<std::uint64_t>(kind) << 32 | static_cast<std::uint64_t>(where) << 40) {}

  /// The number; packed: offset, and weight << 32 beyond that of the kind; apart: a shared_value*.
  [[nodiscard]] constexpr std::uint64_t bits() const noexcept { return bits_; }
  /// Bytes, or elements of a string array, or the scale of a decimal.
  [[nodiscard]] constexpr std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(tag_); }
  [[nodiscard]] constexpr field_kind kind() const noexcept { return static_cast<field_kind>(tag_ >> 32 & 0xFF); }
  [[nodiscard]] constexpr place where() const noexcept { return static_cast<place>(tag_ >> 40); }

  /// Where the content of a cell that is apart lies.
  [[nodiscard]] shared_value* shared() const noexcept { return reinterpret_cast<shared_value*>(bits_); }

 private:
  std::uint64_t bits_ = 0;
  std::uint64_t tag_ = 0;
};
static_assert(sizeof(cell) == 16);

/// Size of the fixed kinds under upstream's rules. Units: bytes.
inline constexpr std::uint32_t weight_of_kind[] = {0, 8, 0, 8, 1, 4, 0, 0, 36};

/// Size of a cell that is not apart. Without a branch, as a row asks for eight of different kinds in a row.
[[nodiscard]] inline std::uint32_t near_weight(const cell& c) noexcept {
  const auto packed =
      static_cast<std::uint32_t>(c.bits() >> 32) & (0U - static_cast<std::uint32_t>(c.where() == place::packed));
  return weight_of_kind[static_cast<std::size_t>(c.kind())] + packed;
}

[[nodiscard]] inline std::uint32_t weight(const cell& c) noexcept {
  return c.where() == place::apart ? c.shared()->weight : near_weight(c);
}

/// Length of what a cell keeps outside itself. Units: bytes.
[[nodiscard]] inline std::size_t stored_bytes(const cell& c, const std::byte* data) noexcept {
  switch (c.kind()) {
    case field_kind::decimal:
      return sizeof(int128);
    case field_kind::strings: {
      if (c.size() == 0) return 0;
      std::uint32_t end;
      std::memcpy(&end, data + (c.size() - 1) * sizeof end, sizeof end);
      return c.size() * sizeof end + end;
    }
    default:
      return c.size();
  }
}

}  // namespace detail

/// A view of one field or option. Valid until its row is changed or ends.
class value {
 public:
  value() noexcept = default;
  value(const detail::cell& c, const std::byte* packed) noexcept : cell_(c), packed_(packed) {}

  [[nodiscard]] field_kind kind() const noexcept { return cell_.kind(); }
  [[nodiscard]] bool is_null() const noexcept { return cell_.kind() == field_kind::null; }

  // Requires, each: kind() is the one named.
  [[nodiscard]] std::int64_t as_int64() const noexcept { return std::bit_cast<std::int64_t>(bits(field_kind::int64)); }
  [[nodiscard]] double as_double() const noexcept { return std::bit_cast<double>(bits(field_kind::float64)); }
  [[nodiscard]] bool as_bool() const noexcept { return bits(field_kind::boolean) != 0; }
  [[nodiscard]] std::int32_t as_int32() const noexcept { return static_cast<std::int32_t>(bits(field_kind::int32)); }
  [[nodiscard]] std::string_view as_string() const noexcept {
    WEIR_EXPECTS(cell_.kind() == field_kind::string);
    return {reinterpret_cast<const char*>(data()), cell_.size()};
  }
  [[nodiscard]] std::span<const std::byte> as_bytes() const noexcept {
    WEIR_EXPECTS(cell_.kind() == field_kind::bytes);
    return {data(), cell_.size()};
  }
  [[nodiscard]] string_list as_strings() const noexcept {
    WEIR_EXPECTS(cell_.kind() == field_kind::strings);
    return {data(), cell_.size()};
  }
  [[nodiscard]] decimal as_decimal() const noexcept {
    WEIR_EXPECTS(cell_.kind() == field_kind::decimal);
    decimal result{.unscaled = static_cast<std::int64_t>(cell_.bits()),
                   .scale = static_cast<std::int32_t>(cell_.size())};
    if (cell_.where() != detail::place::here) [[unlikely]]
      std::memcpy(&result.unscaled, data(), sizeof result.unscaled);
    return result;
  }

  /// Size under upstream's rules: text counts UTF-16 units, decimals 36, null nothing.  Units: bytes.
  [[nodiscard]] std::uint32_t bytes_size() const noexcept { return detail::weight(cell_); }

  /// Same kind, same content: doubles by bits, decimals by digits and scale (1.0 is not 1.00).
  friend bool operator==(const value& a, const value& b) noexcept {
    if (a.cell_.kind() != b.cell_.kind() || a.cell_.size() != b.cell_.size()) return false;
    if (a.cell_.where() == detail::place::here && b.cell_.where() == detail::place::here) {
      return a.cell_.bits() == b.cell_.bits();
    }
    // A decimal is outside its cell exactly when it does not fit, so both or neither are.
    if (a.cell_.where() == detail::place::here || b.cell_.where() == detail::place::here) return false;
    const std::size_t n = detail::stored_bytes(a.cell_, a.data());
    return n == detail::stored_bytes(b.cell_, b.data()) && std::memcmp(a.data(), b.data(), n) == 0;
  }

  // For data/pack.hpp, which stores what a view shows.
  [[nodiscard]] const detail::cell& content() const noexcept { return cell_; }
  [[nodiscard]] const std::byte* data() const noexcept {
    return cell_.where() == detail::place::apart ? cell_.shared()->bytes()
                                                 : packed_ + static_cast<std::uint32_t>(cell_.bits());
  }

 private:
  [[nodiscard]] std::uint64_t bits([[maybe_unused]] field_kind expected) const noexcept {
    WEIR_EXPECTS(cell_.kind() == expected);
    return cell_.bits();
  }

  detail::cell cell_;
  const std::byte* packed_ = nullptr;
};

}  // namespace weir::inline WEIR_ABI::data
