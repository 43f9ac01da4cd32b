// SPDX-License-Identifier: Apache-2.0
#include <weir/report/labels.hpp>

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "small_run.hpp"

namespace {

using weir::report::label_of;
using weir::report::series_name;
using params = std::vector<std::pair<std::string, std::string>>;

TEST(LabelOf, TakesSweptParametersOutOfTheName) {
  const auto parts = label_of("pipelines/sourceSink/rows:1000/arrival:poisson");
  EXPECT_EQ(parts.path, "pipelines/sourceSink");
  EXPECT_EQ(parts.params, (params{{"rows", "1000"}, {"arrival", "poisson"}}));
}

TEST(LabelOf, TypesAndArgumentsArePartOfTheName) {
  EXPECT_EQ(label_of("BM_sort<std::vector<int>>/8/threads:4").path, "BM_sort<std::vector<int>>/8");
  EXPECT_EQ(label_of("BM_sort<std::vector<int>>/8/threads:4").params, (params{{"threads", "4"}}));
  EXPECT_EQ(label_of(":5").path, ":5");
  EXPECT_EQ(label_of("").path, "");
}

TEST(SeriesName, ShowsFixedParametersOfPipelinesAsIfSwept) {
  auto run = weir_test::small_run();
  run.parameters.push_back({"rows", {"1", "2"}});  // a sweep: in the name already
  run.benchmarks[1].variant = "candidate";
  EXPECT_EQ(series_name(run, run.benchmarks[0]), "rows/row/copyPlainRow");
  EXPECT_EQ(series_name(run, run.benchmarks[1]),
            "pipelines/sourceTransformSinkWithTrace/rows:1000000/payload_size:256/variant:candidate");
}

}  // namespace
