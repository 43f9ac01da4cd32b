// SPDX-License-Identifier: Apache-2.0
#include <weir/flow/generator.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/arrival/any_schedule.hpp>
#include <weir/base/error.hpp>
#include <weir/base/units.hpp>
#include <weir/measure/exactly_once.hpp>
#include <weir/measure/trace.hpp>

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using weir::rate;
using weir::flow::event;
using weir::flow::generator;
using weir::measure::trace_entry;
using weir::measure::trace_stage;

/// Lanes with as much room as a test gives them; keeps what was published.
struct fake_inlet {
  explicit fake_inlet(std::size_t lanes, std::size_t room_each = 1'000'000, std::size_t contiguous = 1'000'000)
      : published(lanes), room(lanes, room_each), most(contiguous) {}

  std::span<event> claim(std::size_t lane, std::size_t n) {
    slots.assign(std::min({n, room[lane], most}), event{});
    return slots;
  }
  void publish(std::size_t lane, std::size_t n) {
    published[lane].insert(published[lane].end(), slots.begin(), slots.begin() + static_cast<std::ptrdiff_t>(n));
    room[lane] -= n;
  }
  bool wait_for_space(std::size_t lane) {
    waited.push_back(lane);
    if (closed) return false;
    room[lane] = 1;
    return true;
  }

  [[nodiscard]] std::vector<std::uint64_t> rows_of(std::size_t lane) const {
    std::vector<std::uint64_t> rows;
    for (const event& e : published[lane]) rows.push_back(e.sequence);
    return rows;
  }
  [[nodiscard]] std::size_t total() const {
    std::size_t n = 0;
    for (const auto& lane : published) n += lane.size();
    return n;
  }

  std::vector<std::vector<event>> published;
  std::vector<std::size_t> room;
  std::size_t most;  // slots a claim gives at once, as a ring does at its end
  std::vector<event> slots;
  std::vector<std::size_t> waited;
  bool closed = false;
};

generator paced(std::uint64_t per_second, std::uint64_t rows, std::size_t lanes,
                weir::measure::stain_sampler* stain = nullptr) {
  return {weir::arrival::make(rate::per_second(per_second)), true, rows, lanes, "abc", stain};
}

generator unpaced(std::uint64_t rows, std::size_t lanes) {
  return {weir::arrival::make(rate{}), false, rows, lanes, "abc"};
}

/// Virtual time for run(): waiting moves it to the deadline.
struct leaping_clock {
  static constexpr std::string_view name = "leaping";
  nanoseconds* time;
  [[nodiscard]] nanoseconds now() const noexcept { return *time; }
  void sleep_until(nanoseconds t) const noexcept { *time = std::max(*time, t); }
};
constexpr auto leap = [](const leaping_clock& clock, nanoseconds t) noexcept { clock.sleep_until(t); };
constexpr auto no_tick = [](nanoseconds) {};

