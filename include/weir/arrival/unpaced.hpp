#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Every row due at once: the system sets the pace, which measures capacity and not latency. Temperature: hot.
//
//   weir::arrival::unpaced due;
//   due.next();  // 0

#include <weir/arrival/schedule.hpp>
#include <weir/base/config.hpp>

namespace weir::inline WEIR_ABI::arrival {

struct unpaced {
  static constexpr nanoseconds next() noexcept { return nanoseconds(0); }
};

static_assert(schedule<unpaced>);

}  // namespace weir::inline WEIR_ABI::arrival
