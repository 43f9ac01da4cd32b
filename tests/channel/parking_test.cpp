// SPDX-License-Identifier: Apache-2.0
#include <weir/channel/parking.hpp>

#include <atomic>
#include <cstdint>
#include <thread>

#include <gtest/gtest.h>

#include <weir/base/os.hpp>

namespace {

using weir::channel::parking_spot;
using weir::channel::patience_for;

TEST(Patience, NeverPausesWhereCoresAreFew) {
  EXPECT_EQ(patience_for(1).pauses, 0U);
  EXPECT_EQ(patience_for(2).pauses, 0U);
  EXPECT_GT(patience_for(2).yields, 0U);
  EXPECT_GT(patience_for(3).pauses, 0U);
}

TEST(ParkingSpot, DoesNotSleepWhenThereIsNewsAlready) {
  parking_spot spot;
  spot.park([] { return true; });
  EXPECT_EQ(spot.parks(), 0U);
  EXPECT_FALSE(spot.occupied());
}

TEST(ParkingSpot, IsOccupiedBeforeItLooksForNews) {
  parking_spot spot;
  bool occupied = false;
  spot.park([&] { return occupied = spot.occupied(); });
  EXPECT_TRUE(occupied);
}

TEST(ParkingSpot, WakeBetweenTheLookAndTheSleepIsKept) {
  parking_spot spot;
  spot.park([&] {
    spot.wake();
    return false;
  });
  EXPECT_EQ(spot.parks(), 1U);
}

TEST(ParkingSpot, WakesItsSleeper) {
  parking_spot spot;
  std::atomic<bool> news{false};
  std::thread sleeper([&] {
    while (!news.load()) spot.park([&] { return news.load(); });
  });
  while (spot.parks() == 0) weir::os::yield();
  news.store(true);
  if (spot.occupied()) spot.wake();
  sleeper.join();
  EXPECT_FALSE(spot.occupied());
}

// Each turn either side may be the one that sleeps: a lost wake-up is a test that does not end.
TEST(ParkingSpot, LosesNoWakeUpInAPingPong) {
  constexpr std::uint32_t turns = 4000;
  parking_spot here;
  parking_spot there;
  std::atomic<std::uint32_t> ball{0};
  const auto play = [&](parking_spot& mine, parking_spot& other, std::uint32_t first) {
    for (std::uint32_t turn = first; turn < turns; turn += 2) {
      while (ball.load() != turn) mine.park([&] { return ball.load() == turn; });
      ball.store(turn + 1);
      if (other.occupied()) other.wake();
    }
  };
  std::thread odd([&] { play(there, here, 1); });
  play(here, there, 0);
  odd.join();
  EXPECT_EQ(ball.load(), turns);
}

}  // namespace
