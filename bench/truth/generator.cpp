// SPDX-License-Identifier: Apache-2.0
//
// The generator alone, on a core of its own: does it keep its pace, how late is it, and do gaps follow their law?

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <weir/arrival/any_schedule.hpp>
#include <weir/arrival/poisson.hpp>
#include <weir/base/os.hpp>
#include <weir/clock/steady.hpp>
#include <weir/clock/waiting.hpp>
#include <weir/flow/generator.hpp>
#include <weir/report/console.hpp>

#include "plans.hpp"
#include "sections.hpp"

namespace truth {

namespace {

using weir::measure::p50;
using weir::measure::p95;
using weir::measure::p99;
using weir::measure::p999;
using weir::report::human_time;

/// Takes every row at once, and keeps what `keep` wants of it.
template <class Keep>
struct open_end {
  Keep keep;
  std::vector<weir::flow::event> slots = std::vector<weir::flow::event>(weir::flow::generator::lookahead);

  std::span<weir::flow::event> claim(std::size_t, std::size_t n) noexcept {
    return std::span(slots).first(std::min(n, slots.size()));
  }
  void publish(std::size_t, std::size_t n) noexcept {
    for (const auto& e : std::span(slots).first(n)) keep(e);
  }
  [[nodiscard]] bool wait_for_space(std::size_t) noexcept { return true; }
};

struct released {
  nanoseconds last{};
  weir::measure::snapshot lag;
  nanoseconds schedule{};
};

template <class Keep>
released run(weir::arrival::any_schedule schedule, std::uint64_t rows, Keep keep) {
  const weir::os::core_pin pin(last_core());
  const weir::clock::steady clock;
  weir::flow::generator source(std::move(schedule), true, rows, 1, "");
  released r;
  open_end in{[&](const weir::flow::event& e) {
    r.last = e.released;
    keep(e);
  }};
  source.run(clock, clock.now(), weir::clock::spin{}, in, [](nanoseconds) {});
  r.lag = source.lag().snapshot();
  r.schedule = source.schedule_time();
  return r;
}

/// The largest distance between the distribution of the gaps and an exponential one (Kolmogorov, Smirnov).
double distance_from_exponential(std::vector<double> gaps, double mean) {
  std::ranges::sort(gaps);
  double worst = 0;
  const auto n = static_cast<double>(gaps.size());
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const double law = -std::expm1(-gaps[i] / mean);
    worst =
        std::max({worst, std::abs(law - static_cast<double>(i) / n), std::abs(law - static_cast<double>(i + 1) / n)});
  }
  return worst;
}

}  // namespace

void generator(ledger& to, effort how) {
  to.begin("generator, spinning on a core");
  constexpr std::uint64_t per_second = 5'000'000;
  const std::uint64_t rows = how.of(5U, 1U) * per_second;
  progress("generator at 5 M rows/s");
  const released fast = run(weir::arrival::constant(weir::rate::per_second(per_second)), rows, [](const auto&) {});
  const double achieved = static_cast<double>(rows - 1) * 1e9 / static_cast<double>(fast.last.count());
  to.add({.what = "5 M rows/s: achieved",
          .expected = "5.000 M/s",
          .measured = fmt::format("{:.4f} M/s", achieved / 1e6),
          .tolerance = "+-0.1 %",
          .stands = holds_if(std::abs(achieved / static_cast<double>(per_second) - 1) <= 1e-3),
          .figures = {{"expected_per_s", per_second}, {"measured_per_s", achieved}}});
  const double lag = at_ns(fast.lag, p99);
  to.add({.what = "5 M rows/s: release lag, P99",
          .expected = "0",
          .measured = human_time(lag),
          .tolerance = "<= 50us",
          .stands = holds_if(lag <= 50'000),
          .figures = {{"p50_ns", at_ns(fast.lag, p50)},
                      {"p99_ns", lag},
                      {"max_ns", static_cast<double>(fast.lag.max().count())}}});

  // Gaps between the instants of release. Of n exponential ones, 1 sample in 1,000 is farther off than 1.95 / sqrt(n).
  // A late row moves two gaps: at most 2 (1 - p) of them by more than the lag's percentile p, the others by less.
  constexpr std::uint64_t mean_ns = 50'000;
  const std::uint64_t gaps_wanted = how.of(200'000U, 40'000U);
  progress("generator, exponential gaps");
  std::vector<double> gaps;
  gaps.reserve(gaps_wanted);
  nanoseconds before{};
  const released slow = run(weir::arrival::poisson(weir::rate::per_second(1'000'000'000 / mean_ns), 11), gaps_wanted,
                            [&](const weir::flow::event& e) {
                              gaps.push_back(static_cast<double>((e.released - before).count()));
                              before = e.released;
                            });
  const double distance = distance_from_exponential(gaps, mean_ns);
  double moved = 1;
  for (const auto& [p, above] : {std::pair{p50, 0.5}, {p95, 0.05}, {p99, 0.01}, {p999, 0.001}})
    moved = std::min(moved, 2 * above + at_ns(slow.lag, p) / mean_ns);
  // More lag than moves 2 % of the gaps would hide a law that is wrong.
  constexpr double most_moved = 0.02;
  const double allowed = 1.95 / std::sqrt(static_cast<double>(gaps.size())) + std::min(moved, most_moved);
  to.add({.what = "Poisson: gaps against their law",
          .expected = "0",
          .measured = fmt::format("{:.4f} apart", distance),
          .tolerance = fmt::format("<= {:.4f}", allowed),
          .stands = distance <= allowed  ? standing::holds
                    : moved > most_moved ? standing::unclear
                                         : standing::fails,
          .figures = {
              {"kolmogorov_smirnov", distance}, {"limit", allowed}, {"moved_by_lag", moved}, {"gaps", gaps.size()}}});
}

}  // namespace truth
