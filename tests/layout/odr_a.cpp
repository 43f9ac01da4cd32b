// SPDX-License-Identifier: Apache-2.0
// With odr_b.cpp: two translation units that include everything link into one program.
#include <weir/weir.hpp>
#if WITH_GBENCH
#include <weir/gbench.hpp>
#endif

const void* address_in_b();

int main() {
  // One entity in both units: an inline constant has one address in the program.
  return &weir::cache_line == address_in_b() ? 0 : 1;
}
