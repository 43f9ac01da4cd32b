// SPDX-License-Identifier: Apache-2.0
#include <weir/flow/sink.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/base/random.hpp>
#include <weir/measure/exactly_once.hpp>
#include <weir/measure/trace.hpp>
#include <weir/record/sample.hpp>

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using weir::flow::event;
using weir::flow::sink;
using weir::measure::exactly_once;
using weir::record::sample;
using weir::record::trend_point;

static_assert(noexcept(std::declval<sink&>().receive(std::span<const event>{}, nanoseconds{})));

event row(std::uint64_t sequence, nanoseconds intended = 0ns, std::string_view payload = "abc") {
  return {.sequence = sequence, .intended = intended, .released = intended, .payload = payload};
}

sample report(const sink& s) {
  sample out;
  s.report(out);
  return out;
}

void expect_same_measurements(const sample& a, const sample& b) {
  EXPECT_EQ(a.processed_rows, b.processed_rows);
  EXPECT_EQ(a.first_receipt, b.first_receipt);
  EXPECT_EQ(a.last_receipt, b.last_receipt);
  EXPECT_EQ(a.latency_first_half, b.latency_first_half);
  EXPECT_EQ(a.latency_second_half, b.latency_second_half);
  EXPECT_EQ(a.residence, b.residence);
  EXPECT_EQ(a.trend, b.trend);
  EXPECT_EQ(a.slices, b.slices);
}

TEST(Sink, HalvesAreByRowNumberNotByOrderOfArrival) {
  sink s({.rows = 10, .payload = "abc"});
  for (const std::uint64_t sequence : {9U, 0U, 5U, 4U, 7U, 1U})
    s.receive(std::vector{row(sequence)}, 100ns * (sequence + 1));
  const sample out = report(s);
  EXPECT_EQ(out.latency_first_half.count(), 3U);  // rows 0, 1, 4
  EXPECT_EQ(out.latency_first_half.max(), 500ns);
  EXPECT_EQ(out.latency_second_half.count(), 3U);  // rows 5, 7, 9
  EXPECT_EQ(out.latency_second_half.min(), 600ns);
}

TEST(Sink, TheMiddleRowOfAnOddNumberIsInTheSecondHalf) {
  sink s({.rows = 5, .payload = "abc"});
  for (std::uint64_t sequence = 0; sequence < 5; ++sequence) s.receive(std::vector{row(sequence)}, 1us);
  const sample out = report(s);
  EXPECT_EQ(out.latency_first_half.count(), 2U);
  EXPECT_EQ(out.latency_second_half.count(), 3U);
}

TEST(Sink, LatencyIsFromTheIntendedTimeAndResidenceFromTheRelease) {
  sink s({.rows = 2, .payload = "abc"});
  event e = row(0, 100us);
  e.released = 140us;
  s.receive(std::vector{e}, 150us);
  const sample out = report(s);
  EXPECT_EQ(out.latency().max(), 50us);
  EXPECT_EQ(out.residence.max(), 10us);
}

TEST(Sink, KeepsTheFirstAndTheLastReceipt) {
  sink s({.rows = 4, .payload = "abc"});
  s.receive(std::vector<event>{}, 1us);  // nothing arrived
  EXPECT_EQ(s.received(), 0U);
  s.receive(std::vector{row(0), row(1)}, 7us);
  s.receive(std::vector{row(2)}, 9us);
  EXPECT_EQ(s.received(), 3U);
  const sample out = report(s);
  EXPECT_EQ(out.first_receipt, 7us);
  EXPECT_EQ(out.last_receipt, 9us);
  EXPECT_EQ(out.processed_rows, 3U);
}

