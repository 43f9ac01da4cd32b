#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Delimited by libcsv, which quotes every value that it writes and pushes those that it reads. Temperature: hot.
//
// The library does not say where bytes broke, so that a refusal is looked up with weir's decoder of the same format,
// which is not timed.

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <csv.h>

#include <weir/codec/buffer.hpp>
#include <weir/codec/delimited.hpp>
#include <weir/codec/fault.hpp>
#include <weir/codec/framing.hpp>
#include <weir/codec/record.hpp>
#include <weir/codec/utf8.hpp>

namespace reference {

class libcsv {
 public:
  libcsv() { csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI | CSV_EMPTY_IS_NULL); }
  libcsv(libcsv&& other) noexcept : parser_(other.parser_), columns_(std::move(other.columns_)) {
    csv_init(&other.parser_, 0);
  }
  libcsv& operator=(libcsv&& other) noexcept {
    std::swap(parser_, other.parser_);
    std::swap(columns_, other.columns_);
    return *this;
  }
  ~libcsv() { csv_free(&parser_); }

  [[nodiscard]] std::string_view name() const noexcept { return "Delimited-libcsv"; }
  [[nodiscard]] weir::codec::framing frame() const noexcept { return weir::codec::framing::none(); }
  [[nodiscard]] static std::string_view refusal(const weir::codec::shape& s) noexcept {
    return weir::codec::delimited::refusal(s);
  }

  template <weir::codec::record R>
  void serialize(const R& in, weir::codec::buffer& out) const {
    bool first = true;
    for_each_leaf(in, [&]<class T>(const T& value) {
      std::string_view text;
      std::array<char, 24> digits;
      if constexpr (std::same_as<T, std::string>) {
        text = value;
      } else {
        char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
        text = {digits.data(), static_cast<std::size_t>(end - digits.data())};
      }
      if (!std::exchange(first, false)) out.append(",");
      const std::size_t most = 2 * text.size() + 2;
      char* const to = out.grow(most);
      out.end_at(to + csv_write(to, most, text.data(), text.size()));
    });
  }

  template <weir::codec::record R>
  weir::codec::fault deserialize(std::string_view bytes, R& out) {
    columns_.clear();
    rows_ = 0;
    const bool parsed = csv_parse(&parser_, bytes.data(), bytes.size(), on_column, on_row, this) == bytes.size();
    const bool ended = csv_fini(&parser_, on_column, on_row, this) == 0;
    std::size_t next = 0;
    bool good = parsed && ended && rows_ == 1;
    for_each_leaf(out, [&](auto& value) { good = good && next < columns_.size() && read(columns_[next++], value); });
    if (good && next == columns_.size()) return {};
    const weir::codec::fault f = weir::codec::delimited().deserialize(bytes, out);
    return f ? f : weir::codec::fault{weir::codec::fault_kind::bad_syntax, 0};
  }

 private:
  static void on_column(void* text, std::size_t size, void* self) {
    auto& columns = static_cast<libcsv*>(self)->columns_;
    columns.emplace_back(text == nullptr ? std::string() : std::string(static_cast<const char*>(text), size));
  }
  static void on_row(int, void* self) { ++static_cast<libcsv*>(self)->rows_; }

  static bool read(const std::string& text, std::string& to) {
    to = text;
    return weir::codec::utf8_prefix(to) == to.size();
  }
  template <class Number>
  static bool read(const std::string& text, Number& to) {
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), to);
    return failed == std::errc{} && end == text.data() + text.size() && !text.empty();
  }

  csv_parser parser_{};
  std::vector<std::string> columns_;
  int rows_ = 0;
};

}  // namespace reference
