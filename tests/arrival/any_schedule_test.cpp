// SPDX-License-Identifier: Apache-2.0
#include <weir/arrival/any_schedule.hpp>

#include <chrono>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using weir::rate;
using weir::arrival::any_schedule;
using weir::arrival::constant;

std::vector<nanoseconds> fill(any_schedule& due, std::size_t rows) {
  std::vector<nanoseconds> block(rows, -1ns);
  due.fill(block);
  return block;
}

TEST(AnySchedule, GoesOnFromBlockToBlock) {
  any_schedule due = constant(rate::per_second(700'000));
  constant expected(rate::per_second(700'000));
  for (const std::size_t rows : {1U, 0U, 256U, 7U}) {
    for (const nanoseconds row : fill(due, rows)) EXPECT_EQ(row, expected.next());
  }
}

TEST(AnySchedule, LeavesWhatIsOutsideTheBlock) {
  std::vector<nanoseconds> rows(4, -1ns);
  any_schedule due = weir::arrival::unpaced{};
  due.fill(std::span(rows).subspan(1, 2));
  EXPECT_EQ(rows, (std::vector<nanoseconds>{-1ns, 0ns, 0ns, -1ns}));
}

// A schedule of a user's own: two rows together, every second; it holds what cannot be copied.
class pairs {
 public:
  nanoseconds next() noexcept { return std::chrono::seconds((*row_)++ / 2); }

 private:
  std::unique_ptr<int> row_ = std::make_unique<int>(0);
};

TEST(AnySchedule, TakesAScheduleOfTheUser) {
  static_assert(weir::arrival::schedule<pairs>);
  any_schedule due = pairs{};
  EXPECT_EQ(fill(due, 5), (std::vector<nanoseconds>{0s, 0s, 1s, 1s, 2s}));
}

TEST(AnySchedule, KeepsItsPlaceWhenMoved) {
  static_assert(!std::is_copy_constructible_v<any_schedule>);
  static_assert(std::is_nothrow_move_constructible_v<any_schedule>);
  any_schedule due = constant(rate::per_second(1));
  (void)fill(due, 2);
  any_schedule moved = std::move(due);
  EXPECT_EQ(fill(moved, 1), std::vector<nanoseconds>{2s});
}

TEST(AnySchedule, IsMadeFromTheOfferedRate) {
  any_schedule paced = weir::arrival::make(rate::per_second(3));
  EXPECT_EQ(fill(paced, 4).back(), 1s);
  any_schedule unpaced = weir::arrival::make(rate{});
  EXPECT_EQ(fill(unpaced, 4).back(), 0s);
}

}  // namespace
