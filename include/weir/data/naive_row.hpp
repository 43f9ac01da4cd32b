#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The row that one writes first: a vector of variants, strings and vectors inside, a map of any; every copy is
// deep. The baseline that shows what data/row.hpp gains, and the second opinion on its results.
// Temperature: hot by its use, allocating by design.
//
//   weir::data::naive_row r(2);
//   r.set(1, "seven");

#include <algorithm>
#include <any>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/data/decimal.hpp>
#include <weir/data/row_like.hpp>
#include <weir/data/text.hpp>

namespace weir::inline WEIR_ABI::data {

class naive_row {
 public:
  using bytes = std::vector<std::byte>;
  using strings = std::vector<std::string>;
  using field =
      std::variant<std::monostate, std::int64_t, std::string, double, bool, std::int32_t, bytes, strings, decimal>;
  using option_map = std::unordered_map<std::string, std::any>;

  naive_row() = default;
  explicit naive_row(std::size_t arity) : fields_(arity) {}
  explicit naive_row(const row_fields& f) : naive_row(row_arity) {
    set(0, f.id);
    set(1, f.name);
    set(2, f.score);
    set(3, f.enabled);
    set(4, f.shard);
    set(5, f.payload);
    set(6, f.tags);
    set(7, f.amount);
    set_table(f.table);
    set_kind(f.kind);
  }

  [[nodiscard]] naive_row project(std::span<const std::uint32_t> wanted) const {
    naive_row result;
    result.fields_.reserve(wanted.size());
    for (const std::uint32_t i : wanted) result.fields_.push_back(fields_[i]);
    result.options_ = options_;
    result.table_ = table_;
    result.kind_ = kind_;
    return result;
  }

  [[nodiscard]] std::size_t arity() const noexcept { return fields_.size(); }
  [[nodiscard]] const field& at(std::size_t i) const { return fields_[i]; }

  template <class T>
  void set(std::size_t i, const T& x) {
    if constexpr (std::convertible_to<const T&, std::string_view>) {
      fields_[i] = std::string(std::string_view(x));
    } else if constexpr (std::convertible_to<const T&, std::span<const std::string_view>>) {
      const std::span<const std::string_view> texts = x;
      fields_[i] = strings(texts.begin(), texts.end());
    } else if constexpr (std::convertible_to<const T&, std::span<const std::byte>>) {
      const std::span<const std::byte> content = x;
      fields_[i] = bytes(content.begin(), content.end());
    } else {
      fields_[i] = x;
    }
  }

  [[nodiscard]] std::string_view table() const noexcept { return table_; }
  void set_table(std::string_view table) { table_ = table; }
  [[nodiscard]] row_kind kind() const noexcept { return kind_; }
  void set_kind(row_kind kind) noexcept { kind_ = kind; }

  [[nodiscard]] std::uint32_t bytes_size() const {
    if (bytes_size_ == 0) {
      for (const field& f : fields_) bytes_size_ += std::visit(size_of{}, f);
    }
    return bytes_size_;
  }

  [[nodiscard]] std::size_t option_count() const noexcept { return options_ ? options_->size() : 0; }

  template <class T>
  void set_option(std::string_view name, const T& x) {
    if (!options_) options_.emplace();
    std::any& option = (*options_)[std::string(name)];
    if constexpr (std::convertible_to<const T&, std::string_view>) {
      option = std::string(std::string_view(x));
    } else if constexpr (std::convertible_to<const T&, std::span<const std::byte>>) {
      const std::span<const std::byte> content = x;
      option = bytes(content.begin(), content.end());
    } else {
      option = x;
    }
  }

  [[nodiscard]] row_fields fields() const {
    const auto& tags = std::get<strings>(fields_[6]);
    return {.id = std::get<std::int64_t>(fields_[0]),
            .name = std::get<std::string>(fields_[1]),
            .score = std::get<double>(fields_[2]),
            .enabled = std::get<bool>(fields_[3]),
            .shard = std::get<std::int32_t>(fields_[4]),
            .payload = std::get<bytes>(fields_[5]),
            .tags = {tags[0], tags[1], tags[2]},
            .amount = std::get<decimal>(fields_[7]),
            .table = table_,
            .kind = kind_};
  }

 private:
  struct size_of {
    std::uint32_t operator()(std::monostate) const { return 0; }
    std::uint32_t operator()(std::int64_t) const { return 8; }
    std::uint32_t operator()(double) const { return 8; }
    std::uint32_t operator()(bool) const { return 1; }
    std::uint32_t operator()(std::int32_t) const { return 4; }
    std::uint32_t operator()(const decimal&) const { return 36; }
    std::uint32_t operator()(const std::string& text) const { return utf16_units(text); }
    std::uint32_t operator()(const bytes& content) const { return static_cast<std::uint32_t>(content.size()); }
    std::uint32_t operator()(const strings& texts) const {
      std::uint32_t sum = 0;
      for (const std::string& text : texts) sum += utf16_units(text);
      return sum;
    }
  };

  std::vector<field> fields_;
  std::optional<option_map> options_;
  std::string table_;
  mutable std::uint32_t bytes_size_ = 0;
  row_kind kind_ = row_kind::insert;
};

}  // namespace weir::inline WEIR_ABI::data
