#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// A list of cells with the bytes they refer to, in one block: all that a row holds. Temperature: hot.
//
//   [ header | cell 0 .. cell n-1 | bytes of short texts, byte arrays, string arrays, wide decimals ]
//
// Nothing in a block depends on its address, so a copy is a copy of its cache lines: no count, no walk, and
// nothing that two threads could share. What would be dear to copy is shared instead, by atomic count:
//   - a value beyond 512 bytes lies in an allocation of its own (shared_value);
//   - a block beyond 1 KiB (wide rows, many options) is shared whole and copied at the first write.

#include <algorithm>
#include <atomic>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include <weir/base/config.hpp>
#include <weir/base/expects.hpp>
#include <weir/data/block_pool.hpp>
#include <weir/data/decimal.hpp>
#include <weir/data/text.hpp>
#include <weir/data/value.hpp>

namespace weir::inline WEIR_ABI::data::detail {

/// Longest content that lies in a block. A copy of 512 bytes costs about what an atomic pair does.
inline constexpr std::size_t packed_longest = 512;

/// What may be stored: the eight kinds, each from the types that mean it, and a value of another row.
/// Integers go by their width; text is what converts to string_view.
template <class T>
concept text_like = std::convertible_to<const T&, std::string_view>;
template <class T>
concept strings_like = std::convertible_to<const T&, std::span<const std::string_view>>;
template <class T>
concept bytes_like = std::convertible_to<const T&, std::span<const std::byte>>;
template <class T>
concept integer_of = std::signed_integral<T> && !std::same_as<T, char> && (sizeof(T) == 4 || sizeof(T) == 8);

[[nodiscard]] inline bool fits_cell(const decimal& x) noexcept {
  return static_cast<std::int64_t>(x.unscaled) == x.unscaled;
}

/// Bytes that x takes outside its cell.
template <class T>
[[nodiscard]] std::size_t outside_bytes(const T& x) noexcept {
  if constexpr (std::same_as<T, value>) {
    return x.content().where() == place::packed ? stored_bytes(x.content(), x.data()) : 0;
  } else if constexpr (std::same_as<T, decimal>) {
    return fits_cell(x) ? 0 : sizeof x.unscaled;
  } else if constexpr (text_like<T>) {
    return std::string_view(x).size();
  } else if constexpr (strings_like<T>) {
    const std::span<const std::string_view> texts = x;
    std::size_t length = texts.size() * sizeof(std::uint32_t);
    for (const std::string_view text : texts) length += text.size();
    return length;
  } else if constexpr (bytes_like<T>) {
    return std::span<const std::byte>(x).size();
  } else {
    static_assert(std::same_as<T, bool> || std::same_as<T, double> || integer_of<T>,
                  "a field is int64, string, double, bool, int32, bytes, strings or decimal");
    return 0;
  }
}

template <class T>
[[nodiscard]] bool is_apart([[maybe_unused]] const T& x) noexcept {
  if constexpr (std::same_as<T, value>) return x.content().where() == place::apart;
  return false;
}

/// The cell of x, its outside bytes written to `at`, which moves on; offsets count from `packed`.
template <class T>
[[nodiscard, gnu::always_inline]] inline cell encode(const T& x, const std::byte* packed, std::byte*& at) noexcept {
  const auto outside = [&](field_kind kind, std::size_t size, std::uint32_t weight, std::size_t length) {
    const auto offset = static_cast<std::uint64_t>(at - packed);
    at += length;
    return cell(kind, place::packed, static_cast<std::uint32_t>(size),
                offset | static_cast<std::uint64_t>(weight) << 32);
  };
  if constexpr (std::same_as<T, value>) {
    const cell c = x.content();
    if (c.where() != place::packed) return c;
    const std::size_t length = stored_bytes(c, x.data());
    if (length != 0) std::memcpy(at, x.data(), length);
    return outside(c.kind(), c.size(), static_cast<std::uint32_t>(c.bits() >> 32), length);
  } else if constexpr (std::same_as<T, bool>) {
    return {field_kind::boolean, place::here, 0, x};
  } else if constexpr (std::same_as<T, double>) {
    return {field_kind::float64, place::here, 0, std::bit_cast<std::uint64_t>(x)};
  } else if constexpr (std::same_as<T, decimal>) {
    const auto scale = static_cast<std::uint32_t>(x.scale);
    if (fits_cell(x)) [[likely]]
      return {field_kind::decimal, place::here, scale, static_cast<std::uint64_t>(x.unscaled)};
    std::memcpy(at, &x.unscaled, sizeof x.unscaled);
    return outside(field_kind::decimal, scale, 0, sizeof x.unscaled);
  } else if constexpr (text_like<T>) {
    const std::string_view text = x;
    return outside(field_kind::string, text.size(), copy_text(at, text), text.size());
  } else if constexpr (strings_like<T>) {
    const std::span<const std::string_view> texts = x;
    std::byte* ends = at;
    std::byte* const begin = at + texts.size() * sizeof(std::uint32_t);
    std::uint32_t end = 0;
    std::uint32_t weight = 0;
    for (const std::string_view text : texts) {
      weight += copy_text(begin + end, text);
      end += static_cast<std::uint32_t>(text.size());
      std::memcpy(ends, &end, sizeof end);
      ends += sizeof end;
    }
    return outside(field_kind::strings, texts.size(), weight, texts.size() * sizeof(std::uint32_t) + end);
  } else if constexpr (bytes_like<T>) {
    const std::span<const std::byte> bytes = x;
    if (!bytes.empty()) std::memcpy(at, bytes.data(), bytes.size());
    return outside(field_kind::bytes, bytes.size(), static_cast<std::uint32_t>(bytes.size()), bytes.size());
  } else if constexpr (sizeof(T) == 8) {
    return {field_kind::int64, place::here, 0, static_cast<std::uint64_t>(x)};
  } else {
    return {field_kind::int32, place::here, 0, static_cast<std::uint32_t>(x)};
  }
}

class pack {
 public:
  pack() noexcept = default;