TEST(Generator, ReleasesEachRowAtItsGoldenTime) {
  generator g = paced(3, 4, 1);
  fake_inlet in(1);
  EXPECT_EQ(g.release_due(0ns, in), 1U);
  EXPECT_EQ(g.next_due(), 333'333'333ns);
  EXPECT_EQ(g.release_due(333'333'332ns, in), 0U);
  EXPECT_EQ(g.release_due(333'333'333ns, in), 1U);
  EXPECT_EQ(g.release_due(666'666'665ns, in), 0U);
  EXPECT_EQ(g.release_due(666'666'666ns, in), 1U);
  EXPECT_EQ(g.release_due(999'999'999ns, in), 0U);
  EXPECT_FALSE(g.done());
  EXPECT_EQ(g.release_due(1'000'000'000ns, in), 1U);
  EXPECT_TRUE(g.done());
  EXPECT_EQ(g.schedule_time(), 1'000'000'000ns);
  const nanoseconds golden[] = {0ns, 333'333'333ns, 666'666'666ns, 1'000'000'000ns};
  for (std::size_t row = 0; row < 4; ++row) {
    EXPECT_EQ(in.published[0][row].sequence, row);
    EXPECT_EQ(in.published[0][row].intended, golden[row]);
    EXPECT_EQ(in.published[0][row].released, golden[row]);
    EXPECT_EQ(in.published[0][row].payload, "abc");
  }
}

TEST(Generator, RowNGoesToLaneNModLanes) {
  generator g = paced(1'000, 8, 3);
  fake_inlet in(3);
  g.release_due(1s, in);
  EXPECT_EQ(in.rows_of(0), (std::vector<std::uint64_t>{0, 3, 6}));
  EXPECT_EQ(in.rows_of(1), (std::vector<std::uint64_t>{1, 4, 7}));
  EXPECT_EQ(in.rows_of(2), (std::vector<std::uint64_t>{2, 5}));
}

TEST(Generator, ReleasesAllThatIsDueAndNothingElse) {
  generator g = paced(1'000, 100, 2);
  fake_inlet in(2);
  EXPECT_EQ(g.release_due(9'500us, in), 10U);  // rows 0 .. 9
  EXPECT_EQ(g.released(), 10U);
  EXPECT_EQ(g.next_due(), 10ms);
}

TEST(Generator, GoesOnWhenAClaimGivesFewerSlotsThanAsked) {
  generator g = paced(1'000, 40, 2);
  fake_inlet in(2, 1'000, 3);
  EXPECT_EQ(g.release_due(1s, in), 40U);
  EXPECT_TRUE(g.done());
}

TEST(Generator, IntendedTimesStandWhileALaneIsFull) {
  generator g = paced(1'000, 6, 2);  // rows 0 .. 5 due at 0 .. 5 ms
  fake_inlet in(2);
  in.room[1] = 1;
  EXPECT_EQ(g.release_due(3ms, in), 3U);  // 0 and 2 in lane 0, 1 in lane 1: row 3 has no room
  EXPECT_TRUE(g.held());
  EXPECT_EQ(in.rows_of(0), (std::vector<std::uint64_t>{0, 2}));
  EXPECT_EQ(in.rows_of(1), (std::vector<std::uint64_t>{1}));
  EXPECT_EQ(g.release_due(4ms, in), 1U);  // a full lane holds up no other
  EXPECT_EQ(in.rows_of(0), (std::vector<std::uint64_t>{0, 2, 4}));
  in.room[1] = 10;
  EXPECT_EQ(g.release_due(50ms, in), 2U);
  EXPECT_TRUE(g.done());
  EXPECT_FALSE(g.held());
  EXPECT_EQ(in.published[1][1].intended, 3ms);
  EXPECT_EQ(in.published[1][1].released, 50ms);
  EXPECT_EQ(in.published[1][2].intended, 5ms);
  EXPECT_EQ(in.published[1][2].released, 50ms);
}

TEST(Generator, AccountsTheTimeInWhichARowHadNoRoom) {
  generator g = paced(1'000, 4, 1);
  fake_inlet in(1, 0);
  g.release_due(0ns, in);  // row 0 has no room from 0 on
  g.release_due(300us, in);
  EXPECT_EQ(g.blocked(), 300us);
  in.room[0] = 1;
  g.release_due(500us, in);  // released: held until now
  EXPECT_EQ(g.blocked(), 500us);
  g.release_due(900us, in);  // nothing due: not held
  EXPECT_EQ(g.blocked(), 500us);
  g.release_due(1'200us, in);  // row 1 has no room
  g.release_due(1'250us, in);
  EXPECT_EQ(g.blocked(), 550us);
}

TEST(Generator, ReleaseLagIsExact) {
  generator g = paced(1'000, 3, 1);
  fake_inlet in(1);
  g.release_due(0ns, in);         // on time
  g.release_due(1'000'007ns, in);  // 7 ns late
  g.release_due(2'500us, in);     // 500 us late
  EXPECT_EQ(g.lag().count(), 3U);
  EXPECT_EQ(g.lag().min(), 0ns);
  EXPECT_EQ(g.lag().max(), 500us);
  EXPECT_EQ(g.lag().sum(), 500'007ns);
}

TEST(Generator, UnpacedRowsAreDueWhenTheyAreReleased) {
  generator g = unpaced(5, 2);
  fake_inlet in(2, 1);
  EXPECT_EQ(g.release_due(40us, in), 2U);
  EXPECT_TRUE(g.held());
  EXPECT_EQ(g.next_due(), nanoseconds::max());
  in.room = {10, 10};
  EXPECT_EQ(g.release_due(90us, in), 3U);
  EXPECT_TRUE(g.done());
  EXPECT_EQ(in.published[0][0].intended, 40us);
  EXPECT_EQ(in.published[0][1].intended, 90us);
  EXPECT_EQ(in.published[0][1].released, 90us);
  EXPECT_EQ(g.lag().count(), 0U);
  EXPECT_EQ(g.schedule_time(), 0ns);
  EXPECT_EQ(g.blocked(), 50us);
}

TEST(Generator, StainsOneRowInNWithTheTimesOfItsRelease) {
  weir::measure::stain_sampler stain(10, 1'000, 16);
  generator g = paced(1'000, 35, 2, &stain);
  fake_inlet in(2);
  g.release_due(1s, in);
  ASSERT_EQ(stain.traces().size(), 3U);
  std::size_t stained = 0;
  for (const auto& lane : in.published) {
    for (const event& e : lane) {
      if (e.trace == nullptr) continue;
      ++stained;
      EXPECT_EQ(e.trace->sequence(), e.sequence);
      ASSERT_EQ(e.trace->entries().size(), 2U);
      const auto task = static_cast<std::uint16_t>(e.sequence % 2);
      EXPECT_EQ(e.trace->entries()[0], (trace_entry{trace_stage::source_emit, task, e.intended}));
      EXPECT_EQ(e.trace->entries()[1], (trace_entry{trace_stage::queue_in, task, 1s}));
    }
  }
  EXPECT_EQ(stained, 3U);
}

TEST(Generator, FewerRowsThanLanesLeaveTheLastLanesEmpty) {
  generator g = paced(1'000, 3, 8);
  fake_inlet in(8);
  EXPECT_EQ(g.release_due(1s, in), 3U);
  EXPECT_TRUE(g.done());
  for (std::size_t lane = 0; lane < 8; ++lane) EXPECT_EQ(in.published[lane].size(), lane < 3 ? 1U : 0U);
}

TEST(Generator, EveryRowIsReleasedOnceAtTheEdgesOfTheLookAhead) {
  for (const std::size_t lanes : {1U, 3U, 4U}) {
    const std::uint64_t block = generator::lookahead * lanes;
    for (const std::uint64_t rows : {block - 1, block, block + 1, 2 * block - 1, 2 * block, 2 * block + 1}) {
      SCOPED_TRACE(std::to_string(rows) + " rows, " + std::to_string(lanes) + " lanes");
      generator g = paced(1'000, rows, lanes);
      fake_inlet in(lanes);
      while (!g.done()) ASSERT_GT(g.release_due(1'000s, in), 0U);
      weir::measure::exactly_once seen;
      for (const auto& lane : in.published) {
        for (const event& e : lane) {
          seen.add(e.sequence);
          EXPECT_EQ(e.intended, e.sequence * 1ms);
        }
      }
      EXPECT_EQ(seen.value(), weir::measure::exactly_once::expected(rows));
      EXPECT_EQ(g.schedule_time(), (rows - 1) * 1ms);
    }
  }
}

TEST(Generator, NextDueLooksBeyondTheBlock) {
  generator g = paced(1'000, 65, 1);
  fake_inlet in(1);
  EXPECT_EQ(g.next_due(), 0ns);
  EXPECT_EQ(g.release_due(63ms, in), 64U);
  EXPECT_EQ(g.next_due(), 64ms);
  EXPECT_FALSE(g.held());
}

TEST(Generator, ABlockWithAHeldRowIsNotLeft) {
  generator g = paced(1'000, 65, 1);
  fake_inlet in(1, 63);
  EXPECT_EQ(g.release_due(64ms, in), 63U);
  EXPECT_TRUE(g.held());
  EXPECT_EQ(g.next_due(), nanoseconds::max());
  in.room[0] = 2;
  EXPECT_EQ(g.release_due(64ms, in), 1U);
  EXPECT_EQ(g.next_due(), 64ms);
  EXPECT_EQ(g.release_due(64ms, in), 1U);
  EXPECT_TRUE(g.done());
}

TEST(Generator, RunWaitsForEachRowAndTicksEachTurn) {
  nanoseconds time = 5s;
  generator g = paced(8'000, 200, 2);
  fake_inlet in(2);
  std::set<nanoseconds> ticks;
  g.run(leaping_clock{&time}, 5s, leap, in, [&](nanoseconds now) { ticks.insert(now); });
  EXPECT_TRUE(g.done());
  EXPECT_EQ(in.total(), 200U);
  EXPECT_EQ(g.lag().max(), 0ns);
  EXPECT_EQ(time, 5s + 199 * 125us);
  EXPECT_EQ(ticks.size(), 200U);
  EXPECT_EQ(*ticks.rbegin(), 5s + 199 * 125us);
}

TEST(Generator, RunWaitsForSpaceInTheFullLane) {
  nanoseconds time{};
  generator g = paced(1'000, 4, 2);
  fake_inlet in(2);
  in.room[1] = 0;
  g.run(leaping_clock{&time}, 0ns, leap, in, no_tick);
  EXPECT_TRUE(g.done());
  EXPECT_EQ(in.waited, (std::vector<std::size_t>{1, 1}));  // for row 1 and for row 3
}

TEST(Generator, RunEndsEarlyWhenALaneTakesNoMore) {
  nanoseconds time{};
  generator g = paced(1'000, 4, 1);
  fake_inlet in(1, 2);
  in.closed = true;
  g.run(leaping_clock{&time}, 0ns, leap, in, no_tick);
  EXPECT_FALSE(g.done());
  EXPECT_EQ(g.released(), 2U);
}

TEST(Generator, ReadsTheClockForEachRowWhereHandingOverMayBlock) {
  // Each hand-over takes 3 ms, the rows are due every 1 ms: a stamp per burst would be up to 9 ms old.
  generator g(weir::arrival::make(rate::per_second(1'000)), true, 4, 1, "abc", nullptr, 1);
  fake_inlet in(1);
  nanoseconds now = 3ms;  // all four are due
  while (!g.done()) {
    EXPECT_EQ(g.release_due(now, in), 1U);
    now += 3ms;
  }
  ASSERT_EQ(in.published[0].size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(in.published[0][i].released, 3ms + 3ms * i) << i;
  EXPECT_EQ(g.lag().max(), 9ms) << "12 ms less the 3 ms at which row 3 was due";
  EXPECT_EQ(g.blocked(), 0ns);
}

/// Every row is due 1 ms after the one before it, but for one that is due when it is told.
struct one_off {
  std::uint64_t row;
  nanoseconds due;
  std::uint64_t n = 0;
  nanoseconds next() noexcept { return n == row ? (++n, due) : n++ * 1ms; }
};

std::string refusal(one_off schedule, std::uint64_t released) {
  generator g(weir::arrival::any_schedule(schedule), true, 1'000, 2, "abc");
  fake_inlet in(2);
  try {
    while (!g.done()) g.release_due(1h, in);
  } catch (const weir::error& e) {
    EXPECT_EQ(g.released(), released);
    EXPECT_EQ(e.id(), "flow.schedule_goes_back");
    const std::string text = e.what();
    return text.substr(text.find("row"), text.find(':', text.find("row")) - text.find("row"));
  }
  return "taken";
}

TEST(Generator, RefusesAScheduleThatGoesBack) {
  EXPECT_EQ(refusal({5, 4ms}, 0), "taken");  // at once is in order
  EXPECT_EQ(refusal({5, 3ms}, 0), "row 5 is due at 3000000 ns, after one at 4000000 ns");
  EXPECT_EQ(refusal({0, -1ns}, 0), "row 0 is due at -1 ns, after one at 0 ns");
  EXPECT_EQ(refusal({128, 5ms}, 128), "row 128 is due at 5000000 ns, after one at 127000000 ns");
  EXPECT_EQ(refusal({999, -1ns}, 896), "row 999 is due at -1 ns, after one at 998000000 ns");
  EXPECT_EQ(refusal({127, 130ms}, 128), "row 128 is due at 128000000 ns, after one at 130000000 ns");
}

}  // namespace
