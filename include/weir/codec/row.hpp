#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Between records and weir's rows: a field a value, those of nested records in place. Temperature: hot.
//
//   data::row r = codec::to_row(record);
//   codec::from_row(r, record);

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <weir/base/config.hpp>
#include <weir/codec/record.hpp>
#include <weir/data/row.hpp>

namespace weir::inline WEIR_ABI::codec {

template <described R>
[[nodiscard]] data::row to_row(const R& r) {
  std::size_t arity = 0;
  std::size_t bytes = 0;
  for_each_leaf(r, [&]<class T>(const T& value) {
    ++arity;
    if constexpr (std::same_as<T, std::string>) bytes += value.size();
  });
  data::row to(arity, bytes);
  std::size_t i = 0;
  for_each_leaf(r, [&]<class T>(const T& value) {
    if constexpr (std::same_as<T, std::string>)
      to.set(i++, std::string_view(value));
    else
      to.set(i++, value);
  });
  return to;
}

/// Requires: the row is to_row() of an R, or made like one.
template <described R>
void from_row(const data::row& from, R& to) {
  std::size_t i = 0;
  for_each_leaf(to, [&]<class T>(T& value) {
    const data::value v = from.at(i++);
    if constexpr (std::same_as<T, std::string>)
      value.assign(v.as_string());
    else if constexpr (std::same_as<T, std::int64_t>)
      value = v.as_int64();
    else
      value = v.as_int32();
  });
}

}  // namespace weir::inline WEIR_ABI::codec
