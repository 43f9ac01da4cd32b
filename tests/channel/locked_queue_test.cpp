// SPDX-License-Identifier: Apache-2.0
#include <weir/channel/locked_queue.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <weir/base/error.hpp>

namespace {

using weir::channel::full_policy;
using weir::channel::locked_queue;
using weir::channel::outcome;
using bytes = std::vector<std::byte>;

bytes message(unsigned n) { return bytes(3, static_cast<std::byte>(n)); }

unsigned next_in(locked_queue& q) {
  bytes room(8);
  const auto got = q.receive(room);
  return got.what == outcome::done ? static_cast<unsigned>(room[0]) : 1000U;
}

TEST(LockedQueue, FollowsItsFullPolicy) {
  locked_queue newest({.depth = 2, .full = full_policy::drop_newest});
  locked_queue oldest({.depth = 2, .full = full_policy::drop_oldest});
  for (unsigned i = 0; i < 5; ++i) {
    EXPECT_EQ(newest.send(message(i)), i < 2 ? outcome::done : outcome::dropped);
    EXPECT_EQ(oldest.send(message(i)), outcome::done);
  }
  EXPECT_EQ(next_in(newest), 0U);
  EXPECT_EQ(next_in(oldest), 3U);
  EXPECT_EQ(newest.counts().dropped, 3U);
  EXPECT_EQ(oldest.counts().dropped, 3U);
  EXPECT_EQ(newest.counts().sent, 5U);
  EXPECT_EQ(oldest.counts().sent, 5U);
}

TEST(LockedQueue, TriesWithoutCountingADrop) {
  locked_queue q({.depth = 1});
  EXPECT_EQ(q.try_send(message(1)), outcome::done);
  EXPECT_EQ(q.try_send(message(2)), outcome::full);
  EXPECT_EQ(q.counts().sent, 1U);
  EXPECT_EQ(q.counts().dropped, 0U);
}

TEST(LockedQueue, RefusesWhatDoesNotFit) {
  locked_queue q({.depth = 2, .largest = 3});
  EXPECT_EQ(q.send(bytes(4)), outcome::too_big);
  EXPECT_EQ(q.send(message(9)), outcome::done);
  bytes room(2);
  EXPECT_EQ(q.receive(room).what, outcome::too_big);
  EXPECT_EQ(next_in(q), 9U);
}

TEST(LockedQueue, CarriesEveryMessageBetweenThreadsAndLosesNothingWhenClosed) {
  locked_queue q({.depth = 4});
  std::thread sender([&] {
    for (unsigned i = 0; i < 1000; ++i) EXPECT_EQ(q.send(message(i % 200)), outcome::done);
    q.close();
  });
  for (unsigned i = 0; i < 1000; ++i) ASSERT_EQ(next_in(q), i % 200);
  EXPECT_EQ(next_in(q), 1000U);
  sender.join();
  EXPECT_EQ(q.send(message(1)), outcome::closed);
}

TEST(LockedQueue, RefusesADepthOfNothing) { EXPECT_THROW(locked_queue q({.depth = 0}), weir::error); }

}  // namespace
