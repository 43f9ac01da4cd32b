// SPDX-License-Identifier: Apache-2.0
#include <weir/record/merge.hpp>

#include <set>
#include <string>

#include <gtest/gtest.h>

#include <weir/base/error.hpp>

#include "../report/small_run.hpp"

namespace {

using weir::record::merge;
using weir::record::run_record;
using weir_test::small_run;

std::string error_of(const run_record& other, const std::string& host = "h2") {
  try {
    (void)merge({{"h1", small_run()}, {host, other}});
  } catch (const weir::error& e) {
    return e.what();
  }
  return "no error";
}

TEST(Merge, MakesTheHostALayerOfEachBenchmark) {
  run_record second = small_run();
  second.started = "2024-05-06T06:00:00Z";
  second.took = std::chrono::seconds(9);
  second.benchmarks.push_back({"rows/row/readFields", "", {weir_test::row_fork(6, 1)}});
  const run_record all = merge({{"h1", small_run()}, {"h2", second}});
  ASSERT_EQ(all.benchmarks.size(), 3U);
  EXPECT_EQ(all.benchmarks[2].name, "rows/row/readFields");
  EXPECT_EQ(all.started, "2024-05-06T06:00:00Z");
  EXPECT_EQ(all.took, std::chrono::seconds(9));
  EXPECT_EQ(all.budget.forks, 6U);
  EXPECT_EQ(all.environments.size(), 2U);
  EXPECT_TRUE(all.complete());

  std::set<std::uint32_t> places;
  for (const auto& b : all.benchmarks)
    for (const auto& f : b.forks) EXPECT_TRUE(places.insert(f.place).second) << "place " << f.place << " twice";
  const auto& forks = all.benchmarks[0].forks;
  ASSERT_EQ(forks.size(), 6U);
  EXPECT_EQ(forks[2].host, "h1");
  EXPECT_EQ(forks[3].host, "h2");
  EXPECT_EQ(forks[3].place, 6U);
  EXPECT_EQ(forks[3].block, 3U);
}

TEST(Merge, OneIncompleteResultMakesTheWholeIncomplete) {
  run_record second = small_run();
  second.ended_by = "interrupted";
  EXPECT_FALSE(merge({{"h1", small_run()}, {"h2", second}}).complete());
  EXPECT_FALSE(merge({{"h2", second}, {"h1", small_run()}}).complete());
}

TEST(Merge, SidesOfAComparisonStayApart) {
  run_record run = small_run();
  run.benchmarks[0].variant = "base";
  run_record other = run;
  other.benchmarks[0].variant = "candidate";
  EXPECT_EQ(merge({{"h1", run}, {"h2", other}}).benchmarks.size(), 3U);
}

TEST(Merge, HostsThatResultsNameAreKept) {
  const run_record two = merge({{"h1", small_run()}, {"h2", small_run()}});
  const run_record three = merge({{"both", two}, {"h3", small_run()}});
  EXPECT_EQ(three.benchmarks[0].forks[3].host, "h2");
  EXPECT_EQ(three.benchmarks[0].forks[6].host, "h3");
  EXPECT_EQ(error_of(two, "both"), "[weir.record.merge_host_twice] both: \"h1\": another result names that host too");
}

TEST(Merge, RefusesWhatIsNotTheSameExperiment) {
  run_record other = small_run();
  other.parameters = {{"rows", {"1", "2"}}};
  EXPECT_EQ(error_of(other),
            "[weir.record.merge_differs] h2: demo with rows=1,2, h1 is demo with payload_size=256: merge results of "
            "one program and one set of parameters");
  other = small_run();
  other.program = "rows";
  other.parameters.clear();
  EXPECT_EQ(error_of(other),
            "[weir.record.merge_differs] h2: rows with no parameters, h1 is demo with payload_size=256: merge results "
            "of one program and one set of parameters");
}

}  // namespace
