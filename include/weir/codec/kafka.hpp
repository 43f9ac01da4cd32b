#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Kafka's own serializers: one number, the big end first, or one text, and nothing else. Temperature: hot.
//
//   codec::kafka k;
//   k.serialize(key, out);  // 8 bytes

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include <weir/base/config.hpp>
#include <weir/codec/buffer.hpp>
#include <weir/codec/fault.hpp>
#include <weir/codec/framing.hpp>
#include <weir/codec/record.hpp>
#include <weir/codec/utf8.hpp>

namespace weir::inline WEIR_ABI::codec {

class kafka {
 public:
  [[nodiscard]] std::string_view name() const noexcept { return "Kafka"; }
  [[nodiscard]] framing frame() const noexcept { return framing::none(); }
  [[nodiscard]] static std::string_view refusal(const shape& s) noexcept {
    return s.is_flat() && s.columns.size() == 1 ? "" : "Kafka's serializers hold a single column";
  }

  /// Requires: one column.
  template <record R>
  void serialize(const R& in, buffer& out) const {
    for_each_leaf(in, [&]<class T>(const T& value) {
      if constexpr (std::same_as<T, std::string>) {
        out.append(value);
      } else {
        const auto bits = big_end_first(static_cast<std::make_unsigned_t<T>>(value));
        char* const to = out.grow(sizeof bits);
        std::memcpy(to, &bits, sizeof bits);
        out.end_at(to + sizeof bits);
      }
    });
  }

  template <record R>
  fault deserialize(std::string_view bytes, R& out) const {
    fault found;
    for_each_leaf(out, [&]<class T>(T& value) {
      if constexpr (std::same_as<T, std::string>) {
        const std::size_t good = utf8_prefix(bytes);
        if (good != bytes.size()) found = {fault_kind::not_utf8, good};
        value.assign(bytes);
      } else if (bytes.size() < sizeof value) {
        found = {fault_kind::truncated, bytes.size()};
      } else if (bytes.size() > sizeof value) {
        found = {fault_kind::trailing_bytes, sizeof value};
      } else {
        std::make_unsigned_t<T> bits;
        std::memcpy(&bits, bytes.data(), sizeof bits);
        value = static_cast<T>(big_end_first(bits));
      }
    });
    return found;
  }

 private:
  static_assert(std::endian::native == std::endian::little);
  [[nodiscard]] static std::uint32_t big_end_first(std::uint32_t x) noexcept { return __builtin_bswap32(x); }
  [[nodiscard]] static std::uint64_t big_end_first(std::uint64_t x) noexcept { return __builtin_bswap64(x); }
};

}  // namespace weir::inline WEIR_ABI::codec
