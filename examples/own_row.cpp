// SPDX-License-Identifier: Apache-2.0
//
// A row type of your own in the row suite: a constructor, fields() and bytes_size() give copyPlainRow, readFields,
// getBytesSizeCached and createRowAndGetBytesSize. Add project(), set_option() or set() for the others
// (weir/data/row_like.hpp). Each operation is checked on 1024 rows before it is timed.
//
//   own_row --benchmark_repetitions=9

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <weir/data/numbered_row.hpp>
#include <weir/data/row_like.hpp>
#include <weir/gbench/main.hpp>
#include <weir/gbench/row_suite.hpp>

namespace {

// [own_row]
struct my_row {
  explicit my_row(const weir::data::row_fields& f)
      : plain(f), name(f.name), table(f.table), payload(f.payload.begin(), f.payload.end()) {
    for (std::size_t i = 0; i < 3; ++i) tags[i] = f.tags[i];
  }

  weir::data::row_fields fields() const {
    weir::data::row_fields f = plain;  // the numbers; the views are set to this row's own bytes
    f.name = name;
    f.table = table;
    f.payload = payload;
    f.tags = {tags[0], tags[1], tags[2]};
    return f;
  }

  std::uint32_t bytes_size() const { return weir::data::bytes_size_of(fields()); }

  weir::data::row_fields plain;
  std::string name, table, tags[3];
  std::vector<std::byte> payload;
};

const bool registered = weir::gbench::register_row_suite<my_row>("my_row");
// [/own_row]

}  // namespace

WEIR_MAIN()
