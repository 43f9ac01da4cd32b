// SPDX-License-Identifier: Apache-2.0
#include <weir/job/arrivals.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <weir/arrival/burst.hpp>
#include <weir/arrival/poisson.hpp>
#include <weir/arrival/ramp.hpp>
#include <weir/arrival/steps.hpp>
#include <weir/arrival/trace.hpp>

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using weir::rate;
using weir::arrival::any_schedule;
namespace arrival = weir::arrival;
namespace job = weir::job;

constexpr rate offered = rate::per_second(1'000);

std::vector<nanoseconds> first(any_schedule due) {
  std::vector<nanoseconds> all(500);
  due.fill(all);
  return all;
}

void expect_same(std::string_view text, any_schedule due, std::int64_t rows = 1'000'000) {
  job::problems found;
  const job::schedule_maker make = job::read_arrival(text, rows, found);
  ASSERT_TRUE(make) << text << job::comma_separated(found.lines());
  EXPECT_TRUE(found.empty());
  EXPECT_EQ(first(make(offered)), first(std::move(due))) << text;
  EXPECT_EQ(first(make(offered)), first(make(offered))) << text;  // a fresh one for each job
}

/// Ids and texts of what is wrong, a line each.
std::string wrong(std::string_view text, std::int64_t rows = 1'000) {
  job::problems found;
  const job::schedule_maker make = job::read_arrival(text, rows, found);
  EXPECT_EQ(found.empty(), make || text == "constant") << text;
  std::string lines;
  for (const std::string& line : found.lines()) lines += (lines.empty() ? "" : "\n") + line.substr(10);  // "[weir.job."
  return lines;
}

TEST(Arrivals, MakeTheLawThatTheyName) {
  expect_same("poisson", arrival::poisson(offered, 1));
  expect_same("poisson:seed=7", arrival::poisson(offered, 7));
  expect_same("poisson:seed=18446744073709551615", arrival::poisson(offered, ~std::uint64_t{0}));
  expect_same("burst:at_once=16", arrival::groups(offered, 16));
  expect_same("burst:on=10ms+off=90ms", arrival::on_off(offered, {10ms, 90ms}));
  expect_same("burst:off=1s+on=1500us", arrival::on_off(offered, {1'500us, 1s}));
  expect_same("ramp:from=1000+to=600000", arrival::ramp({1'000, 600'000, 1'000'000}));
  expect_same("ramp:to=0+from=5", arrival::ramp({5, 0, 9'000'000'000}), 9'000'000'000);
  expect_same("steps:1000x2s+5000x2s", arrival::steps({{1'000, 2s}, {5'000, 2s}}), 12'000);
  expect_same("steps:1000x100ns+0x7us+500000x3600s", arrival::steps({{1'000, 100ns}, {0, 7us}, {500'000, 1h}}));
}

TEST(Arrivals, AConstantRateNeedsNoMaker) {
  EXPECT_EQ(wrong("constant"), "");
  job::problems found;
  EXPECT_FALSE(job::read_arrival("constant", 1'000, found));
}

TEST(Arrivals, SayWhatIsWrongWithAParameter) {
  EXPECT_EQ(
      wrong("constant:rate=5"),
      "arrival_parameter_unknown] /source/arrival: \"constant:rate=5\": \"rate\" is not known here: it takes none");
  EXPECT_EQ(wrong("poisson:speed=5"),
            "arrival_parameter_unknown] /source/arrival: \"poisson:speed=5\": "
            "\"speed\" is not known here: give seed");
  EXPECT_EQ(wrong("poisson:seed=1+seed=2"),
            "arrival_parameter_twice] /source/arrival: \"poisson:seed=1+seed=2\": seed is there twice: keep one");
  EXPECT_EQ(wrong("burst:at_once=0"),
            "arrival_number_wrong] /source/arrival: \"burst:at_once=0\": at_once is \"0\": "
            "give a whole number, 1 to 1000000000");
  EXPECT_EQ(wrong("burst:on=10+off=90ms"),
            "arrival_time_wrong] /source/arrival: \"burst:on=10+off=90ms\": on is \"10\": give a whole number of ns, "
            "us, ms or s, up to a day, as in 10ms");
}

TEST(Arrivals, RefuseEachMistakeUnderItsId) {
  const auto id = [](std::string_view text) {
    const std::string all = wrong(text);
    return all.substr(0, all.find(']'));
  };
  for (const char* seed : {"", "-1", "x", "1.5", "18446744073709551616", " 1", "1 "})
    EXPECT_EQ(id("poisson:seed=" + std::string(seed)), "arrival_number_wrong") << seed;
  for (const char* text : {"poisson:", "poisson:7", "burst:at_once=4+=3", "ramp:from=1+to=2+", "ramp:from=1++to=2"})
    EXPECT_NE(id(text), "") << text;
  for (const char* text :
       {"burst", "burst:on=1ms", "burst:off=1ms", "burst:at_once=2+on=1ms", "burst:at_once=2+on=1ms+off=1ms", "ramp",
        "ramp:from=5", "ramp:to=5", "steps", "trace", "trace:", "trace:+gaps"})
    EXPECT_EQ(id(text), "arrival_parameter_missing") << text;
  for (const char* time : {"", "0s", "ms", "-1ms", "1m", "1.5s", "86401s", "99999999999999999999ns", "1 ms"})
    EXPECT_EQ(id("burst:on=1ms+off=" + std::string(time)), "arrival_time_wrong") << time;
  for (const char* text : {"ramp:from=0+to=0", "ramp:from=1+to=1000000001", "steps:x1s", "steps:1000000001x1s"})
    EXPECT_EQ(id(text), "arrival_number_wrong") << text;
  for (const char* text : {"steps:1000", "steps:1000x", "steps:1000x1", "steps:1000x0s"})
    EXPECT_EQ(id(text), "arrival_time_wrong") << text;
}

TEST(Arrivals, SayAllThatIsWrongAtOnce) {
  const std::string all = wrong("ramp:from=x+to=y+to=3+at=4");
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n') + 1, 4) << all;
}

TEST(Arrivals, StepsMustHoldTheRowsAndAllBeReached) {
  EXPECT_EQ(wrong("steps:1000x2s+5000x2s", 12'001),
            "arrival_too_short] /source/arrival: \"steps:1000x2s+5000x2s\": it holds 12000 rows and the job asks for "
            "12001: ask for fewer rows");
  EXPECT_EQ(wrong("steps:1000x2s+5000x2s", 2'000),
            "arrival_step_unreached] /source/arrival: \"steps:1000x2s+5000x2s\": 2000 rows end before the last step "
            "begins: ask for 2001 to 12000 rows");
  EXPECT_EQ(wrong("steps:1000x2s+5000x2s", 2'001), "");
  EXPECT_EQ(wrong("steps:1000x2s", 1), "");
}

/// A folder that is gone at the end of the test.
class scratch {
 public:
  scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "weir_arrivals_XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  ~scratch() { std::filesystem::remove_all(path); }

  [[nodiscard]] std::string write(const std::string& name, std::string_view text) const {
    std::ofstream(path / name, std::ios::binary) << text;
    return (path / name).string();
  }

  std::filesystem::path path;
};

TEST(Arrivals, ATraceIsAFileAndWhatItsLinesSay) {
  const scratch folder;
  std::string text;
  for (int n = 0; n < 600; ++n) text += std::to_string(n * n) + "\n";
  const std::string file = folder.write("rows+1.txt", text);
  expect_same("trace:" + file, arrival::trace(file, arrival::trace_lines::times), 600);
  expect_same("trace:" + file + "+gaps", arrival::trace(file, arrival::trace_lines::gaps), 600);
  const std::string all = wrong("trace:" + file, 601);
  EXPECT_EQ(all, "arrival_too_short] /source/arrival: \"trace:" + file +
                     "\": it holds 600 rows and the job asks for 601: ask for fewer rows");
}

TEST(Arrivals, ATraceThatIsNoneIsRefusedByItsFault) {
  const scratch folder;
  const auto id = [&](std::string_view text) {
    const std::string all = wrong("trace:" + folder.write("rows.txt", text));
    return all.substr(0, all.find(']'));
  };
  EXPECT_EQ(id(""), "arrival_trace_empty");
  EXPECT_EQ(id("2\n1\n"), "arrival_trace_unsorted");
  EXPECT_EQ(id("-1\n"), "arrival_trace_negative");
  EXPECT_EQ(id("one\n"), "arrival_trace_not_a_number");
  EXPECT_EQ(id("99999999999999999999\n"), "arrival_trace_too_large");
  EXPECT_EQ(id("\x1f\x8b\x08"), "arrival_trace_compressed");
  EXPECT_EQ(wrong("trace:/nowhere/rows.txt"),
            "arrival_trace_unreadable] /source/arrival: \"trace:/nowhere/rows.txt\": "
            "there is no such file, or it is not a plain one");
  const std::string pipe = (folder.path / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_NE(wrong("trace:" + pipe).find("not a plain one"), std::string::npos);  // and does not wait for a writer
}

TEST(Arrivals, ATraceThatChangesIsReadAgain) {
  const scratch folder;
  const std::string file = folder.write("rows.txt", "1\n2\n3\n");
  EXPECT_EQ(wrong("trace:" + file, 3), "");
  EXPECT_EQ(wrong("trace:" + file, 3), "");
  (void)folder.write("rows.txt", "1\n2\n");
  EXPECT_NE(wrong("trace:" + file, 3), "");
}

TEST(Arrivals, AreCheckedAgainstTheNamesThatAreKnown) {
  const auto check = [](std::string_view text, const std::vector<std::string>& known) {
    job::problems found;
    job::check_arrival(text, 1'000, known, found);
    return found.empty() ? "" : found.lines().front().substr(10);
  };
  const std::vector<std::string> known{"constant", "poisson", "pairs"};
  EXPECT_EQ(check("pairs", known), "");
  EXPECT_EQ(check("poisson:seed=3", known), "");
  EXPECT_EQ(check("poisson:sed=3", known).substr(0, 25), "arrival_parameter_unknown");
  EXPECT_EQ(check("pairs:of=3", known),
            "arrival_parameter_unknown] /source/arrival: \"pairs:of=3\": "
            "a schedule of yours takes no parameters: give pairs");
  EXPECT_EQ(check("burst", known), "unknown_arrival] /source/arrival: \"burst\": give one of constant, poisson, pairs");
  EXPECT_EQ(check("poisson", {"poisson", "poisson"}).substr(0, 18), "arrival_name_taken");
}

}  // namespace
