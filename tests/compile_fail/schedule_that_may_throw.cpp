// expect: no operand of the disjunction is satisfied|may throw an exception|because .*noexcept
// SPDX-License-Identifier: Apache-2.0
// next() runs on the row path of the generator's thread: a schedule that may throw there is refused.
#include <weir/arrival/any_schedule.hpp>

#include <chrono>

struct own_schedule {
#ifdef WEIR_CONTROL
  std::chrono::nanoseconds next() noexcept { return {}; }
#else
  std::chrono::nanoseconds next() { return {}; }
#endif
};

weir::arrival::any_schedule erased(own_schedule{});
