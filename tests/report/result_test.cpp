// SPDX-License-Identifier: Apache-2.0
#include <weir/report/result.hpp>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <unistd.h>

#include <cctype>
#include <csignal>

#include "small_run.hpp"

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using weir::analysis::summarize;
using weir::record::run_record;
using weir::report::read_result;
using weir::report::write_result;
using weir_test::small_run;

class Result : public testing::Test {
 protected:
  void SetUp() override { write_result(root_, small_run(), summarize(small_run())); }
  void TearDown() override { fs::remove_all(root_); }

  [[nodiscard]] std::string text() const {
    std::ifstream file(root_ / "result.json");
    return {std::istreambuf_iterator<char>(file), {}};
  }

  /// What reading says about a file with that text, the file's name cut out.
  [[nodiscard]] std::string refusal(const std::string& text) const {
    std::ofstream(root_ / "result.json") << text;
    try {
      (void)read_result(root_);
    } catch (const weir::error& e) {
      std::string what = e.what();
      const std::string path = (root_ / "result.json").string() + ' ';
      const auto at = what.find(path);
      EXPECT_NE(at, std::string::npos) << what;
      return at == std::string::npos ? what : what.erase(at, path.size());
    }
    return "no error";
  }
  [[nodiscard]] std::string refusal_of_edit(const std::function<void(ordered_json&)>& edit) const {
    ordered_json document = ordered_json::parse(text());
    edit(document);
    return refusal(document.dump());
  }

  const fs::path root_ = fs::path(testing::TempDir()) / ("weir_result_" + std::to_string(::getpid()));
};

TEST_F(Result, ReadsBackWhatWasWritten) {
  const ordered_json written = small_run();
  EXPECT_EQ(ordered_json(read_result(root_)), written);
  EXPECT_EQ(ordered_json(read_result(root_ / "result.json")), written);
}

/// The fields' names, of every depth; below `environments` are facts, below `reasons` ids of verdicts.
void collect(const ordered_json& node, std::set<std::string>& names) {
  for (const auto& [key, value] : node.items()) {
    if (node.is_object()) names.insert(key);
    if (value.is_structured() && !key.ends_with("environments") && key != "base_environment" && key != "reasons")
      collect(value, names);
  }
}

/// Words between backticks, of the lines of results.md that are about result.json.
std::set<std::string> documented(bool only_first_column) {
  std::ifstream file(fs::path(WEIR_SOURCE) / "docs/results.md");
  std::set<std::string> words;
  bool here = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) here = line == "## result.json";
    if (!here || (only_first_column && !line.starts_with("| `"))) continue;
    if (only_first_column) line.resize(line.find('|', 1));
    for (std::size_t open; (open = line.find('`')) != line.npos;) {
      const std::size_t end = line.find('`', open + 1);
      std::string word;
      for (const char c : line.substr(open + 1, end - open - 1) + ',') {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
          word += c;
        } else if (!word.empty()) {
          words.insert(std::exchange(word, ""));
        }
      }
      line.erase(0, end + 1);
    }
  }
  return words;
}

TEST_F(Result, TheDocumentListsEveryFieldAndNoOther) {
  run_record run = small_run();
  for (weir::record::fork& f : run.benchmarks[1].forks) {
    for (weir::record::invocation& i : f.invocations) {
      i.sample.slices = {{.p = weir::measure::p99, .half = 0, .rows = {1}, .below = {0}, .within = {1}}};
      i.sample.timeline = {{.at = {}, .busy_ratio = {0.5, 0.5}, .queue_fill = 0}};
    }
  }
  for (const std::size_t i : {0U, 1U}) {
    run.benchmarks.push_back(run.benchmarks[i]);
    run.benchmarks[i].variant = "base";
    run.benchmarks.back().variant = "candidate";
  }
  const auto report = weir::analysis::compare_variants(run);
  write_result(root_, run, summarize(run), &report);
  std::set<std::string> written;
  collect(ordered_json::parse(text()), written);
  const std::set<std::string> all = documented(false);
  for (const std::string& name : written) EXPECT_TRUE(all.contains(name)) << name << " is not in docs/results.md";
  for (const std::string& name : documented(true)) EXPECT_TRUE(written.contains(name)) << name << " is not written";
  EXPECT_GT(written.size(), 100U);
}

TEST_F(Result, HasTheFieldsThatTheDocumentsList) {
  const auto document = ordered_json::parse(text());
  EXPECT_EQ(document["schema_version"], 1);
  EXPECT_TRUE(document["tool"].get<std::string>().starts_with("weir 0."));
  EXPECT_EQ(document["complete"], true);
  EXPECT_EQ(document["run"]["program"], "demo");

  const auto& row = document["summary"]["benchmarks"][0];
  EXPECT_EQ(row["name"], "rows/row/copyPlainRow");
  EXPECT_EQ(row["forks_ok"], 2);
  EXPECT_EQ(row["forks_failed"], 1);
  EXPECT_EQ(row["classes"].size(), 2U);
  EXPECT_FALSE(row["findings"].empty());
  const auto& time = row["estimates"][0];
  EXPECT_EQ(time["id"], "time");
  EXPECT_EQ(time["unit"], "ns/op");
  EXPECT_EQ(time["better"], "lower");
  EXPECT_EQ(time["over"], "fork");
  EXPECT_DOUBLE_EQ(time["mean"].get<double>(), 11);
  EXPECT_NEAR(time["high"].get<double>(), 11 + 12.7062, 1e-3);  // t(0.975, 1) * 1
  EXPECT_EQ(time["level"], 0.95);
  EXPECT_EQ(time["df"], 1);
  EXPECT_EQ(time["fork_values"], ordered_json({10.0, 12.0}));
  for (const char* field : {"low", "median", "min", "max", "cv_between", "cv_within"})
    EXPECT_TRUE(time[field].is_number());

  const auto& pipeline = document["summary"]["benchmarks"][1];
  EXPECT_EQ(pipeline["samples"], 8);
  EXPECT_EQ(pipeline["valid"], 7);
  EXPECT_EQ(pipeline["reasons"]["rows_missing"], 1);
  EXPECT_EQ(pipeline["estimates"][0]["id"], "score");
  EXPECT_EQ(pipeline["estimates"][0]["better"], "higher");
  EXPECT_FALSE(pipeline["layers"].empty());
}

