#include <weir/gbench/row_suite.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include <benchmark/benchmark.h>
#include <gtest/gtest.h>

#include <weir/data/naive_row.hpp>
#include <weir/data/row.hpp>

#include "run_briefly.hpp"

namespace {

using weir::data::row;
using weir::data::row_fields;

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
    const std::string json = run_briefly("^rows/" + name + "/");
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
  const std::string json = run_briefly("^rows/least/");
  EXPECT_EQ(count(json, "\"name\": "), 4U) << json;
  EXPECT_EQ(count(json, "error_occurred"), 0U) << json;
}

TEST(RowSuite, RefusesToTimeACopyThatLosesAField) {
  const std::string json = run_briefly("^rows/loses_name/copyPlainRow");
  EXPECT_NE(json.find("wrong result for row 0"), std::string::npos) << json;
}

TEST(RowSuite, RefusesToTimeAWrongSize) {
  const std::string json = run_briefly("^rows/wrong_size/(createRowAndGetBytesSize|getBytesSizeCached)");
  EXPECT_EQ(count(json, "wrong result for row 0"), 2U) << json;
}

TEST(RowSuite, RefusesToTimeOptionsAndProjectionsThatAreNotTheCopys) {
  EXPECT_NE(run_briefly("^rows/sharing/copyThenMutate").find("wrong result for row 0"), std::string::npos);
  EXPECT_NE(run_briefly("^rows/sharing/copyProjectedPlainRow").find("wrong result for row 0"), std::string::npos);
}

}  // namespace
