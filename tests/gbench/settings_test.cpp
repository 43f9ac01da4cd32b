// SPDX-License-Identifier: Apache-2.0

#include <weir/gbench/settings.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace {

using weir::gbench::expand;
using weir::gbench::read_flags;
using weir::gbench::settings;
using weir::gbench::detail::parse_placement;
using weir::job::spec;
using weir::record::budget;

using arguments = std::vector<std::string>;

settings flags(arguments given) { return read_flags(given); }

/// What read_flags() says about bad flags; "" when it takes them.
std::string refusal(arguments given) {
  try {
    (void)read_flags(given);
    return "";
  } catch (const weir::error& e) {
    EXPECT_EQ(e.id(), "job.refused");
    return e.what();
  }
}

arguments names(const std::vector<std::pair<std::string, spec>>& jobs) {
  arguments suffixes;
  for (const auto& [suffix, job] : jobs) suffixes.push_back(suffix);
  return suffixes;
}

TEST(ReadFlags, LeavesWhatIsNotWeirsInOrder) {
  arguments given{"program", "--benchmark_filter=x", "--weir_out=folder", "word", "--weir"};
  (void)read_flags(given);
  EXPECT_EQ(given, (arguments{"program", "--benchmark_filter=x", "word", "--weir"}));
}

TEST(ReadFlags, WithNoneOfWeirsAskForNothing) {
  const settings s = flags({"program", "--benchmark_repetitions=3"});
  EXPECT_FALSE(s.any);
  EXPECT_TRUE(s.params.empty());
  EXPECT_TRUE(s.out.empty());
}

TEST(ReadFlags, KeepsAFolderWithAnEqualsSign) {
  const settings s = flags({"--weir_out=a=b"});
  EXPECT_EQ(s.out, "a=b");
  EXPECT_TRUE(s.any);
}

TEST(ReadFlags, KnowsTheProfiles) {
  EXPECT_EQ(flags({"--weir_profile=full"}).budget,
            (budget{.profile = "full", .forks = 3, .warmup = 3, .iterations = 5, .iteration_seconds = 10}));
  EXPECT_EQ(flags({"--weir_profile=quick"}).budget.forks, 1U);
  EXPECT_EQ(flags({"--weir_profile=standard"}).budget.forks, 10U);
}

TEST(ReadFlags, OverridesAProfileByPartInEitherOrder) {
  const budget expected{.profile = "custom", .forks = 7, .warmup = 0, .iterations = 2, .iteration_seconds = 2.5};
  EXPECT_EQ(flags({"--weir_profile=full", "--weir_forks=7", "--weir_warmup=0", "--weir_iterations=2",
                   "--weir_iteration_time=2.5s"})
                .budget,
            expected);
  EXPECT_EQ(flags({"--weir_iteration_time=2.5", "--weir_iterations=2", "--weir_warmup=0", "--weir_forks=7",
                   "--weir_profile=full"})
                .budget,
            expected);
}

TEST(ReadFlags, StartsFromQuickWithoutAProfile) {
  budget expected = *weir::gbench::profile("quick");
  EXPECT_EQ(flags({"--weir_out=folder"}).budget, expected);
  expected.iterations = 7;
  expected.profile = "custom";
  EXPECT_EQ(flags({"--weir_iterations=7"}).budget, expected);
}

TEST(ReadFlags, ReadsFractionsAndTimes) {
  const settings s =
      flags({"--weir_precision=1%", "--weir_threshold=0.05", "--weir_max_time=90s", "--weir_timeout=1.5"});
  EXPECT_DOUBLE_EQ(s.precision.value(), 0.01);
  EXPECT_DOUBLE_EQ(s.threshold, 0.05);
  EXPECT_EQ(s.max_time, std::chrono::seconds(90));
  EXPECT_EQ(s.timeout, std::chrono::milliseconds(1500));
}

TEST(ReadFlags, ReadsSwitchesAndSeed) {
  const settings s =
      flags({"--weir_capacity", "--weir_progress=off", "--weir_seed=18446744073709551615", "--weir_max_forks=20"});
  EXPECT_TRUE(s.capacity);
  EXPECT_FALSE(s.compares());
  EXPECT_FALSE(s.progress);
  EXPECT_EQ(s.seed, 18446744073709551615U);
  EXPECT_EQ(s.max_forks, 20U);
}

