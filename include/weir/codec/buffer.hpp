#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Where codecs write: bytes that grow, are not zeroed first, and keep their memory when cleared. Temperature: hot.
//
//   char* p = out.grow(9 + text.size());  // at least so much room behind what is there
//   ...                                   // written through p
//   out.end_at(p);

#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include <weir/base/config.hpp>
#include <weir/base/expects.hpp>

namespace weir::inline WEIR_ABI::codec {

class buffer {
 public:
  [[nodiscard]] std::string_view view() const noexcept { return {bytes_.get(), size_}; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Forgets the bytes and keeps the memory.
  void clear() noexcept { size_ = 0; }

  /// Room for n more bytes.  Returns: where they begin; end_at() says where they ended.
  [[nodiscard]] char* grow(std::size_t n) {
    if (capacity_ - size_ < n) [[unlikely]]
      move_to(size_ == 0 ? n : 2 * (size_ + n));
    return bytes_.get() + size_;
  }

  /// Requires: end is inside the room that grow() gave last.
  void end_at(const char* end) noexcept {
    WEIR_EXPECTS(end >= bytes_.get() && end <= bytes_.get() + capacity_);
    size_ = static_cast<std::size_t>(end - bytes_.get());
  }

  void append(std::string_view bytes) {
    char* const to = grow(bytes.size());
    if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
    size_ += bytes.size();
  }

 private:
  void move_to(std::size_t capacity) {
    std::unique_ptr<char[]> wider(new char[capacity]);
    if (size_ != 0) std::memcpy(wider.get(), bytes_.get(), size_);
    bytes_ = std::move(wider);
    capacity_ = capacity;
  }

  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace weir::inline WEIR_ABI::codec
