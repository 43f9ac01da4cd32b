// SPDX-License-Identifier: Apache-2.0
//
// The capacity search on systems whose capacity is known: a server of 50 us a row, and a stage of weir's engine that
// spins for 50 us a row.

#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <weir/base/cpu.hpp>
#include <weir/base/os.hpp>
#include <weir/clock/steady.hpp>
#include <weir/flow/engine.hpp>
#include <weir/flow/run.hpp>
#include <weir/gbench/capacity.hpp>
#include <weir/gbench/runner.hpp>
#include <weir/job/spec.hpp>
#include <weir/run/capacity.hpp>

#include "known_server.hpp"
#include "plans.hpp"
#include "sections.hpp"

namespace truth {

namespace {

namespace gbench = weir::gbench::detail;

constexpr nanoseconds service(50'000);
constexpr double known = 1e9 / 50'000;

struct spins {
  void operator()(weir::flow::event&) const noexcept {
    const nanoseconds end = weir::os::monotonic_now() + service;
    while (weir::os::monotonic_now() < end) weir::cpu_pause();
  }
};

template <class Run>
void add(ledger& to, const std::string& name, effort how, Run run) {
  const std::uint64_t seconds = how.of(2U, 1U);
  const gbench::runner by{.check = [](const weir::job::spec&) {},
                          .prepare = [](const weir::job::spec&) {},
                          .run =
                              [&](const weir::job::spec& load) {
                                return run(job("capacity", static_cast<std::uint64_t>(load.rows),
                                               static_cast<std::uint64_t>(load.rate_per_second)));
                              }};
  const auto found = weir::run::find_capacity(
      [&](std::uint64_t rate, bool longer) {
        progress(fmt::format("{}: {} rows/s", name, rate));
        weir::job::spec load;
        load.rate_per_second = static_cast<std::int64_t>(rate);
        load.rows = static_cast<std::int64_t>(rate * seconds * (longer ? 2 : 1));
        return gbench::capacity_outcome(gbench::run_settled(by, {.scenario = "capacity", .id = "capacity"}, load));
      },
      {.lowest = 1'000, .highest = 1'000'000, .first = 10'000});
  const auto per_s = static_cast<double>(found.low);
  to.add({.what = name,
          .expected = fmt::format("{:.0f} rows/s", known),
          .measured = fmt::format("{:.0f} rows/s", per_s),
          .tolerance = "+-5 %",
          .stands = holds_if(std::abs(per_s / known - 1) <= 0.05),
          .figures = {{"expected_per_s", known},
                      {"measured_per_s", per_s},
                      {"fails_at_per_s", found.high.value_or(0)},
                      {"ended_by", weir::run::to_string(found.end)},
                      {"trials", found.trials.size()}}});
}

}  // namespace

void capacity(ledger& to, effort how) {
  to.begin("capacity search");
  add(to, "known server, 50 us a row", how, [](const weir::flow::pipeline& plan) {
    witness seen;
    return weir::flow::drive<known_server<fixed_service>>(plan, std::vector<fixed_service>{{service}}, seen).sample;
  });
  weir::flow::engine engine(1);
  add(to, "weir's engine, spins 50 us a row", how, [&](weir::flow::pipeline plan) {
    plan.cores.lanes = {last_core()};
    return weir::flow::run(engine, plan, spins{}, weir::clock::steady{}).sample;
  });
}

}  // namespace truth
