#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Avro by Apache's own C library, through its generic values: by a schema that is read at run time. Temperature: hot.
//
// The library does not say where bytes broke, so that a refusal is looked up with weir's decoder of the same format,
// which is not timed.

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include <avro.h>

#include <weir/codec/avro.hpp>
#include <weir/codec/buffer.hpp>
#include <weir/codec/fault.hpp>
#include <weir/codec/framing.hpp>
#include <weir/codec/record.hpp>
#include <weir/codec/utf8.hpp>

namespace reference {

class avro_c {
 public:
  explicit avro_c(const weir::codec::shape& shape, weir::codec::framing frame = weir::codec::framing::schema(1))
      : frame_(frame) {
    [[maybe_unused]] static const bool once = (avro_set_allocator(bounded, nullptr), true);
    const std::string text = schema_of(shape, "Record");
    avro_schema_t schema = nullptr;
    if (avro_schema_from_json_length(text.data(), text.size(), &schema) != 0) std::abort();
    avro_value_iface_t* const kind = avro_generic_class_from_schema(schema);
    avro_generic_value_new(kind, &value_);
    avro_value_iface_decref(kind);
    avro_schema_decref(schema);
    reader_ = avro_reader_memory(nullptr, 0);
    writer_ = avro_writer_memory(nullptr, 0);
  }
  avro_c(avro_c&& other) noexcept
      : frame_(other.frame_),
        value_(std::exchange(other.value_, {})),
        reader_(std::exchange(other.reader_, nullptr)),
        writer_(std::exchange(other.writer_, nullptr)) {}
  avro_c& operator=(avro_c&& other) noexcept {
    std::swap(frame_, other.frame_);
    std::swap(value_, other.value_);
    std::swap(reader_, other.reader_);
    std::swap(writer_, other.writer_);
    return *this;
  }
  ~avro_c() {
    if (reader_ == nullptr) return;
    avro_value_decref(&value_);
    avro_reader_free(reader_);
    avro_writer_free(writer_);
  }

  [[nodiscard]] std::string_view name() const noexcept { return "Avro-c"; }
  [[nodiscard]] weir::codec::framing frame() const noexcept { return frame_; }

  template <weir::codec::record R>
  void serialize(const R& in, weir::codec::buffer& out) {
    avro_value_reset(&value_);
    fill(value_, in);
    for (std::size_t room = 512;; room *= 4) {
      char* const start = out.grow(frame_.size() + room);
      char* const to = frame_.write(start);
      avro_writer_memory_set_dest(writer_, to, static_cast<std::int64_t>(room));
      if (avro_value_write(writer_, &value_) == 0) return out.end_at(to + avro_writer_tell(writer_));
    }
  }

  template <weir::codec::record R>
  weir::codec::fault deserialize(std::string_view bytes, R& out) {
    if (const weir::codec::fault f = frame_.check(bytes)) return f;
    avro_reader_memory_set_source(reader_, bytes.data() + frame_.size(),
                                  static_cast<std::int64_t>(bytes.size() - frame_.size()));
    avro_value_reset(&value_);
    most_at_once() = 4096 + bytes.size();  // its own records need less than 4 KiB
    const bool decoded = avro_value_read(reader_, &value_) == 0;
    most_at_once() = ~std::size_t{0};
    std::size_t size = frame_.size();  // of the values found: the library does not say how much it has read
    if (decoded && take(value_, out, size) && size == bytes.size()) return {};
    return weir::codec::avro(frame_).deserialize(bytes, out);
  }

 private:
  /// The library allocates what a length in its input says before it looks whether so much is there, and loses that
  /// block when it is not: no more than the input explains, then.
  static void* bounded(void*, void* old, std::size_t, std::size_t size) {
    if (size == 0) {
      std::free(old);
      return nullptr;
    }
    return size > most_at_once() ? nullptr : std::realloc(old, size);
  }
  static std::size_t& most_at_once() noexcept {
    static thread_local std::size_t most = ~std::size_t{0};
    return most;
  }

  static std::string schema_of(const weir::codec::shape& s, const std::string& name) {
    std::string text = R"({"type":"record","name":")" + name + R"(","fields":[)";
    for (const auto& column : s.columns) {
      if (text.back() != '[') text += ',';
      text += R"({"name":")" + column.name + R"(","type":["null",)";
      switch (column.type) {
        case weir::codec::shape::kind::int64:
          text += R"("long")";
          break;
        case weir::codec::shape::kind::int32:
          text += R"("int")";
          break;
        case weir::codec::shape::kind::text:
          text += R"("string")";
          break;
        case weir::codec::shape::kind::record:
          text += schema_of(column.nested.front(), name + "_" + column.name);
      }
      text += "]}";
    }
    return text + "]}";
  }

  template <weir::codec::record R>
  static void fill(avro_value_t& to, const R& in) {
    std::size_t i = 0;
    for_each_field(in, [&]<class T>(std::string_view, const T& value) {
      avro_value_t column, branch;
      avro_value_get_by_index(&to, i++, &column, nullptr);
      avro_value_set_branch(&column, 1, &branch);
      if constexpr (std::same_as<T, std::int64_t>)
        avro_value_set_long(&branch, value);
      else if constexpr (std::same_as<T, std::int32_t>)
        avro_value_set_int(&branch, value);
      else if constexpr (std::same_as<T, std::string>)
        avro_value_set_string_len(&branch, const_cast<char*>(value.data()), value.size() + 1);
      else
        fill(branch, value);
      return true;
    });
  }

  template <weir::codec::record R>
  static bool take(const avro_value_t& from, R& out, std::size_t& bytes) {
    std::size_t i = 0;
    return for_each_field(out, [&]<class T>(std::string_view, T& value) {
      avro_value_t column, branch;
      int which = 0;
      if (avro_value_get_by_index(&from, i++, &column, nullptr) != 0) return false;
      if (avro_value_get_discriminant(&column, &which) != 0 || which != 1) return false;
      if (avro_value_get_current_branch(&column, &branch) != 0) return false;
      ++bytes;  // the branch
      if constexpr (std::same_as<T, std::int64_t>) {
        if (avro_value_get_long(&branch, &value) != 0) return false;
        bytes += varint_size(value);
        return true;
      } else if constexpr (std::same_as<T, std::int32_t>) {
        if (avro_value_get_int(&branch, &value) != 0) return false;
        bytes += varint_size(value);
        return true;
      } else if constexpr (std::same_as<T, std::string>) {
        const char* text = nullptr;
        std::size_t size = 0;  // the zero at the end counts
        if (avro_value_get_string(&branch, &text, &size) != 0 || size == 0) return false;
        value.assign(text, size - 1);
        bytes += varint_size(static_cast<std::int64_t>(size - 1)) + size - 1;
        return weir::codec::utf8_prefix(value) == value.size();
      } else {
        return take(branch, value, bytes);
      }
    });
  }

  [[nodiscard]] static std::size_t varint_size(std::int64_t x) noexcept {
    return (static_cast<std::size_t>(std::bit_width(weir::codec::detail::zigzag(x) | 1)) + 6) / 7;
  }

  weir::codec::framing frame_;
  avro_value_t value_{};
  avro_reader_t reader_ = nullptr;
  avro_writer_t writer_ = nullptr;
};

}  // namespace reference