TEST(ReadFlags, GivesAComparisonForksAndEachBuildOne) {
  EXPECT_EQ(flags({"--weir_aa"}).budget.forks, 10U);
  EXPECT_TRUE(flags({"--weir_aa"}).compares());
  EXPECT_EQ(flags({"--weir_aa", "--weir_forks=4"}).budget.forks, 4U);
  EXPECT_EQ(flags({"--weir_builds=/bin/sh,/bin/ls,/bin/cat"}).budget.forks, 3U);
}

TEST(ReadFlags, TakesProgramsThatCanBeRun) {
  EXPECT_EQ(flags({"--weir_against=/bin/sh"}).against, "/bin/sh");
  EXPECT_EQ(flags({"--weir_builds=/bin/sh,/bin/ls"}).builds.size(), 2U);
  EXPECT_NE(refusal({"--weir_against=/bin/no_such"}).find("[weir.flags.no_program] --weir_against: \"/bin/no_such\""),
            std::string::npos);
  EXPECT_NE(refusal({"--weir_builds=/bin/sh,/etc"}).find("[weir.flags.no_program] --weir_builds: \"/etc\""),
            std::string::npos);
}

TEST(ReadFlags, RefusesTwoKindsOfComparison) {
  EXPECT_NE(refusal({"--weir_aa", "--weir_against=/bin/sh"}).find("[weir.flags.contradiction] --weir_aa"),
            std::string::npos);
  EXPECT_NE(refusal({"--weir_aa", "--weir_builds=/bin/sh"}).find("[weir.flags.contradiction] --weir_builds"),
            std::string::npos);
}

TEST(ReadFlags, ReadsTheHarnesssOrderToAChild) {
  const settings s = flags({"--weir_child=7:99:5"});
  ASSERT_TRUE(s.child);
  EXPECT_EQ(s.child->wire, 7);
  EXPECT_EQ(s.child->layout_seed, 99U);
  EXPECT_EQ(s.child->draws_seed, 5U);
  for (const char* bad : {"--weir_child", "--weir_child=7", "--weir_child=7:9", "--weir_child=-1:9:5",
                          "--weir_child=x:9:5", "--weir_child=7:9:", "--weir_child=7:9:5:1"})
    EXPECT_NE(refusal({bad}).find("--weir_child"), std::string::npos) << bad;
}

TEST(ReadFlags, SplitsASweep) {
  const settings s = flags({"--weir_param=offered_rate=1000,2000", "--weir_param=arrival=pairs"});
  ASSERT_EQ(s.params.size(), 2U);
  EXPECT_EQ(s.params[0].name, "offered_rate");
  EXPECT_EQ(s.params[0].values, (arguments{"1000", "2000"}));
  EXPECT_EQ(s.params[1].values, arguments{"pairs"});
}

TEST(ReadFlags, SaysEverythingThatIsWrongAtOnce) {
  const std::string text =
      refusal({"--weir_profile=huge", "--weir_iterations=0", "--weir_warmup=-1", "--weir_iterations=2x",
               "--weir_iteration_time=0", "--weir_iteration_time=inf", "--weir_param=rows", "--weir_param==5",
               "--weir_out=", "--weir_pin=core:1", "--weir_speed=3", "--weir_precision=100%", "--weir_aa=yes"});
  for (const char* line :
       {"13 problems", "[weir.flags.unknown_profile] --weir_profile: \"huge\"",
        "[weir.flags.bad_count] --weir_iterations: \"0\"", "[weir.flags.bad_count] --weir_warmup: \"-1\"",
        "[weir.flags.bad_count] --weir_iterations: \"2x\"", "[weir.flags.bad_time] --weir_iteration_time: \"0\"",
        "[weir.flags.bad_time] --weir_iteration_time: \"inf\"", "[weir.flags.bad_param] --weir_param: \"rows\"",
        "[weir.flags.bad_param] --weir_param: \"=5\"", "[weir.flags.bad_folder] --weir_out",
        "[weir.flags.bad_placement] --weir_pin: \"core:1\"", "[weir.flags.unknown] --weir_speed",
        "[weir.flags.bad_fraction] --weir_precision: \"100%\"", "[weir.flags.bad_value] --weir_aa: \"yes\""})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\nin\n" << text;
}

