// SPDX-License-Identifier: Apache-2.0
#include <weir/run/probe.hpp>

#include <chrono>
#include <optional>

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using weir::run::core_round_trip;
using weir::run::moved;

TEST(CoreProbe, TripIsSomethingThatTheSchedulerDidNotMake) {
  if (const auto trip = core_round_trip()) {
    EXPECT_GT(*trip, 0ns);
    EXPECT_LE(*trip, 2us);
  }
}

TEST(CoreProbe, NamesCoresThatMovedApartOrTogether) {
  const auto apart = moved(54ns, 330ns);
  ASSERT_TRUE(apart);
  EXPECT_NE(apart->find("54 ns before"), std::string::npos) << *apart;
  EXPECT_NE(apart->find("330 ns after"), std::string::npos) << *apart;
  EXPECT_TRUE(moved(330ns, 54ns));
}

TEST(CoreProbe, SaysNothingOfWhatItCannotTell) {
  EXPECT_FALSE(moved(54ns, 108ns)) << "a factor of 2 is no move";
  EXPECT_FALSE(moved(std::nullopt, 330ns));
  EXPECT_FALSE(moved(54ns, std::nullopt));
}

}  // namespace
