// SPDX-License-Identifier: Apache-2.0
#include <weir/report/labels.hpp>

#include <set>
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
  EXPECT_EQ(label_of("BM/std::less/n:1").path, "BM/std::less");
  EXPECT_EQ(label_of(":5").path, ":5");
  EXPECT_EQ(label_of("x:5").path, "x:5") << "the first segment is the benchmark's own";
  EXPECT_EQ(label_of("").path, "");
}

TEST(LabelOf, NoTwoNamesBecomeOne) {
  const std::vector<std::string> names{"a/x:1/b", "a/b/x:1", "a/x:1/x:2", "a/x:2", "/a", "a", "a//b", "a/b", "a/b/"};
  std::set<std::pair<std::string, params>> labels;
  for (const std::string& name : names) {
    const auto parts = label_of(name);
    EXPECT_TRUE(labels.emplace(parts.path, parts.params).second) << name;
  }
}

TEST(LabelOf, AParameterMayHoldSlashes) {
  auto run = weir_test::small_run();
  run.parameters = {{"arrival", {"trace:/a/b", "poisson"}}, {"file", {"/c/d"}}};
  run.benchmarks[0].name = "rows/row/x/arrival:trace:/a/b";
  const auto parts = label_of(run, run.benchmarks[0]);
  EXPECT_EQ(parts.path, "rows/row/x");
  EXPECT_EQ(parts.params, (params{{"arrival", "trace:/a/b"}, {"file", "/c/d"}}));
  EXPECT_EQ(series_name(run, run.benchmarks[0]), "rows/row/x/arrival:trace:/a/b/file:%2Fc%2Fd");
}

TEST(SeriesName, ShowsFixedParametersAsIfSwept) {
  auto run = weir_test::small_run();
  run.parameters.push_back({"rows", {"1", "2"}});  // a sweep: in the name already
  run.benchmarks[1].variant = "candidate";
  EXPECT_EQ(series_name(run, run.benchmarks[0]), "rows/row/copyPlainRow/payload_size:256");
  EXPECT_EQ(series_name(run, run.benchmarks[1]),
            "pipelines/sourceTransformSinkWithTrace/rows:1000000/payload_size:256/variant:candidate");
}

TEST(SeriesName, AnotherValueIsAnotherSeries) {
  auto run = weir_test::small_run();
  std::set<std::string> names;
  for (const char* value : {"1", "1/b:2", "1%2Fb:2"}) {
    run.parameters = {{"a", {value}}};
    EXPECT_TRUE(names.insert(series_name(run, run.benchmarks[0])).second) << value;
  }
  run.parameters = {{"a", {"1"}}, {"b", {"2"}}};
  EXPECT_TRUE(names.insert(series_name(run, run.benchmarks[0])).second);
}

}  // namespace
