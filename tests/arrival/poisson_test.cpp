// SPDX-License-Identifier: Apache-2.0
#include <weir/arrival/poisson.hpp>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <weir/arrival/exponential.hpp>

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using weir::rate;
using weir::arrival::exponential;
using weir::arrival::poisson;

std::vector<nanoseconds> first(poisson due, std::size_t rows) {
  std::vector<nanoseconds> all(rows);
  for (auto& row : all) row = due.next();
  return all;
}

// By a model in Python with fractions, nothing rounded but the due time itself.
TEST(PoissonSchedule, GivesTheGoldenTimes) {
  const auto fast = first({rate::per_second(600'000), 1}, 1'000);
  EXPECT_EQ(std::vector(fast.begin(), fast.begin() + 5), (std::vector{2318ns, 7452ns, 7529ns, 8301ns, 10321ns}));
  EXPECT_EQ(fast.back(), 1'661'532ns);
  const auto slow = first({rate::per_second(3), 42}, 1'000);
  EXPECT_EQ(std::vector(slow.begin(), slow.begin() + 5),
            (std::vector{27'954'323ns, 254'635'460ns, 585'236'765ns, 1'015'462'686ns, 1'122'599'897ns}));
  EXPECT_EQ(slow.back(), 310'569'699'196ns);
}

TEST(PoissonSchedule, AnotherSeedGivesOtherTimes) {
  EXPECT_EQ(first({rate::per_second(1'000), 5}, 100), first({rate::per_second(1'000), 5}, 100));
  EXPECT_NE(first({rate::per_second(1'000), 5}, 100), first({rate::per_second(1'000), 6}, 100));
}

// The sum of the draws, scaled at the end, is what a million rounded gaps would miss by 0.5 ms.
TEST(PoissonSchedule, DoesNotDrift) {
  for (const std::uint64_t events : {60'000U, 700'000U, 7'000'000U, 999'999'999U}) {
    poisson due(rate::per_second(events), 11);
    exponential draw(11);
    weir::uint128 sum = 0;
    std::uint64_t wrong = 0;
    for (int n = 0; n < 100'000; ++n) {
      sum += draw.next();
      // below 2^58 * 10^5 * 10^9 = 2^105
      const auto exact = static_cast<std::int64_t>((sum * 1'000'000'000 / events) >> exponential::places);
      const auto off = exact - due.next().count();
      wrong += off < 0 || off > 1;
    }
    EXPECT_EQ(wrong, 0U) << events;
  }
}

// The last of n rows is due at n gaps +- sqrt(n) of them.
TEST(PoissonSchedule, KeepsTheRateWithinItsOwnChance) {
  constexpr std::uint64_t n = 200'000;
  const rate rates[] = {rate::per_second(1),
                        rate::per_second(600'000),
                        rate::per_second(1'000'000'000),
                        {.events = 7, .per = 11s},
                        {.events = 1, .per = 1h},
                        {.events = std::numeric_limits<std::uint64_t>::max(), .per = nanoseconds::max()}};
  for (const rate& every : rates) {
    poisson due(every, 3);
    nanoseconds last{};
    for (std::uint64_t i = 0; i < n; ++i) last = due.next();
    const double gaps = static_cast<double>(last.count()) / 1e9 * every.per_s();
    EXPECT_NEAR(gaps, n, 4 * std::sqrt(n)) << every.events;
  }
}

TEST(PoissonSchedule, NeverDecreasesAndStaysAtTheEndOfTime) {
  poisson due({.events = 1, .per = 24h * 36'525}, 1);
  nanoseconds before{};
  for (int n = 0; n < 100; ++n) {
    const nanoseconds next = due.next();
    ASSERT_GE(next, before);
    before = next;
  }
  EXPECT_EQ(before, nanoseconds::max());
}

#if WEIR_CHECKS
TEST(PoissonScheduleDeathTest, RefusesARateWithoutAPace) {
  EXPECT_DEATH(poisson(rate{}, 1), "weir.expects.*paced");
  EXPECT_DEATH(poisson({.events = 1, .per = 0s}, 1), "weir.expects.*per");
}
#endif

}  // namespace
