// SPDX-License-Identifier: Apache-2.0
// The other half of odr_a.cpp.
#include <weir/weir.hpp>
#if WITH_GBENCH
#include <weir/gbench.hpp>
#endif

const void* address_in_b();

const void* address_in_b() { return &weir::cache_line; }
