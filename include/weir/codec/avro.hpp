#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Avro binary, written by hand: what the format costs at least. Temperature: hot.
//
//   codec::avro a;                       // schema id 1 in front
//   a.serialize(record, out);
//   if (const codec::fault f = a.deserialize(out.view(), record)) ...
//
// Every field is a union of null and its type, as Connect writes optional columns: a branch (1, zigzag: byte 02) and
// the value. A null is refused, as the records have none.
// Source: Apache Avro 1.11 specification, "Binary encoding".

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include <weir/base/config.hpp>
#include <weir/codec/buffer.hpp>
#include <weir/codec/fault.hpp>
#include <weir/codec/framing.hpp>
#include <weir/codec/record.hpp>
#include <weir/codec/utf8.hpp>

namespace weir::inline WEIR_ABI::codec {

namespace detail {

inline constexpr std::size_t longest_varint = 10;

inline char* put_varint(char* to, std::uint64_t x) noexcept {
  while (x >= 0x80) {
    *to++ = static_cast<char>(x | 0x80);
    x >>= 7;
  }
  *to++ = static_cast<char>(x);
  return to;
}

[[nodiscard]] constexpr std::uint64_t zigzag(std::int64_t x) noexcept {
  return static_cast<std::uint64_t>(x) << 1 ^ static_cast<std::uint64_t>(x >> 63);
}

/// A place in bytes that are decoded, and the first fault.
class reader {
 public:
  reader(std::string_view bytes, std::size_t from) noexcept
      : begin_(bytes.data()), at_(begin_ + from), end_(begin_ + bytes.size()) {}

  [[nodiscard]] bool at_end() const noexcept { return at_ == end_; }
  [[nodiscard]] std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - at_); }
  fault found() const noexcept { return found_; }

  /// Returns: false.
  bool fail(fault_kind kind, const char* where) noexcept {
    found_ = {kind, static_cast<std::size_t>(where - begin_)};
    return false;
  }

  [[gnu::always_inline]] bool varint(std::uint64_t& x) noexcept {
    if (at_ != end_) [[likely]] {
      x = static_cast<unsigned char>(*at_);
      if (x < 0x80) {
        ++at_;
        return true;
      }
    }
    return long_varint(x);
  }

  [[gnu::always_inline]] bool integer(std::int64_t& x) noexcept {
    std::uint64_t zigzagged = 0;
    if (!varint(zigzagged)) return false;
    x = static_cast<std::int64_t>(zigzagged >> 1 ^ (0 - (zigzagged & 1)));
    return true;
  }

  bool integer(std::int32_t& x) noexcept {
    const char* const start = at_;
    std::int64_t wide = 0;
    if (!integer(wide)) return false;
    x = static_cast<std::int32_t>(wide);
    return x == wide || fail(fault_kind::out_of_range, start);
  }

  bool text(std::string& to) {
    const char* const start = at_;
    std::int64_t length = 0;
    if (!integer(length)) return false;
    if (length < 0) return fail(fault_kind::bad_length, start);
    if (static_cast<std::uint64_t>(length) > left()) return fail(fault_kind::truncated, start);
    const std::string_view content(at_, static_cast<std::size_t>(length));
    if (!is_ascii(content)) [[unlikely]] {
      if (const std::size_t good = utf8_prefix(content); good != content.size())
        return fail(fault_kind::not_utf8, at_ + good);
    }
    assign(to, content);
    at_ += length;
    return true;
  }

  /// Branch 1 of a union of null and something.
  [[gnu::always_inline]] bool not_null() noexcept {
    if (at_ == end_ || *at_ != 2) [[unlikely]]
      return other_branch();
    ++at_;
    return true;
  }

  bool nothing_left() noexcept { return at_end() || fail(fault_kind::trailing_bytes, at_); }

 private:
  [[gnu::noinline]] bool other_branch() noexcept {
    const char* const start = at_;
    std::int64_t branch = 0;
    if (!integer(branch)) return false;
    if (branch == 0) return fail(fault_kind::null_value, start);
    return branch == 1 || fail(fault_kind::bad_branch, start);  // 1 in more bytes than it needs
  }

  [[gnu::noinline]] bool long_varint(std::uint64_t& x) noexcept {
    x = 0;
    const char* const start = at_;
    for (unsigned shift = 0; shift < 7 * longest_varint; shift += 7) {
      if (at_ == end_) return fail(fault_kind::truncated, start);
      const std::uint64_t byte = static_cast<unsigned char>(*at_++);
      if (shift == 63 && byte > 1) break;
      x |= (byte & 0x7F) << shift;
      if (byte < 0x80) return true;
    }
    return fail(fault_kind::varint_too_long, start);
  }

  const char* begin_;
  const char* at_;
  const char* end_;
  fault found_{};
};

}  // namespace detail

class avro {
 public:
  explicit avro(framing frame = framing::schema(1)) noexcept : frame_(frame) {}

  [[nodiscard]] std::string_view name() const noexcept { return "Avro"; }
  [[nodiscard]] framing frame() const noexcept { return frame_; }

  /// Cost: no allocation once `out` has grown.
  template <record R>
  void serialize(const R& in, buffer& out) const {
    std::size_t most = frame_.size();
    add_size(in, most);
    char* to = frame_.write(out.grow(most));
    put(to, in);
    out.end_at(to);
  }

  template <record R>
  fault deserialize(std::string_view bytes, R& out) const {
    if (const fault f = frame_.check(bytes)) return f;
    detail::reader from(bytes, frame_.size());
    static_cast<void>(take(from, out) && from.nothing_left());
    return from.found();
  }

 private:
  template <record R>
  static void add_size(const R& in, std::size_t& most) {
    for_each_field(in, [&]<class T>(std::string_view, const T& value) {
      most += 1 + detail::longest_varint;
      if constexpr (std::same_as<T, std::string>)
        most += value.size();
      else if constexpr (!leaf<T>)
        add_size(value, most);
      return true;
    });
  }

  template <record R>
  static void put(char*& to, const R& in) {
    for_each_field(in, [&]<class T>(std::string_view, const T& value) {
      *to++ = 2;
      if constexpr (std::same_as<T, std::string>) {
        to = detail::put_varint(to, detail::zigzag(static_cast<std::int64_t>(value.size())));
        std::memcpy(to, value.data(), value.size());
        to += value.size();
      } else if constexpr (leaf<T>) {
        to = detail::put_varint(to, detail::zigzag(value));
      } else {
        put(to, value);
      }
      return true;
    });
  }

  template <record R>
  static bool take(detail::reader& from, R& out) {
    return for_each_field(out, [&]<class T>(std::string_view, T& value) {
      if (!from.not_null()) return false;
      if constexpr (std::same_as<T, std::string>)
        return from.text(value);
      else if constexpr (leaf<T>)
        return from.integer(value);
      else
        return take(from, value);
    });
  }

  framing frame_;
};

}  // namespace weir::inline WEIR_ABI::codec
