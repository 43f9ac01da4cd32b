// SPDX-License-Identifier: Apache-2.0
#include <weir/measure/trace.hpp>

#include <chrono>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using weir::measure::stain_sampler;
using weir::measure::trace;
using weir::measure::trace_book;
using weir::measure::trace_entry;
using weir::measure::trace_stage;

static_assert(noexcept(std::declval<stain_sampler&>().sample(0, nanoseconds{})));
static_assert(noexcept(std::declval<trace&>().append(trace_stage::queue_in, 0, nanoseconds{})));
static_assert(static_cast<int>(trace_stage::source_emit) == 1 && static_cast<int>(trace_stage::sink_write_done) == 6);

TEST(Trace, KeepsItsStampsInOrder) {
  trace t(7, 42);
  t.append(trace_stage::source_emit, 1, 10ns);
  t.append(trace_stage::sink_write_done, 2, 35ns);
  EXPECT_EQ(t.id(), 7U);
  EXPECT_EQ(t.sequence(), 42U);
  ASSERT_EQ(t.entries().size(), 2U);
  EXPECT_EQ(t.entries()[0], (trace_entry{trace_stage::source_emit, 1, 10ns}));
  EXPECT_EQ(t.entries()[1], (trace_entry{trace_stage::sink_write_done, 2, 35ns}));
}

TEST(Trace, CountsWhatComesAfterThirtyTwo) {
  trace t;
  for (int i = 0; i < 40; ++i) t.append(trace_stage::queue_in, 0, nanoseconds(i));
  EXPECT_EQ(t.entries().size(), 32U);
  EXPECT_EQ(t.entries().back().at, 31ns);
  EXPECT_EQ(t.truncated(), 8U);
}

TEST(TraceBook, GivesOutItsCapacityAndNoMore) {
  trace_book book(2);
  trace* first = book.open(1, 10);
  trace* second = book.open(2, 20);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(book.open(3, 30), nullptr);
  first->append(trace_stage::queue_in, 0, 5ns);
  ASSERT_EQ(book.traces().size(), 2U);
  EXPECT_EQ(book.traces()[0].entries().size(), 1U);
  EXPECT_EQ(book.traces()[1].sequence(), 20U);
}

TEST(StainSampler, PicksEveryNthRowItIsShown) {
  stain_sampler sampler(100, 50, 16);
  std::vector<std::uint64_t> picked;
  for (std::uint64_t row = 0; row < 1'000; ++row) {
    if (const trace* t = sampler.sample(row, 0ns)) picked.push_back(t->sequence());
  }
  EXPECT_EQ(picked, (std::vector<std::uint64_t>{99, 199, 299, 399, 499, 599, 699, 799, 899, 999}));
  EXPECT_EQ(sampler.generated(), 10U);
  EXPECT_EQ(sampler.throttled(), 0U);
  EXPECT_EQ(sampler.exhausted(), 0U);
}

TEST(StainSampler, PicksAlikeInEveryLane) {
  constexpr std::uint64_t lanes = 4;
  for (std::uint64_t lane = 0; lane < lanes; ++lane) {
    stain_sampler sampler(10'000, 50, 64);
    for (std::uint64_t row = lane; row < 1'000'000; row += lanes) (void)sampler.sample(row, 0ns);
    EXPECT_EQ(sampler.generated(), 25U);
  }
}

TEST(StainSampler, KeepsToItsBudgetInEverySecond) {
  stain_sampler sampler(1, 3, 100);
  const auto shown = [&](nanoseconds at) { return sampler.sample(0, at) != nullptr; };
  EXPECT_TRUE(shown(10s));
  EXPECT_TRUE(shown(10s + 1ns));
  EXPECT_TRUE(shown(10'999'999'999ns));
  EXPECT_FALSE(shown(10'999'999'999ns));
  EXPECT_EQ(sampler.throttled(), 1U);
  EXPECT_TRUE(shown(11s));
  EXPECT_EQ(sampler.generated(), 4U);
}

TEST(StainSampler, CountsRowsForWhichNoRoomWasLeft) {
  stain_sampler sampler(1, 50, 2);
  for (std::uint64_t row = 0; row < 5; ++row) (void)sampler.sample(row, 0ns);
  EXPECT_EQ(sampler.generated(), 2U);
  EXPECT_EQ(sampler.exhausted(), 3U);
  EXPECT_EQ(sampler.throttled(), 0U);
}

TEST(StainSampler, NamesEachTraceDifferentlyAndNeverNegative) {
  stain_sampler sampler(1, 2'000, 1'000);
  for (std::uint64_t row = 0; row < 1'000; ++row) (void)sampler.sample(row, nanoseconds(row));
  std::set<std::uint64_t> ids;
  for (const trace& t : sampler.traces()) {
    EXPECT_EQ(t.id() >> 63, 0U);
    ids.insert(t.id());
  }
  EXPECT_EQ(ids.size(), 1'000U);
}

}  // namespace
