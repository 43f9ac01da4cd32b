#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Jobs and figures that the sections share.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <weir/base/units.hpp>
#include <weir/flow/pipeline.hpp>
#include <weir/flow/system.hpp>
#include <weir/job/answers.hpp>
#include <weir/measure/exactly_once.hpp>
#include <weir/measure/snapshot.hpp>
#include <weir/record/sample.hpp>

#include "known_server.hpp"

namespace truth {

inline constexpr std::uint64_t operations = 64;  // of the reference transform, where there is one

/// One job for a known server. Rows carry 16 characters: it is about time.
inline weir::flow::pipeline job(std::string name, std::uint64_t rows, std::uint64_t per_second) {
  weir::flow::pipeline p;
  p.run_id = name + "-1-1";
  p.scenario = std::move(name);
  p.asked = {.offered = weir::rate::per_second(per_second), .rows = rows, .parallelism = 1, .payload_size = 16};
  p.expected.rows = weir::measure::exactly_once::expected(rows);
  p.cores.generator = first_core();
  return p;
}

/// As job(), for a system that does the reference transform.
inline weir::flow::pipeline hashing_job(std::string name, std::uint64_t rows, std::uint64_t per_second) {
  weir::flow::pipeline p = job(std::move(name), rows, per_second);
  p.asked.transform_operations = operations;
  p.expected = weir::job::expected_answers(rows, p.asked.payload_size, true, operations);
  return p;
}

inline double mean_ns(const weir::measure::snapshot& h) {
  return h.count() > 0 ? static_cast<double>(h.sum().count()) / static_cast<double>(h.count()) : 0;
}

inline double at_ns(const weir::measure::snapshot& h, weir::measure::percentile p) {
  return static_cast<double>(h.at(p).value.count());
}

}  // namespace truth
