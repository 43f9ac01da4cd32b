// SPDX-License-Identifier: Apache-2.0
#include <weir/arrival/schedule.hpp>

#include <chrono>

#include <gtest/gtest.h>

namespace {

using std::chrono::nanoseconds;
using weir::arrival::schedule;

struct throwing {
  nanoseconds next();
};
struct in_milliseconds {
  std::chrono::milliseconds next() noexcept;
};
struct pinned {
  pinned(pinned&&) = delete;
  nanoseconds next() noexcept;
};

TEST(Schedule, AsksForNanosecondsThatCannotFail) {
  static_assert(!schedule<throwing>);
  static_assert(!schedule<in_milliseconds>);
  static_assert(!schedule<pinned>);
  static_assert(!schedule<int>);
}

}  // namespace
