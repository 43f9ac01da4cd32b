// SPDX-License-Identifier: Apache-2.0
#include <weir/base/error.hpp>

#include <stdexcept>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

namespace {

static_assert(std::is_base_of_v<std::runtime_error, weir::error>);

TEST(Error, SaysRuleFieldAndText) {
  try {
    weir::detail::raise("job.rate_not_positive", "/source/rate", "-3: give a rate above 0");
    FAIL() << "raise() returned";
  } catch (const weir::error& e) {
    EXPECT_STREQ(e.what(), "[weir.job.rate_not_positive] /source/rate: -3: give a rate above 0");
    EXPECT_EQ(e.id(), "job.rate_not_positive");
    EXPECT_EQ(e.where(), "/source/rate");
  }
}

}  // namespace
