// SPDX-License-Identifier: Apache-2.0
#include <weir/report/folder.hpp>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <unistd.h>

#include "small_run.hpp"

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using weir::report::write_all;
using weir_test::small_run;

class WriteAll : public testing::Test {
 protected:
  void TearDown() override { fs::remove_all(root_); }

  [[nodiscard]] std::string text_of(const char* name) const {
    std::ifstream file(root_ / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const fs::path root_ = fs::path(testing::TempDir()) / ("weir_write_all_" + std::to_string(::getpid()));
};

TEST_F(WriteAll, LeavesExactlyTheFilesOfAResultFolder) {
  write_all(root_, small_run());
  write_all(root_, small_run());
  std::set<std::string> files;
  std::size_t jobs = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root_)) {
    if (!entry.is_regular_file()) continue;
    const std::string name = fs::relative(entry.path(), root_).string();
    if (name.starts_with("pipeline-results/sourceTransformSinkWithTrace-1700000000-"))
      ++jobs;
    else
      files.insert(name);
  }
  EXPECT_EQ(files, (std::set<std::string>{"result.json", "summary.md", "raw.csv", "environment.json",
                                          "exports/google-benchmark.json", "exports/jmh.json", "exports/bencher.json",
                                          "exports/github-action-smaller.json", "exports/github-action-bigger.json"}));
  EXPECT_EQ(jobs, 8U) << "two sound forks of two measured iterations of two jobs";
  EXPECT_EQ(ordered_json::parse(text_of("environment.json"))["commit"], "abc123");
  EXPECT_FALSE(ordered_json::parse(text_of("result.json"))["summary"].contains("comparison"));
}

TEST_F(WriteAll, SidesAreCompared) {
  auto run = small_run();
  run.benchmarks[0].forks.erase(run.benchmarks[0].forks.begin() + 1);
  run.benchmarks[1] = run.benchmarks[0];
  run.benchmarks[0].variant = "base";
  run.benchmarks[1].variant = "candidate";
  write_all(root_, run);
  EXPECT_TRUE(text_of("summary.md").find("## Comparison") != std::string::npos);
  const auto document = ordered_json::parse(text_of("result.json"));
  const auto& rows = document["summary"]["comparison"]["rows"];
  ASSERT_FALSE(rows.empty());
  EXPECT_EQ(rows[0]["id"], "time");
  for (const char* field : {"benchmark", "unit", "base", "candidate", "ratio", "low", "high", "p", "p_holm", "paired",
                            "detectable", "verdict", "not_comparable"})
    EXPECT_TRUE(rows[0].contains(field)) << field;
}

TEST_F(WriteAll, SeveralHostsHaveAnArrayOfEnvironments) {
  auto run = small_run();
  run.environments.push_back(run.environments[0]);
  write_all(root_, run);
  EXPECT_EQ(ordered_json::parse(text_of("environment.json")).size(), 2U);
}

TEST_F(WriteAll, AFolderThatCannotBeWrittenIsNamed) {
  std::ofstream(root_) << "a file";
  try {
    write_all(root_, small_run());
    ADD_FAILURE() << "no error";
  } catch (const weir::error& e) {
    EXPECT_EQ(e.id(), "report.cannot_write");
    EXPECT_EQ(e.where(), "--weir_out");
  }
}

}  // namespace
