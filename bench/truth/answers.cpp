// SPDX-License-Identifier: Apache-2.0
//
// Queues with known answers, in real time: what weir measures on a system of which theory says what it must be.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <weir/arrival/poisson.hpp>
#include <weir/judge/trend.hpp>
#include <weir/report/console.hpp>
#include <weir/stats/queueing.hpp>

#include "known_server.hpp"
#include "plans.hpp"
#include "sections.hpp"

namespace truth {

namespace {

namespace stats = weir::stats;
using weir::measure::p50;
using weir::measure::p99;
using weir::report::human_time;

constexpr double service_ns = 50'000;
constexpr double mu = 1e9 / service_ns;
constexpr std::uint64_t seed = 20'240'817;

struct measured {
  weir::record::sample sample;
  witness seen;
};

template <class Stage>
measured run(const weir::flow::pipeline& plan, std::vector<Stage> stages) {
  progress(plan.scenario);
  witness seen;
  weir::record::sample s = weir::flow::drive<known_server<Stage>>(plan, std::move(stages), seen).sample;
  return {std::move(s), std::move(seen)};
}

weir::flow::pipeline poisson_job(std::string name, std::uint64_t rows, std::uint64_t per_second) {
  weir::flow::pipeline p = job(std::move(name), rows, per_second);
  p.asked.arrival = "poisson";
  p.schedule = [offered = p.asked.offered] {
    return weir::arrival::any_schedule(weir::arrival::poisson(offered, seed));
  };
  return p;
}

/// `chance` is how far a true answer may be off, `host_took` what the host added, as measured. Of the latter no more
/// than a tenth of the answer is allowed: a host that took more lets nothing fail here, and so nothing hold.
void add_time(ledger& to, std::string what, double expected, double found, double chance, double host_took = 0) {
  const double most = expected / 10;
  const double tolerance = chance + std::min(host_took, most);
  to.add({.what = std::move(what),
          .expected = human_time(expected),
          .measured = human_time(found),
          .tolerance = "+-" + human_time(tolerance),
          .stands = std::abs(found - expected) <= tolerance ? standing::holds
                    : host_took > most                      ? standing::unclear
                                                            : standing::fails,
          .figures = {{"expected_ns", expected},
                      {"measured_ns", found},
                      {"tolerance_ns", tolerance},
                      {"host_took_ns", host_took}}});
}

/// Four standard deviations of the estimate, and what the host took: rows that the server handed out late, and rows
/// that were released late, whose queue takes 1 / (1 - rho) of the time to drain.
void add_queue(ledger& to, const std::string& name, const measured& m, double mean, double tail, double sd_mean,
               double sd_tail) {
  const auto latency = m.sample.latency();
  const auto late = m.seen.late.snapshot();
  const double scale = std::sqrt(1e5 / static_cast<double>(m.sample.asked.rows));
  const double drain = 1 / (1 - m.sample.asked.offered.per_s() / mu);
  add_time(to, name + ", mean", mean, mean_ns(latency), 4 * sd_mean * scale * mean,
           mean_ns(m.sample.release_lag) * drain + mean_ns(late));
  add_time(to, name + ", P99", tail, at_ns(latency, p99), 4 * sd_tail * scale * tail,
           at_ns(m.sample.release_lag, p99) + at_ns(late, p99));
}

/// Rows in the system = throughput x mean time in it, whatever the system is and whatever the host does to it. The left
/// side is the server's own account, an integral over time; the right side is weir's.
void add_littles_law(ledger& to, const std::string& name, const measured& m) {
  const double counted = m.seen.mean_in_system();
  const double by_law = weir::record::achieved_per_s(m.sample) * mean_ns(m.sample.residence) / 1e9;
  to.add({.what = "Little's law, " + name,
          .expected = fmt::format("{:.3f} rows", counted),
          .measured = fmt::format("{:.3f} rows", by_law),
          .tolerance = "+-2 %",
          .stands = holds_if(std::abs(by_law / counted - 1) <= 0.02),
          .figures = {{"counted_rows", counted}, {"throughput_times_residence_rows", by_law}}});
}

}  // namespace

void answers(ledger& to, effort how) {
  to.begin("known answers");

  const auto floor =
      run<fixed_service>(job("D/D/1, rho 0.5", how.of(50'000U, 10'000U), 10'000), {{nanoseconds(50'000)}});
  add_time(to, "D/D/1 floor, P50", service_ns, at_ns(floor.sample.latency(), p50), 5'000);

  // Standard deviations of the estimates over 100,000 rows: neighbouring rows share a queue, so they are up to nine
  // times those of independent rows. Found by simulation.
  struct load {
    std::uint64_t per_second;
    double mm1_mean, mm1_p99, md1_mean, md1_p99;
  };
  for (const load& l : {load{10'000, 0.009, 0.019, 0.0043, 0.015}, load{16'000, 0.029, 0.059, 0.017, 0.046}}) {
    const std::uint64_t rows = how.of(200'000U, 30'000U);
    const auto lambda = static_cast<double>(l.per_second);
    const std::string rho = fmt::format(", rho {:.1f}", lambda / mu);
    const stats::mm1 mm1{.lambda = lambda / 1e9, .mu = mu / 1e9};
    const auto exponential =
        run<exponential_service>(poisson_job("M/M/1" + rho, rows, l.per_second), {{service_ns, seed + 1}});
    add_queue(to, "M/M/1" + rho, exponential, mm1.mean(), mm1.quantile(0.99), l.mm1_mean, l.mm1_p99);
    add_littles_law(to, "M/M/1" + rho, exponential);
    const stats::md1 md1{.lambda = lambda / 1e9, .mu = mu / 1e9};
    const auto fixed = run<fixed_service>(poisson_job("M/D/1" + rho, rows, l.per_second), {{nanoseconds(50'000)}});
    add_queue(to, "M/D/1" + rho, fixed, md1.mean(), md1.quantile(0.99), l.md1_mean, l.md1_p99);
    add_littles_law(to, "M/D/1" + rho, fixed);
  }

  // Independent stages, so less than one stage's deviation.
  const stats::mm1_tandem three{.lambda = 16e-6, .mu = mu / 1e9, .stages = 3};
  const auto tandem =
      run<exponential_service>(poisson_job("M/M/1 x 3, rho 0.8", how.of(200'000U, 30'000U), 16'000),
                               {{service_ns, seed + 2}, {service_ns, seed + 3}, {service_ns, seed + 4}});
  add_queue(to, "M/M/1 x 3, rho 0.8", tandem, three.mean(), three.quantile(0.99), 0.029, 0.059);
  add_littles_law(to, "M/M/1 x 3, rho 0.8", tandem);

  const stats::dd1 too_much{.lambda = 25'000, .mu = mu};
  const auto over = run<fixed_service>(job("D/D/1, rho 1.25", 50'000, 25'000), {{nanoseconds(50'000)}});
  const auto slope = weir::judge::latency_slope(over.sample);
  const double found = slope ? slope->value : 0;
  to.add({.what = "D/D/1, rho 1.25, 2 s: slope",
          .expected = fmt::format("{:.4f}", too_much.slope()),
          .measured = fmt::format("{:.4f}", found),
          .tolerance = "+-1 %",
          .stands = holds_if(std::abs(found / too_much.slope() - 1) <= 0.01),
          .figures = {{"expected", too_much.slope()}, {"measured", found}}});
}

}  // namespace truth
