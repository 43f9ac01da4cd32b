// SPDX-License-Identifier: Apache-2.0
#include <weir/run/experiment.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weir/clock/manual.hpp>

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using weir::record::fork;
using weir::record::run_record;
using weir::run::experiment;
using weir::run::progress;
using weir::run::slot;

/// Forks of 1 s each on virtual time; unit u takes (u + 1) s.
struct bench {
  weir::clock::manual clock;
  run_record record;
  experiment how;
  std::vector<slot> ran;
  std::vector<std::uint64_t> seeds;
  std::vector<progress> shown;
  std::vector<std::size_t> looks;  // forks that there were when the precision was asked for

  explicit bench(std::uint32_t units, std::uint32_t variants, std::uint32_t forks) {
    record.seed = 7;
    record.budget.forks = forks;
    for (std::uint32_t u = 0; u < units; ++u)
      for (std::uint32_t v = 0; v < variants; ++v)
        record.benchmarks.push_back({.name = "b" + std::to_string(u), .variant = std::to_string(v), .forks = {}});
    how.variants = variants;
    how.trial = [this](const slot& s, std::uint64_t seed) {
      ran.push_back(s);
      seeds.push_back(seed);
      clock.advance((s.unit + 1) * 1s);
      fork f;
      f.iterations.push_back({.operations = s.unit, .real_ns = s.variant * 1.0, .cpu_ns = 0, .counters = {}});
      return f;
    };
    how.after_each = [this](const run_record&, const progress& p) { shown.push_back(p); };
  }
  bench(const bench&) = delete;
  bench& operator=(const bench&) = delete;

  void conduct() { weir::run::conduct(how, record, clock); }
  [[nodiscard]] std::size_t blocks() const { return ran.empty() ? 0 : ran.back().block + 1; }
  /// Precise from that many looks on.
  void precise_at_look(std::size_t n) {
    how.precise = [this, n](const run_record&) {
      looks.push_back(ran.size());
      return looks.size() >= n;
    };
  }
};

TEST(Experiment, RunsTheBudgetInTheOrderOfThePlan) {
  bench b(3, 2, 4);
  b.conduct();
  EXPECT_EQ(b.ran, weir::run::plan(3, 2, 4, 7));
  EXPECT_EQ(b.record.ended_by, "budget");
  EXPECT_TRUE(b.record.complete());
  EXPECT_EQ(b.record.took, 4 * 2 * (1 + 2 + 3) * 1s);
}

TEST(Experiment, EachForkStandsUnderItsBenchmarkWithItsPlace) {
  bench b(3, 2, 4);
  b.conduct();
  std::set<std::uint32_t> places;
  for (std::size_t i = 0; i < b.record.benchmarks.size(); ++i) {
    const auto& forks = b.record.benchmarks[i].forks;
    ASSERT_EQ(forks.size(), 4U);
    for (std::uint32_t block = 0; block < 4; ++block) {
      const fork& f = forks[block];
      EXPECT_EQ(f.iterations[0].operations, i / 2);
      EXPECT_EQ(f.iterations[0].real_ns, static_cast<double>(i % 2));
      EXPECT_EQ(f.block, block);
      EXPECT_EQ(f.layout_seed, b.seeds[f.place]);
      EXPECT_EQ(f.layout_seed, weir::run::layout_seed(7, f.place));
      EXPECT_EQ(b.ran[f.place], (slot{.unit = static_cast<std::uint32_t>(i / 2),
                                      .variant = static_cast<std::uint32_t>(i % 2),
                                      .block = block}));
      nanoseconds before{};
      for (std::uint32_t p = 0; p < f.place; ++p) before += (b.ran[p].unit + 1) * 1s;
      EXPECT_EQ(f.started, before);
      places.insert(f.place);
    }
  }
  EXPECT_EQ(places.size(), 24U);
}

TEST(Experiment, AFailedForkStaysAndTheRunGoesOn) {
  bench b(2, 1, 3);
  const auto sound = b.how.trial;
  b.how.trial = [&](const slot& s, std::uint64_t seed) {
    fork f = sound(s, seed);
    if (s.unit == 1 && s.block == 1) f.failure = {.kind = "signal", .code = 11, .text = "", .last_lines = {}};
    return f;
  };
  b.conduct();
  EXPECT_EQ(b.record.ended_by, "budget");
  ASSERT_EQ(b.record.benchmarks[1].forks.size(), 3U);
  EXPECT_TRUE(b.record.benchmarks[1].forks[1].failure);
  EXPECT_FALSE(b.record.benchmarks[1].forks[2].failure);
}

TEST(Experiment, PrecisionIsAskedForAtDoublingsOnly) {
  bench b(2, 1, 3);
  b.how.max_forks = 100;
  b.precise_at_look(4);
  b.conduct();
  EXPECT_EQ(b.looks, (std::vector<std::size_t>{10, 20, 40, 80}));
  EXPECT_EQ(b.record.ended_by, "precision");
  EXPECT_EQ(b.blocks(), 40U);
}