TEST_F(Result, IsStrictJsonWhateverIsUnknown) {
  run_record run = small_run();
  run.benchmarks[0].forks.resize(1);  // no interval: NaN in the summary
  run.benchmarks[0].forks[0].iterations.resize(2);
  write_result(root_, run, summarize(run));
  const auto document = ordered_json::parse(text());  // refuses NaN
  EXPECT_TRUE(document["summary"]["benchmarks"][0]["estimates"][0]["high"].is_null());
  EXPECT_TRUE(document["summary"]["benchmarks"][0]["estimates"][0]["cv_within"].is_null());
}

TEST_F(Result, AnInterruptedRunIsMarkedIncomplete) {
  run_record run = small_run();
  run.ended_by = "interrupted";
  write_result(root_, run, summarize(run));
  EXPECT_EQ(ordered_json::parse(text())["complete"], false);
  EXPECT_FALSE(read_result(root_).complete());
}

TEST_F(Result, AMissingFileIsNamedWithTheWayOut) {
  fs::remove(root_ / "result.json");
  try {
    (void)read_result(root_);
    ADD_FAILURE() << "no error";
  } catch (const weir::error& e) {
    EXPECT_EQ(e.id(), "report.no_result");
    EXPECT_EQ(e.where(), (root_ / "result.json").string());
    EXPECT_NE(std::string(e.what()).find("No such file or directory: give a folder that --weir_out=DIR has written"),
              std::string::npos);
  }
}

TEST_F(Result, ATruncatedFileIsRefusedAtItsByte) {
  const std::string half = text().substr(0, 100);
  EXPECT_TRUE(refusal(half).starts_with("[weir.record.json_malformed] byte 101: ")) << refusal(half);
  EXPECT_TRUE(refusal("").starts_with("[weir.record.json_malformed] byte 1: "));
}

TEST_F(Result, ForeignJsonIsRefused) {
  for (const char* foreign : {"[]", "3", "{}", R"({"context":{},"benchmarks":[]})", R"({"schema_version":1})"})
    EXPECT_TRUE(refusal(foreign).starts_with("[weir.report.foreign_file] document: ")) << foreign;
}

TEST_F(Result, AnotherSchemaIsRefusedWithTheToolThatWroteIt) {
  EXPECT_EQ(refusal_of_edit([](auto& d) { d["schema_version"] = 99, d["tool"] = "weir 9.0.0"; }),
            "[weir.report.other_schema] /schema_version: 99: weir " + weir::report::detail::version() +
                " reads 1; this file is newer: use the weir that wrote it (\"weir 9.0.0\")");
  EXPECT_NE(refusal_of_edit([](auto& d) { d["schema_version"] = 0; }).find("this file is older"), std::string::npos);
  EXPECT_NE(refusal_of_edit([](auto& d) { d["schema_version"] = "x"; }).find("other_schema"), std::string::npos);
}

TEST_F(Result, EditsByHandAreRefusedAtTheirPlaces) {
  EXPECT_EQ(refusal_of_edit([](auto& d) {
              auto& fork = d["run"]["benchmarks"][0]["forks"][1];
              fork["iterations"][0]["real_ns"] = "fast";
              fork["iterations"][1].erase("operations");
              fork["speed"] = 3;
            }),
            "[weir.record.json_malformed] /run/benchmarks/0/forks/1/iterations/0/real_ns: \"fast\": must be a finite "
            "number; /run/benchmarks/0/forks/1/iterations/1/operations: missing; /run/benchmarks/0/forks/1/speed: "
            "unknown field");
  EXPECT_TRUE(refusal_of_edit([](auto& d) { d["run"] = 3; }).starts_with("[weir.record.json_malformed] /run: 3: "));
}

/// A limit on the size of files fails as a full disk does: in the middle of a write.
TEST_F(Result, OnAFullDiskThePreviousFileStaysWhole) {
  const std::string before = text();
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit full{.rlim_cur = 10'000, .rlim_max = old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &full), 0);
  std::string what = "no error";
  try {
    write_result(root_, small_run(), summarize(small_run()));
  } catch (const weir::error& e) {
    what = e.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(what, "[weir.report.cannot_write] --weir_out: " + (root_ / "result.json").string() + ": File too large");
  EXPECT_EQ(text(), before);
  EXPECT_EQ(std::distance(fs::directory_iterator(root_), fs::directory_iterator()), 1) << "something was left";
}

}  // namespace
