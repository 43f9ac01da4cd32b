#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Pipelines and stages that the tests of this room share.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weir/flow/pipeline.hpp>
#include <weir/flow/stage.hpp>
#include <weir/measure/exactly_once.hpp>
#include <weir/record/sample.hpp>

namespace weir_test {

/// A job of so many rows; rate 0: unpaced.
inline weir::flow::pipeline plan(std::uint64_t rows, std::uint64_t rate, std::uint64_t lanes = 1,
                                 std::uint64_t payload = 26) {
  weir::flow::pipeline p;
  p.run_id = "test-1-1";
  p.scenario = "test";
  p.asked = {.offered = weir::rate::per_second(rate), .rows = rows, .parallelism = lanes, .payload_size = payload};
  p.expected.rows = weir::measure::exactly_once::expected(rows);
  return p;
}

/// Every row came once, whole and after it was due.
inline void expect_complete(const weir::record::sample& s) {
  EXPECT_EQ(s.failure, std::nullopt);
  EXPECT_EQ(s.processed_rows, s.asked.rows);
  EXPECT_EQ(s.seen, s.expected);
  EXPECT_EQ(s.corrupt_payloads, 0U);
  EXPECT_EQ(s.negative_latencies, 0U);
  EXPECT_EQ(s.latency().count(), s.asked.rows);
}

/// Every event occupies its server for the same time.
struct fixed_service {
  std::chrono::nanoseconds time{};

  void operator()(weir::flow::event& e) const noexcept { e.checksum = 1; }
  [[nodiscard]] std::chrono::nanoseconds service_time(const weir::flow::event&) const noexcept { return time; }
};

/// Throws "row <n> is bad" on the rows given.
struct throws_on {
  std::vector<std::uint64_t> bad;

  void operator()(weir::flow::event& e) const {
    if (std::find(bad.begin(), bad.end(), e.sequence) != bad.end())
      throw std::runtime_error("row " + std::to_string(e.sequence) + " is bad");
  }
};

}  // namespace weir_test