  /// `size` null cells, room for `capacity` of them and for `bytes` bytes.
  pack(std::size_t size, std::size_t capacity, std::size_t bytes) noexcept
      : pack(uninitialized{}, size, capacity, bytes) {
    for (std::size_t i = 0; i < size; ++i) ::new (block_->cells() + i) cell{};
  }

  /// The values given, each in its cell, in a block of just the size.
  template <class... Ts>
  [[nodiscard]] static pack of(const Ts&... xs) noexcept {
    constexpr std::size_t n = sizeof...(Ts);
    const std::size_t length = (outside_bytes(xs) + ... + 0);
    if (sizeof(block) + n * sizeof(cell) + length > pooled_bytes || length > packed_longest || (is_apart(xs) || ...)) {
      pack result(n, n, 0);
      std::size_t i = 0;
      (result.put(i++, xs), ...);
      return result;
    }
    pack result(uninitialized{}, n, n, length);
    cell* c = result.block_->cells();
    std::byte* const packed = result.block_->packed();
    std::byte* at = packed;
    ((::new (c++) cell(encode(xs, packed, at))), ...);
    result.block_->used += static_cast<std::uint32_t>(length);
    return result;
  }

  pack(const pack& other) noexcept : block_(other.block_ == nullptr ? nullptr : duplicate(other.block_)) {}
  pack(pack&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  pack& operator=(pack other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~pack() {
    if (block_ != nullptr) drop(block_);
  }

  [[nodiscard]] std::size_t size() const noexcept { return block_ == nullptr ? 0 : block_->size; }

  [[nodiscard]] value at(std::size_t i) const noexcept {
    WEIR_EXPECTS(i < size());
    return {block_->cells()[i], block_->packed()};
  }

  /// Sum of the sizes of the first n cells.
  [[nodiscard]] std::uint32_t bytes_size(std::size_t n) const noexcept {
    WEIR_EXPECTS(n <= size());
    std::uint32_t sum = 0;
    if (n == 0) return sum;
    if (block_->has_apart()) [[unlikely]] {
      for (std::size_t i = 0; i < n; ++i) sum += weight(block_->cells()[i]);
    } else {
      for (std::size_t i = 0; i < n; ++i) sum += near_weight(block_->cells()[i]);
    }
    return sum;
  }

  /// Stores x, one of the eight kinds or a value, in cell i. Its bytes may be those of this very pack: views
  /// into it stay valid until the pack returned, the block that had to be replaced if any, ends.
  template <class T>
  [[gnu::always_inline]] pack put(std::size_t i, const T& x) noexcept {
    WEIR_EXPECTS(i < size());
    const std::size_t length = outside_bytes(x);
    if (block_->special != 0 || length > block_->bytes - block_->used || length > packed_longest || is_apart(x))
        [[unlikely]] {
      return put_special(i, x, length);
    }
    std::byte* at = block_->end();
    block_->cells()[i] = encode(x, block_->packed(), at);
    block_->used += static_cast<std::uint32_t>(length);
    return pack();
  }

  void put_null(std::size_t i) noexcept { put(i, value()); }

  /// Adds two cells, null until put: an option's name and value. Returns what put() does.
  pack append_two() noexcept {
    const std::size_t n = size();
    pack previous;
    if (n + 2 > block_->capacity) {
      previous = std::exchange(*this, rebuilt(n + std::max<std::size_t>(8, n / 2), 0));
    } else if (shared()) {
      previous = std::exchange(*this, rebuilt(block_->capacity, 0));
    }
    ::new (block_->cells() + n) cell{};
    ::new (block_->cells() + n + 1) cell{};
    block_->size += 2;
    return previous;
  }

  /// The cells wanted, in that order, and then those from `tail` on.
  /// Short contents are taken along whole, wanted or not: 192 bytes cost less than sorting them out.
  [[nodiscard]] pack select(std::span<const std::uint32_t> wanted, std::size_t tail) const noexcept {
    const std::size_t n = wanted.size() + (size() - tail);
    const std::size_t bytes = block_->used - block_->head();
    constexpr std::size_t whole = 192;
    if (bytes > whole || block_->has_apart()) [[unlikely]]
      return select_each(wanted, tail);
    pack result(uninitialized{}, n, n, bytes);
    const cell* const from = block_->cells();
    cell* to = result.block_->cells();
    for (const std::uint32_t i : wanted) {
      WEIR_EXPECTS(i < tail);
      ::new (to++) cell(from[i]);
    }
    for (std::size_t i = tail; i < size(); ++i) ::new (to++) cell(from[i]);
    // To the end of the last word pair: blocks are whole lines, and both parts start on a pair.
    std::byte* const packed = result.block_->packed();
    for (std::size_t i = 0; i < bytes; i += sizeof(cell)) std::memcpy(packed + i, block_->packed() + i, sizeof(cell));
    result.block_->used += static_cast<std::uint32_t>(bytes);
    return result;
  }

 private:
  struct alignas(16) block {
    std::uint32_t references;  // atomic, through atomic_ref; only of blocks beyond pooled_bytes
    std::uint32_t bytes;       // of the block
    std::uint32_t used;        // header, cells and bytes
    std::uint32_t size;        // cells
    std::uint32_t capacity;    // cells
    std::uint32_t special;     // 1 if the block may be shared, + 2 for every cell that is apart; mostly 0

    [[nodiscard]] cell* cells() noexcept { return reinterpret_cast<cell*>(this + 1); }
    [[nodiscard]] std::size_t head() const noexcept { return sizeof(block) + capacity * sizeof(cell); }
    [[nodiscard]] std::byte* end() noexcept { return reinterpret_cast<std::byte*>(this) + used; }
    [[nodiscard]] std::byte* packed() noexcept { return reinterpret_cast<std::byte*>(this) + head(); }
    [[nodiscard]] bool shareable() const noexcept { return (special & 1) != 0; }
    [[nodiscard]] bool has_apart() const noexcept { return special > 1; }
  };

  struct uninitialized {};
  pack(uninitialized, std::size_t size, std::size_t capacity, std::size_t bytes) noexcept {
    const std::size_t head = sizeof(block) + capacity * sizeof(cell);
    const std::size_t total = round_to_block(head + bytes);
    WEIR_EXPECTS(size <= capacity && total <= std::numeric_limits<std::uint32_t>::max());
    block_ = ::new (take_block(total)) block{.references = 1,
                                             .bytes = static_cast<std::uint32_t>(total),
                                             .used = static_cast<std::uint32_t>(head),
                                             .size = static_cast<std::uint32_t>(size),
                                             .capacity = static_cast<std::uint32_t>(capacity),
                                             .special = total > pooled_bytes};
  }

  static void retain(const cell& c) noexcept {
    if (c.where() == place::apart) {
      std::atomic_ref(c.shared()->references).fetch_add(1, std::memory_order_relaxed);
    }
  }

  static void release(const cell& c) noexcept {
    if (c.where() != place::apart) return;
    auto* shared = c.shared();
    if (std::atomic_ref(shared->references).fetch_sub(1, std::memory_order_acq_rel) == 1) ::operator delete(shared);
  }

  [[nodiscard]] static block* duplicate(block* from) noexcept {
    if (from->special != 0) [[unlikely]] {
      if (from->shareable()) {
        std::atomic_ref(from->references).fetch_add(1, std::memory_order_relaxed);
        return from;
      }
      for (std::size_t i = 0; i < from->size; ++i) retain(from->cells()[i]);
    }
    auto* to = static_cast<std::byte*>(take_block(from->bytes));
    const auto* source = reinterpret_cast<const std::byte*>(from);
    // Line by line and to the end of the last: cheaper than memcpy's choice of a method by length.
    for (std::size_t i = 0; i < from->used; i += block_step) std::memcpy(to + i, source + i, block_step);
    return reinterpret_cast<block*>(to);
  }

  static void drop(block* from) noexcept {
    if (from->special != 0) [[unlikely]] {
      if (from->shareable() && std::atomic_ref(from->references).fetch_sub(1, std::memory_order_acq_rel) != 1) return;
      for (std::size_t i = 0; i < from->size; ++i) release(from->cells()[i]);
    }
    give_block(from, from->bytes);
  }

  /// Whether another pack may hold this block.
  [[nodiscard]] bool shared() const noexcept {
    return block_->shareable() && std::atomic_ref(block_->references).load(std::memory_order_acquire) != 1;
  }

  /// The same cells in a new block without the bytes of overwritten ones, and with room for `bytes` more.
  [[nodiscard, gnu::noinline]] pack rebuilt(std::size_t capacity, std::size_t bytes) const noexcept {
    std::size_t live = 0;
    for (std::size_t i = 0; i < block_->size; ++i) live += outside_bytes(at(i));
    pack result(block_->size, capacity, live + live / 2 + bytes);
    for (std::size_t i = 0; i < block_->size; ++i) result.put(i, at(i));
    return result;
  }

  [[nodiscard, gnu::noinline]] pack select_each(std::span<const std::uint32_t> wanted,
                                                std::size_t tail) const noexcept {
    const std::size_t n = wanted.size() + (size() - tail);
    const auto source = [&](std::size_t i) { return at(i < wanted.size() ? wanted[i] : tail + (i - wanted.size())); };
    std::size_t live = 0;
    for (std::size_t i = 0; i < n; ++i) live += outside_bytes(source(i));
    pack result(n, n, live);
    for (std::size_t i = 0; i < n; ++i) result.put(i, source(i));
    return result;
  }

  // put() into a block that may be shared, that is full, or of what is or shall be apart.
  template <class T>
  [[gnu::noinline]] pack put_special(std::size_t i, const T& x, std::size_t length) noexcept {
    WEIR_EXPECTS(length <= std::numeric_limits<std::uint32_t>::max());
    const bool packs = length <= packed_longest;
    pack previous;
    if (shared() || (packs && length > block_->bytes - block_->used)) {
      previous = std::exchange(*this, rebuilt(block_->capacity, packs ? length : 0));
    }
    cell c;
    if (!packs) {
      auto* apart = ::new (::operator new(sizeof(shared_value) + length)) shared_value{.references = 1, .weight = 0};
      std::byte* at = apart->bytes();
      c = encode(x, at, at);
      apart->weight = near_weight(c);
      c = cell(c.kind(), place::apart, c.size(), reinterpret_cast<std::uint64_t>(apart));
    } else {
      std::byte* at = block_->end();
      c = encode(x, block_->packed(), at);
      block_->used += static_cast<std::uint32_t>(length);
      retain(c);
    }
    cell& old = block_->cells()[i];
    if (old.where() == place::apart) block_->special -= 2;
    if (c.where() == place::apart) block_->special += 2;
    release(std::exchange(old, c));
    return previous;
  }

  block* block_ = nullptr;
};

}  // namespace weir::inline WEIR_ABI::data::detail
