// SPDX-License-Identifier: Apache-2.0
#include <weir/flow/pipeline.hpp>

#include <chrono>
#include <vector>

#include <gtest/gtest.h>

#include <weir/base/error.hpp>
#include <weir/base/os.hpp>

#include "plans.hpp"

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using weir::flow::describe;
using weir::flow::placement;

TEST(Placement, IsDescribedInWords) {
  EXPECT_EQ(describe({}), "");
  EXPECT_EQ(describe({.generator = 3, .lanes = {}}), "generator on core 3");
  EXPECT_EQ(describe({.generator = {}, .lanes = {1, 2}}), "lanes on 1 2");
  EXPECT_EQ(describe({.generator = 0, .lanes = {1}}), "generator on core 0, lanes on 1");
}

TEST(Placement, OnACoreThatIsNotThereIsRefused) {
  weir::flow::check(placement{});
  for (const placement& bad :
       {placement{.generator = 100'000, .lanes = {}}, placement{.generator = {}, .lanes = {100'000}}}) {
    try {
      weir::flow::check(bad);
      FAIL() << "accepted " << describe(bad);
    } catch (const weir::error& e) {
      EXPECT_EQ(e.id(), "flow.core_not_usable");
      EXPECT_NE(std::string(e.what()).find("100000"), std::string::npos) << e.what();
    }
  }
}

TEST(Pipeline, IsPacedByItsRateOrByASchedule) {
  EXPECT_TRUE(weir_test::plan(1, 5).paced());
  EXPECT_FALSE(weir_test::plan(1, 0).paced());
  weir::flow::pipeline p = weir_test::plan(1, 0);
  p.schedule = [] { return weir::arrival::make(weir::rate::per_second(10)); };
  EXPECT_TRUE(p.paced());
}

TEST(Pipeline, MakesTheScheduleOfItsRateUnlessItHasItsOwn) {
  const auto second_row = [](const weir::flow::pipeline& p) {
    std::vector<nanoseconds> due(2);
    p.make_schedule().fill(due);
    return due[1];
  };
  weir::flow::pipeline p = weir_test::plan(2, 1'000);
  EXPECT_EQ(second_row(p), 1ms);
  p.schedule = [] { return weir::arrival::make(weir::rate::per_second(10)); };
  EXPECT_EQ(second_row(p), 100ms);
}

}  // namespace
