// expect: bytes_size
// SPDX-License-Identifier: Apache-2.0
// The compiler names what a row type of one's own still lacks.
#include <weir/data/row_like.hpp>

#include <cstdint>

struct own_row {
  explicit own_row(const weir::data::row_fields& fields) : fields_(fields) {}
  weir::data::row_fields fields() const { return fields_; }
#ifdef WEIR_CONTROL
  std::uint32_t bytes_size() const { return 0; }
#endif
  weir::data::row_fields fields_;
};

static_assert(weir::data::row_like<own_row>);