TEST(Experiment, TheFirstLookIsAfterTheBudgetWhenThatIsMore) {
  bench b(1, 2, 8);
  b.precise_at_look(2);
  b.conduct();
  EXPECT_EQ(b.looks, (std::vector<std::size_t>{16, 32}));
}

TEST(Experiment, EndsAtMaxForksWithoutPrecision) {
  bench b(1, 1, 3);
  b.how.max_forks = 12;
  b.precise_at_look(100);
  b.conduct();
  EXPECT_EQ(b.looks, (std::vector<std::size_t>{5, 10}));
  EXPECT_EQ(b.ran.size(), 12U);
  EXPECT_EQ(b.record.ended_by, "max_forks");
}

TEST(Experiment, AMaximumBelowTheFirstLookIsKept) {
  bench b(1, 1, 3);
  b.how.max_forks = 4;
  b.precise_at_look(1);
  b.conduct();
  EXPECT_TRUE(b.looks.empty());
  EXPECT_EQ(b.ran.size(), 4U);
  EXPECT_EQ(b.record.ended_by, "max_forks");
}

TEST(Experiment, TheMaximumMayBeALook) {
  bench b(1, 1, 3);
  b.how.max_forks = 10;
  b.precise_at_look(2);
  b.conduct();
  EXPECT_EQ(b.record.ended_by, "precision");
}

TEST(Experiment, EndsAtMaxTimeBetweenPairs) {
  bench b(1, 2, 10);  // 1 s each
  b.how.max_time = 5s;
  b.conduct();
  EXPECT_EQ(b.record.ended_by, "max_time");
  EXPECT_EQ(b.ran.size(), 6U) << "the third pair began in time and is whole";
  EXPECT_TRUE(b.record.complete());
}

TEST(Experiment, AnInterruptEndsItBetweenAnyTwoForks) {
  bench b(1, 2, 10);
  b.how.interrupted = [&] { return b.ran.size() == 3; };
  b.conduct();
  EXPECT_EQ(b.record.ended_by, "interrupted");
  EXPECT_FALSE(b.record.complete());
  EXPECT_EQ(b.ran.size(), 3U);
}

TEST(Experiment, AnInterruptOfTheLastForkIsNoCompleteRun) {
  bench b(1, 1, 3);
  b.how.interrupted = [&] { return b.ran.size() == 3; };
  b.conduct();
  EXPECT_EQ(b.record.ended_by, "interrupted");
}

TEST(Experiment, ShowsTheRecordAfterEveryForkAndAtItsEnd) {
  bench b(2, 1, 2);
  std::vector<std::string> ends;
  b.how.after_each = [&](const run_record& r, const progress& p) {
    ends.push_back(r.ended_by);
    EXPECT_EQ(r.benchmarks[0].forks.size() + r.benchmarks[1].forks.size(), p.done);
  };
  b.conduct();
  EXPECT_EQ(ends, (std::vector<std::string>{"", "", "", "", "budget"}));
}

TEST(Experiment, TellsTheTimeLeftFromTheForksThatEnded) {
  bench b(3, 1, 3);  // 1, 2, 3 s
  b.conduct();
  ASSERT_EQ(b.shown.size(), 10U);
  EXPECT_EQ(b.shown[0].planned, 9U);
  EXPECT_EQ(b.shown[0].left, 8 * (b.ran[0].unit + 1) * 1s) << "all are taken for the one that is known";
  EXPECT_EQ(b.shown[2].left, 2 * 6s);
  EXPECT_EQ(b.shown[5].left, 1 * 6s);
  EXPECT_EQ(b.shown[8].left, 0s);
  EXPECT_EQ(b.shown[9].done, 9U);
}

TEST(Experiment, OneSlowForkDoesNotMoveTheTimeLeft) {
  bench b(1, 1, 10);
  b.how.trial = [&](const slot& s, std::uint64_t) {
    b.clock.advance(s.block == 1 ? 600s : 1s);
    return fork{};
  };
  b.conduct();
  EXPECT_EQ(b.shown[2].left, 7s);
}

TEST(Experiment, WithPrecisionTheTimeLeftIsThatToTheNextLook) {
  bench b(1, 2, 5);
  b.how.max_forks = 15;
  b.precise_at_look(3);
  b.conduct();
  EXPECT_EQ(b.shown[0].planned, 10U);
  EXPECT_EQ(b.shown[0].left, 9s);
  EXPECT_EQ(b.shown[9].planned, 20U);
  EXPECT_EQ(b.shown[9].left, 10s);
  EXPECT_EQ(b.shown[19].planned, 30U);
  EXPECT_EQ(b.shown[19].left, 10s) << "15 blocks at most";
}

TEST(Experiment, WithoutABenchmarkEndsAtOnce) {
  bench b(0, 1, 3);
  b.conduct();
  EXPECT_EQ(b.record.ended_by, "budget");
  EXPECT_EQ(b.shown.size(), 1U);
  EXPECT_FALSE(b.shown[0].left);
}

}  // namespace
