#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The bytes that a schema registry puts before a record: magic byte 0, schema id (4 bytes, big end first), and for
// Protobuf the index of the message in its file, of which the first is the single byte 0. Temperature: hot.
//
//   const auto frame = codec::framing::schema(7);
//   char* p = frame.write(out.grow(frame.size() + n));

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <weir/base/config.hpp>
#include <weir/codec/fault.hpp>

namespace weir::inline WEIR_ABI::codec {

class framing {
 public:
  /// Nothing before the record.
  [[nodiscard]] static constexpr framing none() noexcept { return {}; }

  [[nodiscard]] static constexpr framing schema(std::uint32_t id) noexcept {
    framing f;
    for (unsigned i = 0; i < 4; ++i) f.bytes_[1 + i] = static_cast<char>(id >> (24 - 8 * i) & 0xFF);
    f.size_ = 5;
    return f;
  }

  /// schema() and the index of the first message.
  [[nodiscard]] static constexpr framing first_message(std::uint32_t id) noexcept {
    framing f = schema(id);
    f.size_ = 6;
    return f;
  }

  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }

  /// Returns: the end of what was written.
  char* write(char* to) const noexcept {
    std::memcpy(to, bytes_.data(), size_);
    return to + size_;
  }

  /// What is wrong with the first bytes of a record, if anything.
  fault check(std::string_view bytes) const noexcept {
    if (size_ == 0 || (bytes.size() >= 8 && ((word(bytes.data()) ^ word(bytes_.data())) << (64 - 8 * size_)) == 0))
      return {};
    for (std::size_t i = 0; i < size_; ++i) {
      if (i == bytes.size()) return {fault_kind::truncated, i};
      if (bytes[i] != bytes_[i])
        return {i == 0 || i == 5 ? fault_kind::wrong_framing : fault_kind::wrong_schema_id, i == 0 || i == 5 ? i : 1};
    }
    return {};
  }

  friend constexpr bool operator==(const framing&, const framing&) noexcept = default;

 private:
  static_assert(std::endian::native == std::endian::little);
  [[nodiscard]] static std::uint64_t word(const char* from) noexcept {
    std::uint64_t w;
    std::memcpy(&w, from, sizeof w);
    return w;
  }

  std::array<char, 8> bytes_{};
  std::size_t size_ = 0;
};

}  // namespace weir::inline WEIR_ABI::codec
