// SPDX-License-Identifier: Apache-2.0
//
// One stall of 50 ms in a run of 1,000,000 rows at 600,000 a second: the percentiles that follow from theory, what
// weir measures, and what a tool would report that waits for each answer before it sends on.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>

#include <weir/base/cpu.hpp>
#include <weir/base/os.hpp>
#include <weir/base/units.hpp>
#include <weir/clock/steady.hpp>
#include <weir/clock/waiting.hpp>
#include <weir/job/local_engine.hpp>
#include <weir/job/scenario.hpp>
#include <weir/job/spec.hpp>
#include <weir/judge/verdict.hpp>
#include <weir/measure/histogram.hpp>
#include <weir/report/console.hpp>
#include <weir/stats/queueing.hpp>

#include "faulty.hpp"
#include "known_server.hpp"
#include "plans.hpp"
#include "sections.hpp"

namespace truth {

namespace {

using namespace std::chrono_literals;
using weir::measure::p50;
using weir::measure::p99;
using weir::measure::p999;
using weir::report::human_time;

constexpr nanoseconds length = 50ms;
constexpr std::uint64_t rows = 1'000'000;
constexpr std::uint64_t per_second = 600'000;
constexpr nanoseconds service(800);

void add_quantiles(ledger& to, const std::string& name, const weir::record::sample& s, double utilization) {
  const auto latency = s.latency();
  const weir::stats::stall known{.length = static_cast<double>(length.count()),
                                 .span = static_cast<double>(s.schedule_time.count()),
                                 .utilization = utilization,
                                 .base = at_ns(latency, p50)};
  const auto add = [&](const char* label, double p, double found) {
    const double expected = known.quantile(p);
    to.add({.what = fmt::format("{}, {}", name, label),
            .expected = human_time(expected),
            .measured = human_time(found),
            .tolerance = "+-10 %",
            .stands = holds_if(std::abs(found / expected - 1) <= 0.1),
            .figures = {{"expected_ns", expected}, {"measured_ns", found}, {"utilization", utilization}}});
  };
  add("P99", 0.99, at_ns(latency, p99));
  add("P99.9", 0.999, at_ns(latency, p999));
}

/// The same rows at the same due times, but the next is sent only when the answer to the last is there, and the
/// clock starts at the send.
weir::measure::snapshot closed_loop(const std::string& payload) {
  struct counting {
    std::atomic<std::uint64_t>* answered;
    void operator()(const weir::flow::event&) const noexcept { answered->fetch_add(1, std::memory_order_release); }
  };
  std::atomic<std::uint64_t> answered{0};
  witness seen;
  weir::measure::histogram latencies;
  known_server<stalls_once, counting> server(counting{&answered}, {{service, rows / 2, length}}, seen);
  const weir::os::core_pin pin(first_core());
  const weir::clock::steady clock;
  const weir::rate offered = weir::rate::per_second(per_second);
  const nanoseconds origin = clock.now();
  for (std::uint64_t row = 0; row < rows; ++row) {
    weir::clock::spin{}(clock, origin + offered.time_of(row));
    const nanoseconds sent = clock.now();
    server.push({.sequence = row, .intended = offered.time_of(row), .released = sent - origin, .payload = payload});
    while (answered.load(std::memory_order_acquire) <= row) weir::cpu_pause();
    latencies.record(clock.now() - sent);
  }
  return latencies.snapshot();
}

}  // namespace

void stalls(ledger& to, effort) {
  to.begin("one stall of 50 ms, 600 k rows/s");
  progress("a stall, known server");
  const weir::flow::pipeline plan = job("stall", rows, per_second);
  witness seen;
  const auto s =
      weir::flow::drive<known_server<stalls_once>>(plan, std::vector<stalls_once>{{service, rows / 2, length}}, seen)
          .sample;
  add_quantiles(to, "known server, rho 0.48", s, static_cast<double>(service.count()) * per_second / 1e9);

  progress("a stall, weir's own engine");
  weir::job::local_engine engine;
  auto spec = weir::job::standard_spec(*weir::job::find_scenario("sourceTransformSink"), "stall-1-1");
  spec.parallelism = 1;
  engine.prepare(spec);
  const auto own = engine.run(spec, sleeps_once{.row = rows / 2, .length = length, .operations = operations});
  // Rows per busy second, the stall itself taken out: what the lane carried while it caught up.
  const double busy = static_cast<double>((own.stages.at(0).busy - length).count());
  add_quantiles(to, "weir's engine, rho measured", own, busy / static_cast<double>(own.schedule_time.count()));

  progress("the same stall, closed loop");
  const weir::measure::snapshot closed = closed_loop(weir::flow::payload_text(16));
  const double truth = at_ns(s.latency(), p999);
  const double shown = at_ns(closed, p999);
  to.add({.what = "what a closed loop shows, P99.9",
          .expected = human_time(truth),
          .measured = human_time(shown),
          .tolerance = fmt::format("x {:.0f}", truth / shown),
          .figures = {{"open_loop_ns", truth}, {"closed_loop_ns", shown}, {"error_factor", truth / shown}}});
}

}  // namespace truth
