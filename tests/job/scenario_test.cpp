// SPDX-License-Identifier: Apache-2.0
#include <weir/job/scenario.hpp>

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

using weir::job::find_scenario;
using weir::job::scenario;

std::vector<std::string> features(std::string_view name) { return find_scenario(name)->features(); }

TEST(Scenarios, AreTheSixByTheirUpstreamNames) {
  std::vector<std::string> names;
  for (const scenario& s : weir::job::scenarios) names.emplace_back(s.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"sourceSink", "sourceTransformSink", "sourceTransformSinkWithAsyncBoundary",
                                      "sourceTransformSinkWithObservability", "sourceTransformSinkWithTrace",
                                      "sourceTransformSinkWithObservabilityAndTrace"}));
}

TEST(Scenarios, HaveIdsOfTheirOwnInRunIds) {
  std::set<std::string> ids;
  for (const scenario& s : weir::job::scenarios) ids.emplace(s.id);
  EXPECT_EQ(ids.size(), 6U);
  EXPECT_EQ(find_scenario("sourceSink")->id, "source-sink");
  EXPECT_EQ(find_scenario("sourceTransformSinkWithObservabilityAndTrace")->id,
            "source-transform-sink-observability-trace");
}

TEST(Scenarios, NameTheFeaturesThatMustFire) {
  using names = std::vector<std::string>;
  EXPECT_EQ(features("sourceSink"), names{});
  EXPECT_EQ(features("sourceTransformSink"), names{});
  EXPECT_EQ(features("sourceTransformSinkWithAsyncBoundary"), names{"async_boundary"});
  EXPECT_EQ(features("sourceTransformSinkWithObservability"), (names{"async_boundary", "observability"}));
  EXPECT_EQ(features("sourceTransformSinkWithTrace"), names{"trace"});
  EXPECT_EQ(features("sourceTransformSinkWithObservabilityAndTrace"),
            (names{"async_boundary", "observability", "trace"}));
}

TEST(Scenarios, AllButTheFirstTransform) {
  for (const scenario& s : weir::job::scenarios) EXPECT_EQ(s.transform, s.name != "sourceSink") << s.name;
}

TEST(Scenarios, AnUnknownNameFindsNone) {
  EXPECT_EQ(find_scenario("sourcesink"), nullptr);
  EXPECT_EQ(find_scenario(""), nullptr);
}

}  // namespace