TEST(ReadFlags, RefusesValuesThatAreNoWholeNumber) {
  for (const char* value : {"", "1e6", "1.5", " 5", "5 ", "+5", "1,,2", "99999999999999999999", "many"})
    EXPECT_NE(refusal({std::string("--weir_param=rows=") + value}).find("[weir.flags.bad_param] --weir_param=rows"),
              std::string::npos)
        << value;
  EXPECT_EQ(refusal({"--weir_param=rows=-5"}), "");  // a number: the engine says what is wrong with it
}

TEST(ReadFlags, RefusesAnUnknownParameterAndOneGivenTwice) {
  EXPECT_NE(refusal({"--weir_param=speed=5"}).find("--weir_param=speed: unknown: give rows, offered_rate"),
            std::string::npos);
  EXPECT_NE(refusal({"--weir_param=rows=5,6", "--weir_param=rows=7"}).find("--weir_param=rows: given twice"),
            std::string::npos);
}

TEST(ParsePlacement, ReadsOneCoreForTheGeneratorAndRangesForLanes) {
  const auto cores = parse_placement("generator:0,lanes:1-3,7");
  ASSERT_TRUE(cores);
  EXPECT_EQ(cores->generator, 0U);
  EXPECT_EQ(cores->lanes, (std::vector<unsigned>{1, 2, 3, 7}));
}

TEST(ParsePlacement, TakesEitherAlone) {
  EXPECT_TRUE(parse_placement("generator:5")->lanes.empty());
  EXPECT_EQ(parse_placement("lanes:4")->lanes, std::vector<unsigned>{4});
  EXPECT_EQ(parse_placement("lanes:4")->generator, std::nullopt);
}

TEST(ParsePlacement, RefusesWhatIsNoPlacement) {
  for (const char* text :
       {"", "3", "generator", "generator:", "generator:x", "generator:-1", "generator:0-1", "generator:0,generator:1",
        "generator:0,1", "lanes:3-1", "lanes:0-99999", "lanes:1,,2", "sink:0", "lanes:1-2-3"})
    EXPECT_EQ(parse_placement(text), std::nullopt) << text;
}

TEST(Expand, WithNoParameterGivesTheJobUnderItsOwnName) {
  const spec job{.run_id = "", .scenario = "s", .rows = 7};
  const auto jobs = expand(job, {});
  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_EQ(jobs[0].first, "");
  EXPECT_EQ(jobs[0].second, job);
}

TEST(Expand, NamesOnlySweptParameters) {
  const auto jobs = expand(spec{}, {{"rows", {"10"}}, {"offered_rate", {"1000", "2000"}}, {"parallelism", {"1", "2"}}});
  EXPECT_EQ(names(jobs), (arguments{"/offered_rate:1000/parallelism:1", "/offered_rate:1000/parallelism:2",
                                    "/offered_rate:2000/parallelism:1", "/offered_rate:2000/parallelism:2"}));
  for (const auto& [suffix, job] : jobs) EXPECT_EQ(job.rows, 10);
  EXPECT_EQ(jobs[3].second.rate_per_second, 2000);
  EXPECT_EQ(jobs[3].second.parallelism, 2);
}

TEST(Expand, SetsEveryParameter) {
  spec job;
  job.transform.emplace();
  const auto jobs = expand(job, {{"rows", {"1"}},
                                 {"offered_rate", {"2"}},
                                 {"parallelism", {"3"}},
                                 {"payload_size", {"4"}},
                                 {"transform_operations", {"5"}},
                                 {"arrival", {"pairs"}}});
  ASSERT_EQ(jobs.size(), 1U);
  const spec& one = jobs[0].second;
  EXPECT_EQ(one.rows, 1);
  EXPECT_EQ(one.rate_per_second, 2);
  EXPECT_EQ(one.parallelism, 3);
  EXPECT_EQ(one.payload_size, 4);
  EXPECT_EQ(one.transform->operations, 5);
  EXPECT_EQ(one.arrival, "pairs");
}

TEST(Expand, GivesNoTransformToAJobWithoutOne) {
  EXPECT_EQ(expand(spec{}, {{"transform_operations", {"5"}}})[0].second.transform, std::nullopt);
}

}  // namespace
