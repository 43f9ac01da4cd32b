// SPDX-License-Identifier: Apache-2.0
//
// The capacity search against brute force, on oracles that are monotone and on oracles that lie.
#include <weir/run/capacity.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <weir/base/random.hpp>
#include <weir/base/units.hpp>
#include <weir/flow/event.hpp>
#include <weir/flow/pipeline.hpp>
#include <weir/flow/stepper.hpp>
#include <weir/judge/capacity.hpp>
#include <weir/judge/verdict.hpp>
#include <weir/measure/exactly_once.hpp>

namespace {

using weir::random_bits;
using weir::run::find_capacity;
using weir::run::search_end;
using weir::run::search_result;
using weir::run::trial_outcome;

/// 1 .. most, every decade as likely.
std::uint64_t any_rate(random_bits& bits, double most) {
  return static_cast<std::uint64_t>(std::pow(most, bits.uniform()));
}

TEST(CapacitySearchAgainstBruteForce, IsRightOnEveryMonotoneOracle) {
  random_bits bits(1);
  for (int run = 0; run < 20'000; ++run) {
    const std::uint64_t lowest = any_rate(bits, 500);
    const std::uint64_t highest = lowest + any_rate(bits, 2'000) - 1;
    const std::uint64_t first = any_rate(bits, 5'000);
    const std::uint64_t capacity = lowest - 1 + bits() % (highest - lowest + 2);  // lowest - 1: none passes
    const auto oracle = [&](std::uint64_t rate, bool) {
      EXPECT_TRUE(lowest <= rate && rate <= highest);
      return rate <= capacity ? trial_outcome::passed : trial_outcome::failed;
    };
    std::uint64_t brute = 0;
    for (std::uint64_t rate = lowest; rate <= highest; ++rate)
      if (oracle(rate, false) == trial_outcome::passed) brute = rate;
    const search_result found = find_capacity(oracle, {.lowest = lowest, .highest = highest, .first = first});
    ASSERT_EQ(found.end, brute == 0         ? search_end::lowest_fails
                         : brute == highest ? search_end::highest_passes
                                            : search_end::found);
    ASSERT_LE(found.low, brute);
    ASSERT_LE(brute - found.low, found.low / 100) << lowest << ' ' << highest << ' ' << first << ' ' << capacity;
    ASSERT_GT(found.high.value_or(highest + 1), brute);
  }
}

TEST(CapacitySearchAgainstBruteForce, NeedsFewTrials) {
  random_bits bits(2);
  for (int run = 0; run < 2'000; ++run) {
    const double capacity = 1e4 + 1e7 * bits.uniform();
    const double guess = capacity * (0.7 + 0.6 * bits.uniform());  // within 30 %
    const search_result found = find_capacity(
        [&](std::uint64_t rate, bool) {
          return static_cast<double>(rate) <= capacity ? trial_outcome::passed : trial_outcome::failed;
        },
        {.first = static_cast<std::uint64_t>(guess)});
    ASSERT_LE(found.trials.size(), 12U);
  }
}

/// Off the capacity an answer is wrong once in ten; within 1 % of it, ever more often, down to a coin at the edge.
/// A longer run is wrong half as often.
class noisy {
 public:
  noisy(double capacity, std::uint64_t seed) : capacity_(capacity), bits_(seed) {}

  trial_outcome operator()(std::uint64_t rate, bool longer) {
    const double off = std::fabs(static_cast<double>(rate) / capacity_ - 1);
    const double wrong = std::max(longer ? 0.05 : 0.1, 0.5 - 50 * off);
    const bool passes = (static_cast<double>(rate) <= capacity_) != (bits_.uniform() < wrong);
    return passes ? trial_outcome::passed : trial_outcome::failed;
  }

 private:
  double capacity_;
  random_bits bits_;
};

// Brute force over the same noise: the capacity that 100 answers a rate, taken together, show.
TEST(CapacitySearchAgainstBruteForce, StandsNoise) {
  random_bits bits(3);
  int near = 0;
  constexpr int runs = 2'000;
  for (int run = 0; run < runs; ++run) {
    const double capacity = 1e4 + 1e6 * bits.uniform();
    const double guess = capacity * std::exp(2 * bits.uniform() - 1);
    const search_result found = find_capacity(noisy(capacity, bits()), {.first = static_cast<std::uint64_t>(guess)});
    near += std::fabs(static_cast<double>(found.low) / capacity - 1) < 0.03;
  }
  EXPECT_GE(near, runs * 98 / 100);
}

/// A server that takes as long for each event as it is told.
struct fixed_service {
  std::chrono::nanoseconds time;
  void operator()(weir::flow::event&) const noexcept {}
  [[nodiscard]] std::chrono::nanoseconds service_time(const weir::flow::event&) const noexcept { return time; }
};

weir::judge::verdict virtual_run(std::uint64_t rate, std::uint64_t seconds, std::chrono::nanoseconds service) {
  weir::flow::pipeline plan;
  plan.run_id = "virtual-1-1";
  plan.asked = {.offered = weir::rate::per_second(rate), .rows = rate * seconds, .parallelism = 2};
  plan.expected.rows = weir::measure::exactly_once::expected(plan.asked.rows);
  return weir::judge::assess(weir::flow::step(plan, fixed_service{service}).sample);
}

// Two lanes with one server each: capacity is 2 / service time, exactly.
TEST(CapacitySearchInVirtualTime, FindsTheKnownCapacityWithinTwoPercent) {
  for (const double capacity : {2'000.0, 30'000.0}) {
    const std::chrono::nanoseconds service(std::llround(2e9 / capacity));
    const search_result found = find_capacity(
        [&](std::uint64_t rate, bool longer) {
          switch (virtual_run(rate, longer ? 4 : 2, service).state) {
            case weir::judge::outcome::valid:
              return trial_outcome::passed;
            case weir::judge::outcome::invalid:
              return trial_outcome::failed;
            case weir::judge::outcome::inconclusive:
              break;
          }
          return trial_outcome::inconclusive;
        },
        {.first = 10'000});
    EXPECT_EQ(found.end, search_end::found);
    EXPECT_NEAR(static_cast<double>(found.low), capacity, 0.02 * capacity);
  }
}

}  // namespace
