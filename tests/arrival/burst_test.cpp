// SPDX-License-Identifier: Apache-2.0
#include <weir/arrival/burst.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using weir::rate;
using weir::uint128;
using weir::arrival::groups;
using weir::arrival::on_off;

template <class S>
std::vector<nanoseconds> first(S due, std::size_t rows) {
  std::vector<nanoseconds> all(rows);
  for (auto& row : all) row = due.next();
  return all;
}

TEST(Groups, AreDueTogetherAtTheTimeOfTheirFirstRow) {
  EXPECT_EQ(first(groups(rate::per_second(3), 2), 7),
            (std::vector<nanoseconds>{0ns, 0ns, 666'666'666ns, 666'666'666ns, 1'333'333'333ns, 1'333'333'333ns, 2s}));
  EXPECT_EQ(first(groups(rate::per_second(1'000), 1), 3), (std::vector<nanoseconds>{0ms, 1ms, 2ms}));
}

TEST(Groups, DoNotDrift) {
  for (const std::uint64_t size : {3U, 16U, 1'000U}) {
    const rate mean = rate::per_second(7'000'000);
    groups due(mean, size);
    std::uint64_t wrong = 0;
    for (std::uint64_t n = 0; n < 100'000; ++n) wrong += due.next() != mean.time_of(n / size * size);
    EXPECT_EQ(wrong, 0U) << size;
  }
}

TEST(OnOff, DrawsTheRowsOfACycleTogether) {
  const auto due = first(on_off(rate::per_second(40), {25ms, 75ms}), 10);  // 4 rows a cycle of 100 ms, 6.25 ms apart
  EXPECT_EQ(due, (std::vector<nanoseconds>{0ns, 6'250us, 12'500us, 18'750us, 100ms, 106'250us, 112'500us, 118'750us,
                                           200ms, 206'250us}));
}

TEST(OnOff, WithoutAPauseIsConstant) {
  on_off due(rate::per_second(700'000), {10ms, 0ms});
  for (std::uint64_t n = 0; n < 10'000; ++n) ASSERT_EQ(due.next(), rate::per_second(700'000).time_of(n));
}

// By definition row n is due when n / rate * on / (on + off) of on-time has passed.
TEST(OnOff, IsWithinANanosecondOfItsDefinition) {
  const rate mean = rate::per_second(600'011);
  constexpr nanoseconds on = 7'919'001ns;
  constexpr nanoseconds cycle = on + 104'729'003ns;
  on_off due(mean, {on, cycle - on});
  std::uint64_t wrong = 0;
  for (std::uint64_t n = 0; n < 300'000; ++n) {
    const auto exact =
        static_cast<std::int64_t>(static_cast<uint128>(n) * 1'000'000'000 * static_cast<std::uint64_t>(on.count()) /
                                  mean.events / static_cast<std::uint64_t>(cycle.count()));
    const nanoseconds next = due.next();
    const std::int64_t off_by = exact - (next / cycle * on + next % cycle).count();
    wrong += off_by < 0 || off_by > 1;
  }
  EXPECT_EQ(wrong, 0U);
}

TEST(OnOff, IsSilentWhileOffAlsoWhenRowsAreRarerThanCycles) {
  for (const std::uint64_t per_second : {7U, 1'000U, 999'983U}) {
    on_off due(rate::per_second(per_second), {3ms, 17ms});
    nanoseconds before{};
    for (int n = 0; n < 20'000; ++n) {
      const nanoseconds next = due.next();
      ASSERT_LT(next % 20ms, 3ms);
      ASSERT_GE(next, before);
      before = next;
    }
  }
}

TEST(OnOff, KeepsTheMeanRate) {
  on_off due(rate::per_second(600'000), {10ms, 90ms});
  nanoseconds last{};
  for (std::uint64_t n = 0; n <= 600'000; ++n) last = due.next();
  EXPECT_EQ(last, 1s);
}

#if WEIR_CHECKS
TEST(BurstDeathTest, RefuseWhatHasNoRows) {
  EXPECT_DEATH(groups(rate::per_second(1), 0), "weir.expects");
  EXPECT_DEATH(groups(rate{}, 1), "weir.expects.*paced");
  EXPECT_DEATH(on_off(rate::per_second(1), {0ns, 1ns}), "weir.expects.*on");
}
#endif

}  // namespace
