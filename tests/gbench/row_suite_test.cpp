#include <weir/gbench/row_suite.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>

#include <benchmark/benchmark.h>
#include <gtest/gtest.h>

#include <weir/data/naive_row.hpp>
#include <weir/data/row.hpp>

namespace {

using weir::data::row;
using weir::data::row_fields;

/// Runs what matches, briefly, and returns Google Benchmark's JSON.
std::string run(const std::string& filter) {
  std::string program = "row_suite_test";
  std::string brief = "--benchmark_min_time=0.0001";
  char* arguments[] = {program.data(), brief.data(), nullptr};
  int n = 2;
  benchmark::Initialize(&n, arguments);
  std::ostringstream out;
  benchmark::JSONReporter reporter;
  reporter.SetOutputStream(&out);
  reporter.SetErrorStream(&out);
  benchmark::RunSpecifiedBenchmarks(&reporter, filter);
  return out.str();
}

std::size_t count(const std::string& text, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

/// Only what row_like asks for, wrong where Fault says so.
enum class fault { none, loses_name, wrong_size };
template <fault Fault>
struct least_row {
  explicit least_row(const row_fields& f) : inner(f) {}
  least_row(const least_row& other) : inner(other.inner) {
    if (Fault == fault::loses_name) inner.set(1, "");
  }
  least_row& operator=(const least_row&) = default;
  row_fields fields() const { return inner.fields(); }
  std::uint32_t bytes_size() const { return inner.bytes_size() + (Fault == fault::wrong_size ? 1 : 0); }
  row inner;
};

/// Copies that share their options: what copy-on-write must not do.
struct sharing_row : weir::data::naive_row {
  using naive_row::naive_row;
  template <class T>
  void set_option(std::string_view name, const T&) {
    names->emplace(name);
  }
  std::size_t option_count() const { return names->size(); }
  sharing_row project(std::span<const std::uint32_t>) const { return *this; }
  std::shared_ptr<std::set<std::string>> names = std::make_shared<std::set<std::string>>();
};

const bool rows_registered = weir::gbench::register_row_suite<row>("row") &&
                             weir::gbench::register_row_suite<weir::data::naive_row>("naive_row") &&
                             weir::gbench::register_row_suite<least_row<fault::none>>("least") &&
                             weir::gbench::register_row_suite<least_row<fault::loses_name>>("loses_name") &&
                             weir::gbench::register_row_suite<least_row<fault::wrong_size>>("wrong_size") &&
                             weir::gbench::register_row_suite<sharing_row>("sharing");

TEST(RowSuite, RunsTenScenariosOnBothRows) {
  for (const std::string name : {"row", "naive_row"}) {
    const std::string json = run("^rows/" + name + "/");
    for (const char* scenario :
         {"copyPlainRow", "copyRowWithOptions", "copyRowWithTracePayload", "copyProjectedPlainRow",
          "copyProjectedRowWithOptions", "copyThenMutateCopiedOptions", "readFields", "getBytesSizeCached",
          "createRowAndGetBytesSize", "createRowWithSetField"}) {
      EXPECT_EQ(count(json, "\"name\": \"rows/" + name + "/" + scenario + "\""), 1U) << json;
    }
    EXPECT_EQ(count(json, "\"items_per_second\": "), 10U) << json;
    EXPECT_EQ(count(json, "error_occurred"), 0U) << json;
  }
}

TEST(RowSuite, OffersWhatALeastRowCanDo) {
  const std::string json = run("^rows/least/");
  EXPECT_EQ(count(json, "\"name\": "), 4U) << json;
  EXPECT_EQ(count(json, "error_occurred"), 0U) << json;
}

TEST(RowSuite, RefusesToTimeACopyThatLosesAField) {
  const std::string json = run("^rows/loses_name/copyPlainRow");
  EXPECT_NE(json.find("wrong result for row 0"), std::string::npos) << json;
}

TEST(RowSuite, RefusesToTimeAWrongSize) {
  const std::string json = run("^rows/wrong_size/(createRowAndGetBytesSize|getBytesSizeCached)");
  EXPECT_EQ(count(json, "wrong result for row 0"), 2U) << json;
}

TEST(RowSuite, RefusesToTimeOptionsAndProjectionsThatAreNotTheCopys) {
  EXPECT_NE(run("^rows/sharing/copyThenMutate").find("wrong result for row 0"), std::string::npos);
  EXPECT_NE(run("^rows/sharing/copyProjectedPlainRow").find("wrong result for row 0"), std::string::npos);
}

}  // namespace
