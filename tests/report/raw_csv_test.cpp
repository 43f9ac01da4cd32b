// SPDX-License-Identifier: Apache-2.0
#include <weir/report/raw_csv.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "small_run.hpp"

namespace {

using weir::record::run_record;
using weir::report::raw_csv;
using weir_test::row_fork;
using weir_test::small_run;

run_record rows_only() {
  run_record run = small_run();
  run.benchmarks.resize(1);
  run.parameters.clear();
  return run;
}

TEST(RawCsv, HasALineForEachIterationUnderTheColumnsOfPa) {
  EXPECT_EQ(raw_csv(rows_only()),
            "project;commit;benchmark;params;instance;trial;fork;iteration;mode;unit;value_count;value;"
            "operations;started_ns;order;phase;valid\n"
            "demo;abc123;rows/row/copyPlainRow;;1;1;1;1;avgt;ns/op;1;1000;1000000;0;0;warmup;true\n"
            "demo;abc123;rows/row/copyPlainRow;;1;1;1;2;avgt;ns/op;1;9;1000000;0;0;measured;true\n"
            "demo;abc123;rows/row/copyPlainRow;;1;1;1;3;avgt;ns/op;1;11;1000000;0;0;measured;true\n"
            "demo;abc123;rows/row/copyPlainRow;;1;1;2;1;avgt;ns/op;1;1000;1000000;2000000000;2;warmup;false\n"
            "demo;abc123;rows/row/copyPlainRow;;1;1;2;2;avgt;ns/op;1;499;1000000;2000000000;2;measured;false\n"
            "demo;abc123;rows/row/copyPlainRow;;1;1;2;3;avgt;ns/op;1;501;1000000;2000000000;2;measured;false\n"
            "demo;abc123;rows/row/copyPlainRow;;1;1;3;1;avgt;ns/op;1;1000;1000000;4000000000;4;warmup;true\n"
            "demo;abc123;rows/row/copyPlainRow;;1;1;3;2;avgt;ns/op;1;11;1000000;4000000000;4;measured;true\n"
            "demo;abc123;rows/row/copyPlainRow;;1;1;3;3;avgt;ns/op;1;13;1000000;4000000000;4;measured;true\n");
}

TEST(RawCsv, PipelinesHaveALineForEachJobWithParametersApart) {
  run_record run = small_run();
  run.benchmarks.erase(run.benchmarks.begin());
  const std::string text = raw_csv(run);
  EXPECT_EQ(std::ranges::count(text, '\n'), 1 + 12);
  const std::string head = "\ndemo;abc123;pipelines/sourceTransformSinkWithTrace;rows=1000000,payload_size=256;1;1;";
  EXPECT_NE(text.find(head + "1;1;avgt;ns/op;1;2000;1000000;1000000000;1;warmup;true\n"), std::string::npos) << text;
  EXPECT_NE(text.find(head + "3;3;avgt;ns/op;1;2500.0025000025;999999;5000000000;5;measured;false\n"),
            std::string::npos)
      << text;
}

TEST(RawCsv, SortsByBenchmarkAndParameters) {
  run_record run = rows_only();
  run.benchmarks[0].forks.resize(1);
  run.benchmarks[0].forks[0].iterations.resize(1);
  run.benchmarks.resize(4, run.benchmarks[0]);
  run.benchmarks[0].name = "b/size:2";
  run.benchmarks[1].name = "b/size:1";
  run.benchmarks[2].name = "a";
  run.benchmarks[3].name = "a";
  run.benchmarks[3].variant = "base";
  run.benchmarks[2].variant = "candidate";
  std::string text = raw_csv(run);
  std::vector<std::string> names;
  for (text = text.substr(text.find('\n') + 1); !text.empty(); text = text.substr(text.find('\n') + 1))
    names.push_back(text.substr(5, text.find(";1;1;1;1;") - 5));
  EXPECT_EQ(names, (std::vector<std::string>{"base;a;", "candidate;a;", "abc123;b;size=1", "abc123;b;size=2"}));
}

TEST(RawCsv, ForksAreCountedInTheirHostAndBuild) {
  run_record run = rows_only();
  auto& forks = run.benchmarks[0].forks;
  forks = {row_fork(0, 10), row_fork(1, 10), row_fork(2, 10)};
  for (auto& f : forks) f.iterations.resize(1);
  forks[1].host = "h2";
  forks[2].build = "other";
  const std::string text = raw_csv(run);
  EXPECT_NE(text.find(";;1;1;1;1;avgt"), std::string::npos) << text;
  EXPECT_NE(text.find(";;h2;1;1;1;avgt"), std::string::npos) << text;
  EXPECT_NE(text.find(";;1;2;1;1;avgt"), std::string::npos) << text;
}

TEST(RawCsv, QuotesWhatWouldEndAFieldAndKeepsUtf8) {
  run_record run = rows_only();
  run.program = "a;b\"c\nd\xFF";
  EXPECT_NE(raw_csv(run).find("\n\"a;b\"\"c\nd\xEF\xBF\xBD\";abc123;"), std::string::npos);
}

TEST(RawCsv, AJobWithoutRowsHasNoLine) {
  run_record run = small_run();
  run.benchmarks.erase(run.benchmarks.begin());
  run.benchmarks[0].forks[0].invocations[3].sample.processed_rows = 0;
  const std::string text = raw_csv(run);
  EXPECT_EQ(std::ranges::count(text, '\n'), 1 + 11);
  EXPECT_EQ(text.find("inf"), std::string::npos);
}

}  // namespace