TEST(Sink, TrendHasFortyStretchesOfEqualRows) {
  sink s({.rows = 80, .payload = "abc"});
  for (std::uint64_t sequence = 0; sequence < 80; ++sequence)
    s.receive(std::vector{row(sequence, 1us * sequence)}, 1us * sequence + 10ns * sequence);
  const sample out = report(s);
  ASSERT_EQ(out.trend.size(), 40U);
  EXPECT_EQ(out.trend[0], (trend_point{500ns, 5ns, 2}));  // rows 0 and 1
  EXPECT_EQ(out.trend[39], (trend_point{78'500ns, 785ns, 2}));
}

TEST(Sink, TrendFindsItsStretchInAnyOrderOfRows) {
  sink in_order({.rows = 1'000, .payload = "abc"});
  sink shuffled({.rows = 1'000, .payload = "abc"});
  for (std::uint64_t i = 0; i < 1'000; ++i) {
    const auto receive = [](sink& to, std::uint64_t n) { to.receive(std::vector{row(n, 1us * n)}, 1us * n + 7ns * n); };
    receive(in_order, i);
    receive(shuffled, i * 387 % 1'000);
  }
  EXPECT_EQ(report(in_order).trend, report(shuffled).trend);
  EXPECT_EQ(report(in_order).trend.size(), 40U);
}

TEST(Sink, StretchesThatNoRowFallsIntoAreLeftOut) {
  sink s({.rows = 41, .payload = "abc"});  // stretches of 2: 21 of them
  for (std::uint64_t sequence = 0; sequence < 41; ++sequence) s.receive(std::vector{row(sequence)}, 1us);
  const sample out = report(s);
  ASSERT_EQ(out.trend.size(), 21U);
  EXPECT_EQ(out.trend[20].rows, 1U);
}

TEST(Sink, TrendDoesNotOverflowAtAnHourOfOverload) {
  sink s({.rows = 40'000'000, .payload = "abc"});
  const std::vector<event> batch(100'000, row(39'999'999, 1h));
  for (int i = 0; i < 60; ++i) s.receive(batch, 2h);  // 6 M rows x 3.6e12 ns > 2^64
  const sample out = report(s);
  ASSERT_EQ(out.trend.size(), 1U);
  EXPECT_EQ(out.trend[0], (trend_point{1h, 1h, 6'000'000}));
}

// 80 rows, four a slice: 10 us, but in the second half 20 us, and 2 h for rows 5 and 41.
TEST(Sink, SlicesSayWhereTheRowsUpToAPercentileCame) {
  sink s({.rows = 80, .payload = "abc"});
  for (std::uint64_t n = 0; n < 80; ++n) s.receive(std::vector{row(n)}, n == 5 || n == 41 ? 2h : n < 40 ? 10us : 20us);
  const sample out = report(s);
  ASSERT_EQ(out.slices.size(), 6U);
  const weir::record::percentile_slices& median = out.slices[0];  // 20 us at rank 40: row 5 is late
  EXPECT_EQ(median.p, weir::measure::p50);
  EXPECT_EQ(median.half, 0U);
  EXPECT_EQ(median.rows, std::vector<std::uint64_t>(sink::slices, 4));
  EXPECT_EQ(median.below[0], 4U);
  EXPECT_EQ(median.below[1], 3U);
  EXPECT_EQ(median.below[19], 0U);
  EXPECT_EQ(median.within[1], 0U);
  EXPECT_EQ(median.within[10], 3U);
  EXPECT_EQ(median.within[19], 4U);
  EXPECT_EQ(out.slices[2].p, weir::measure::p99);
  EXPECT_EQ(out.slices[2].below[10], 3U);  // P99 is one of the two that are saturated
  EXPECT_EQ(out.slices[2].within[10], 1U);
  EXPECT_EQ(out.slices[4].half, 1U);
  EXPECT_EQ(out.slices[4].below, (std::vector<std::uint64_t>{4, 3, 4, 4, 4, 4, 4, 4, 4, 4}));
  EXPECT_EQ(out.slices[5].half, 2U);
  EXPECT_EQ(out.slices[5].below, (std::vector<std::uint64_t>{3, 4, 4, 4, 4, 4, 4, 4, 4, 4}));
}

TEST(Sink, SlicesTakeLatenciesWithinATwoHundredthForOne) {
  sink s({.rows = 4, .payload = "abc"});
  for (const nanoseconds latency : {10'000ns, 10'030ns, 10'100ns, 9'900ns}) s.receive(std::vector{row(0)}, latency);
  const weir::record::percentile_slices median = report(s).slices[0];  // of 10,000
  EXPECT_EQ(median.below[0], 1U);
  EXPECT_EQ(median.within[0], 2U);
  EXPECT_EQ(median.rows[0], 4U);
}

TEST(Sink, NegativeLatencyIsCountedNotClamped) {
  sink s({.rows = 3, .payload = "abc"});
  s.receive(std::vector{row(0, 10us), row(1, 10us + 1ns), row(2, 9us)}, 10us);
  const sample out = report(s);
  EXPECT_EQ(out.negative_latencies, 1U);
  EXPECT_EQ(out.latency().count(), 2U);
  EXPECT_EQ(out.latency().min(), 0ns);
  EXPECT_EQ(out.processed_rows, 3U);
  std::uint64_t in_trend = 0;
  for (const trend_point& p : out.trend) in_trend += p.rows;
  EXPECT_EQ(in_trend, 2U);
}

TEST(Sink, CountsEveryPayloadThatIsNotTheOneSent) {
  const std::string sent = "abcdefghij";
  sink s({.rows = 10, .payload = sent});
  std::string changed = sent;
  changed.back() = 'J';
  s.receive(std::vector{row(0, 0ns, sent), row(1, 0ns, changed), row(2, 0ns, "abcdefghi"), row(3, 0ns, "abcdefghijk"),
                        row(4, 0ns, ""), row(5, 0ns, {}), row(6, 0ns, std::string_view(sent))},
            1us);
  EXPECT_EQ(report(s).corrupt_payloads, 5U);
}

TEST(Sink, AnEmptyPayloadIsIntactWhereverItPoints) {
  const std::string empty;
  sink s({.rows = 2, .payload = empty});
  s.receive(std::vector{row(0, 0ns, std::string_view{}), row(1, 0ns, "")}, 1us);
  EXPECT_EQ(report(s).corrupt_payloads, 0U);
  s.receive(std::vector{row(1, 0ns, "a")}, 1us);
  EXPECT_EQ(report(s).corrupt_payloads, 1U);
}

TEST(Sink, ChecksumIsTheSumModulo64Bits) {
  sink s({.rows = 3, .payload = "abc"});
  for (const std::uint64_t checksum : {~0ULL, 5ULL, 1ULL << 63}) {
    event e = row(0);
    e.checksum = checksum;
    s.receive(std::vector{e}, 1us);
  }
  EXPECT_EQ(report(s).checksum, (1ULL << 63) + 4);
}

TEST(Sink, SequencesThatWereNeverSentShowInTheDigest) {
  sink s({.rows = 4, .payload = "abc"});
  constexpr auto highest = std::numeric_limits<std::uint64_t>::max();
  for (const std::uint64_t sequence : {std::uint64_t{0}, std::uint64_t{4}, highest, highest - 1})
    s.receive(std::vector{row(sequence)}, 1us);
  const sample out = report(s);
  EXPECT_EQ(out.processed_rows, 4U);
  EXPECT_EQ(out.seen.count, 4U);
  EXPECT_NE(out.seen, exactly_once::expected(4));
  EXPECT_EQ(out.latency_second_half.count(), 3U);
  EXPECT_EQ(out.trend.back().rows, 2U);  // far beyond the last row: in the last stretch
}

TEST(Sink, ExpectingNoRowsItStillCountsWhatComes) {
  sink s({.rows = 0, .payload = ""});
  s.receive(std::vector{row(0, 0ns, ""), row(1, 0ns, "")}, 1us);
  EXPECT_EQ(report(s).processed_rows, 2U);
}

TEST(Sink, StampsTheTraceOfAStainedRow) {
  weir::measure::trace t(1, 0);
  sink s({.rows = 1, .payload = "abc"});
  event e = row(0, 2us);
  e.trace = &t;
  s.receive(std::vector{e}, 9us);
  ASSERT_EQ(t.entries().size(), 1U);
  EXPECT_EQ(t.entries()[0].stage, weir::measure::trace_stage::sink_write_done);
  EXPECT_EQ(t.entries()[0].at, 9us);
}

TEST(Sink, MergedSinksReportWhatOneWouldHave) {
  sink one({.rows = 300, .payload = "abc"});
  std::deque<sink> lanes;
  for (int i = 0; i < 4; ++i) lanes.emplace_back(weir::flow::expectation{.rows = 300, .payload = "abc"});
  for (std::uint64_t sequence = 0; sequence < 300; ++sequence) {
    event e = row(sequence, 1us * sequence, sequence % 50 == 3 ? "abd" : "abc");
    e.released = e.intended + 3ns;
    e.checksum = sequence * 0x9E3779B97F4A7C15;
    const nanoseconds now = e.intended + (sequence % 70 == 5 ? nanoseconds(-1) : nanoseconds(17ns * sequence));
    one.receive(std::vector{e}, now);
    lanes[sequence % 3].receive(std::vector{e}, now);  // the fourth stays empty
  }
  sink all({.rows = 300, .payload = "abc"});
  for (const sink& lane : lanes) all.merge(lane);
  const sample a = report(one);
  const sample b = report(all);
  expect_same_measurements(a, b);
  EXPECT_EQ(a.negative_latencies, b.negative_latencies);
  EXPECT_EQ(a.negative_latencies, 5U);
  EXPECT_EQ(a.corrupt_payloads, b.corrupt_payloads);
  EXPECT_EQ(a.corrupt_payloads, 6U);
  EXPECT_EQ(a.checksum, b.checksum);
  EXPECT_EQ(a.checksum_by_row, b.checksum_by_row);
  EXPECT_EQ(a.seen, b.seen);
  EXPECT_EQ(b.seen, exactly_once::expected(300));
}

TEST(Sink, ExchangedChecksumsShowInTheSumByRow) {
  const auto received = [](std::uint64_t checksum_of_2, std::uint64_t checksum_of_9) {
    sink s({.rows = 10, .payload = "abc"});
    event two = row(2);
    event nine = row(9);
    two.checksum = checksum_of_2;
    nine.checksum = checksum_of_9;
    s.receive(std::vector{two}, 1us);
    s.receive(std::vector{nine}, 2us);
    return report(s);
  };
  EXPECT_EQ(received(7, 8).checksum, received(8, 7).checksum);
  EXPECT_NE(received(7, 8).checksum_by_row, received(8, 7).checksum_by_row);
  EXPECT_EQ(received(7, 8).checksum_by_row, 7 * weir::mix64(2) + 8 * weir::mix64(9));
}

TEST(Sink, CountsRowsThatComeRightAfterALaterOne) {
  sink s({.rows = 10, .payload = "abc"});
  s.receive(std::vector{row(1), row(3), row(2), row(3), row(9)}, 1us);  // 3 twice is no overtaking
  s.receive(std::vector{row(4), row(5)}, 2us);
  sink other({.rows = 10, .payload = "abc"});
  other.receive(std::vector{row(6), row(0)}, 1us);
  s.merge(other);
  EXPECT_EQ(report(s).reordered_rows, 3U);
}

TEST(Sink, AStallIsTimeInWhichARowWasInAndNoneCameOut) {
  const auto stall_of = [](std::vector<std::pair<nanoseconds, nanoseconds>> released_and_received) {
    sink s({.rows = 10, .payload = "abc"});
    for (const auto& [released, received] : released_and_received) {
      event e = row(0);
      e.released = released;
      s.receive(std::vector{e}, received);
    }
    return report(s).longest_stall;
  };
  EXPECT_EQ(stall_of({{1us, 4us}}), 3us);                                     // the first row waits as well
  EXPECT_EQ(stall_of({{1us, 2us}, {2us, 52us}, {3us, 53us}}), 50us);          // 50 us late, and nothing in between
  EXPECT_EQ(stall_of({{1us, 52us}, {2us, 53us}, {3us, 54us}}), 51us);         // those that follow waited no longer
  EXPECT_EQ(stall_of({{1us, 2us}, {52us, 53us}}), 1us);                       // a pause with nothing to do
  EXPECT_EQ(stall_of({{1us, 11us}, {2us, 12us}, {3us, 13us}}), 10us);         // late, but one after the other
}

TEST(Sink, MergingTakesTheLongestStall) {
  sink a({.rows = 4, .payload = "abc"});
  sink b({.rows = 4, .payload = "abc"});
  a.receive(std::vector{row(0)}, 5us);
  b.receive(std::vector{row(1)}, 9us);
  a.merge(b);
  EXPECT_EQ(report(a).longest_stall, 9us);
}

TEST(Sink, MergingTakesTheEarliestAndTheLatestReceipt) {
  sink a({.rows = 4, .payload = "abc"});
  sink b({.rows = 4, .payload = "abc"});
  a.receive(std::vector{row(0)}, 5us);
  a.receive(std::vector{row(1)}, 6us);
  b.receive(std::vector{row(2)}, 3us);
  b.receive(std::vector{row(3)}, 9us);
  sink all({.rows = 4, .payload = "abc"});
  all.merge(a);
  all.merge(b);
  all.merge(sink({.rows = 4, .payload = "abc"}));
  EXPECT_EQ(report(all).first_receipt, 3us);
  EXPECT_EQ(report(all).last_receipt, 9us);
}

TEST(Sink, ResetLeavesNothingOfTheLastJob) {
  sink used({.rows = 100, .payload = "abc"});
  for (std::uint64_t n = 99; n >= 3; --n) {  // ends in the second stretch
    event e = row(n, 5us * n, n % 2 == 0 ? "abc" : "x");
    e.checksum = n;
    used.receive(std::vector{e}, n % 3 == 1 ? 5us * n - 1ns : 6us * n);
  }
  used.reset({.rows = 400, .payload = "xyz"});
  EXPECT_EQ(used.received(), 0U);
  sink fresh({.rows = 400, .payload = "xyz"});
  for (sink* s : {&used, &fresh})
    for (const std::uint64_t n : {5U, 15U, 399U, 200U}) s->receive(std::vector{row(n, 1us * n, "xyz")}, 2us * n);
  const sample a = report(used);
  const sample b = report(fresh);
  expect_same_measurements(a, b);
  EXPECT_EQ(a.negative_latencies, 0U);
  EXPECT_EQ(a.corrupt_payloads, 0U);
  EXPECT_EQ(a.checksum, 0U);
  EXPECT_EQ(a.checksum_by_row, 0U);
  EXPECT_EQ(a.reordered_rows, b.reordered_rows);
  EXPECT_EQ(a.longest_stall, b.longest_stall);
  EXPECT_EQ(a.seen, b.seen);
}

TEST(SinkStore, GivesTheSameSinksAgainFresh) {
  weir::flow::sink_store store;
  const std::vector<sink*> first = store.take(2, {.rows = 4, .payload = "abc"});
  first[1]->receive(std::vector{row(1)}, 1us);
  const std::vector<sink*> second = store.take(3, {.rows = 4, .payload = "abd"});
  ASSERT_EQ(second.size(), 3U);
  EXPECT_EQ(second[0], first[0]);
  EXPECT_EQ(second[1], first[1]);
  EXPECT_EQ(second[1]->received(), 0U);
  second[2]->receive(std::vector{row(0, 0ns, "abd")}, 1us);
  EXPECT_EQ(report(*second[2]).corrupt_payloads, 0U);
}

}  // namespace
