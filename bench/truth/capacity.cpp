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
#include <weir/judge/verdict.hpp>
#include <weir/report/console.hpp>
#include <weir/run/capacity.hpp>

#include "known_server.hpp"
#include "plans.hpp"
#include "sections.hpp"

namespace truth {

namespace {

constexpr nanoseconds service(50'000);
constexpr double known = 1e9 / 50'000;

struct spins {
  void operator()(weir::flow::event&) const noexcept {
    const nanoseconds end = weir::os::monotonic_now() + service;
    while (weir::os::monotonic_now() < end) weir::cpu_pause();
  }
};

/// As --weir_capacity judges: when more than half of P99 is release lag, it was the generator's doing.
weir::run::trial_outcome outcome_of(const weir::record::sample& s) {
  const weir::judge::verdict v = weir::judge::assess(s);
  if (v.valid()) return weir::run::trial_outcome::passed;
  if (v.state == weir::judge::outcome::inconclusive) return weir::run::trial_outcome::inconclusive;
  const bool late =
      v.has("release_lag") && 2 * at_ns(s.release_lag, weir::measure::p99) > at_ns(s.latency(), weir::measure::p99);
  return late ? weir::run::trial_outcome::generator_limited : weir::run::trial_outcome::failed;
}

template <class Run>
void add(ledger& to, const std::string& name, effort how, Run run) {
  const std::uint64_t seconds = how.of(2U, 1U);
  const auto found = weir::run::find_capacity(
      [&](std::uint64_t rate, bool longer) {
        progress(fmt::format("{}: {} rows/s", name, rate));
        return outcome_of(run(job("capacity", rate * seconds * (longer ? 2 : 1), rate)));
      },
      {.lowest = 1'000, .highest = 1'000'000, .first = 10'000});
  const auto per_s = static_cast<double>(found.low);
  to.add({.what = name,
          .expected = fmt::format("{:.0f} rows/s", known),
          .measured = fmt::format("{:.0f} rows/s", per_s),
          .tolerance = "+-5 %",
          .holds = std::abs(per_s / known - 1) <= 0.05,
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
  add(to, "weir's engine, spinning 50 us a row", how, [&](weir::flow::pipeline plan) {
    plan.cores.lanes = {last_core()};
    return weir::flow::run(engine, plan, spins{}, weir::clock::steady{}).sample;
  });
}

}  // namespace truth
