// SPDX-License-Identifier: Apache-2.0
//
// The faulty systems of bench/truth, where the outcome does not depend on time: unpaced, or on virtual time. Each is
// reported under its own id and under no other.
// Elsewhere: a fork that hangs, crashes or ends early in run_room/fork_test, a late generator in judge/verdict_test, a
// dearer row in property/statistics_test. For real, all of them: ctest -L realtime.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weir/clock/steady.hpp>
#include <weir/flow/engine.hpp>
#include <weir/flow/run.hpp>
#include <weir/flow/stage.hpp>
#include <weir/flow/stepper.hpp>
#include <weir/flow/system.hpp>
#include <weir/judge/verdict.hpp>

#include "../../bench/truth/faulty.hpp"
#include "../../bench/truth/known_server.hpp"
#include "../../bench/truth/plans.hpp"

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using reasons = std::vector<std::string>;

constexpr std::uint64_t rows = 2'000;

/// What makes the sample not valid.
reasons ids(const weir::record::sample& s) {
  reasons all;
  for (const auto& r : weir::judge::assess(s).reasons)
    if (r.weight != weir::judge::outcome::valid) all.push_back(r.id);
  return all;
}

/// As fast as it goes: rows alone are judged.
template <class Fault>
reasons unpaced(const Fault& fault, nanoseconds drain_limit = 10s) {
  weir::flow::pipeline p = truth::hashing_job("fault", rows, 0);
  p.drain_limit = drain_limit;
  truth::witness seen;
  return ids(weir::flow::drive<truth::faulty<Fault>>(p, fault, truth::hashes{}, seen).sample);
}

template <class Stage>
reasons on_virtual_time(const weir::flow::pipeline& p, const Stage& work) {
  return ids(weir::flow::step(p, work).sample);
}

TEST(FaultMatrix, EachFaultOfRowsIsReportedUnderItsOwnId) {
  EXPECT_EQ(unpaced(truth::nothing{}), reasons{});
  EXPECT_EQ(unpaced(truth::drops{}, 50ms), reasons{"rows_missing"});
  EXPECT_EQ(unpaced(truth::duplicates{}), reasons{"rows_duplicated"});
  EXPECT_EQ(unpaced(truth::drops_and_duplicates{}), reasons{"rows_exchanged"});
  EXPECT_EQ(unpaced(truth::reorders{}), reasons{"rows_reordered"});
  EXPECT_EQ(unpaced(truth::corrupts{}), reasons{"payload_corrupt"});
  EXPECT_EQ(unpaced(truth::computes_something_else{}), reasons{"checksum_mismatch"});
  EXPECT_EQ(unpaced(truth::exchanges_checksums{}), reasons{"checksums_exchanged"});
}

TEST(FaultMatrix, AStallIsNotTakenForOverload) {
  const auto plan = truth::hashing_job("stall", 100'000, 50'000);
  for (const std::uint64_t row : {10'000U, 50'000U, 99'990U})
    EXPECT_EQ(on_virtual_time(plan, truth::stalls_once{.usual = 10us, .row = row, .length = 50ms}), reasons{"stalled"})
        << row;
  EXPECT_EQ(on_virtual_time(plan, truth::stalls_once{.usual = 10us, .row = 50'000, .length = 0ms}), reasons{});
}

TEST(FaultMatrix, OverloadIsNotTakenForAStall) {
  const auto plan = truth::hashing_job("overload", 100'000, 50'000);
  const reasons found = on_virtual_time(plan, truth::stalls_once{.usual = 21us, .row = 0, .length = 0ms});
  EXPECT_NE(std::ranges::find(found, "latency_growing_slope"), found.end());
  EXPECT_EQ(std::ranges::find(found, "stalled"), found.end());
}

TEST(FaultMatrix, ASlowDriftGrows) {
  auto plan = truth::hashing_job("slow drift", 200'000, 50'000);
  plan.channel_capacity = 1 << 17;  // room for all that waits: else the full queue is reported too
  const reasons found = on_virtual_time(plan, truth::drifts{.between_arrivals = 20us, .rows = 200'000});
  EXPECT_EQ(found, (reasons{"latency_growing_ratio", "latency_growing_slope", "achieved_below_offered"}));
}

TEST(FaultMatrix, ASaturatedHistogramIsNotTrusted) {
  const reasons found = on_virtual_time(truth::hashing_job("saturated", rows, 1),
                                        truth::stalls_once{.usual = 20min, .row = 0, .length = 0ms});
  EXPECT_NE(std::ranges::find(found, "percentile_clamped"), found.end());
}

TEST(FaultMatrix, AnExceptionFailsTheJob) {
  weir::flow::engine engine(1);
  const auto p = truth::hashing_job("exception", rows, 0);
  EXPECT_EQ(ids(weir::flow::run(engine, p, truth::throws_at{500}, weir::clock::steady{}).sample),
            reasons{"job_failed"});
}

TEST(FaultMatrix, AFeatureThatNeverFiredIsMissed) {
  auto plan = truth::hashing_job("no trace", 20'000, 50'000);
  plan.features = {"trace"};
  EXPECT_EQ(on_virtual_time(plan, truth::hashes{}), reasons{"feature_not_fired"});
}

TEST(KnownServer, HandsOutEveryRowInOrder) {
  truth::witness seen;
  const auto s = weir::flow::drive<truth::known_server<truth::fixed_service>>(
                     truth::job("known", rows, 0), std::vector<truth::fixed_service>{{1us}, {2us}}, seen)
                     .sample;
  EXPECT_EQ(s.seen, s.expected);
  EXPECT_EQ(s.reordered_rows, 0U);
  EXPECT_EQ(seen.late.count(), rows);
  EXPECT_GE(s.last_receipt, 2us * rows);  // the slower of two stages takes 2 us a row
}

}  // namespace
