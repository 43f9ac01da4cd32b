// SPDX-License-Identifier: Apache-2.0
//
// The smallest slowdown that is seen at a tenth of capacity, where latency shows nothing: forks of this program, base
// and candidate in turn, compared by CPU time per row.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weir/analysis/comparison.hpp>
#include <weir/base/error.hpp>
#include <weir/gbench/settings.hpp>
#include <weir/job/local_engine.hpp>
#include <weir/job/scenario.hpp>
#include <weir/job/spec.hpp>
#include <weir/judge/capacity.hpp>
#include <weir/record/json.hpp>
#include <weir/record/run_record.hpp>
#include <weir/run/experiment.hpp>
#include <weir/run/fork.hpp>

#include "power.hpp"
#include "sections.hpp"

namespace truth {

namespace {

using namespace std::chrono_literals;
namespace record = weir::record;

constexpr std::int64_t base_operations = 20'000;  // about 30 us a row
const record::budget standard = *weir::gbench::profile("standard");

weir::job::spec load(std::int64_t work, std::int64_t rate, std::int64_t rows) {
  auto spec = weir::job::standard_spec(*weir::job::find_scenario("sourceTransformSink"), "power-1-1");
  spec.parallelism = 1;
  spec.transform->operations = work;
  spec.rate_per_second = rate;
  if (rate > 0) spec.arrival = "burst:at_once=20";  // what waking up costs, about 15 us, is shared by 0.6 ms of work
  spec.rows = rows;
  return spec;
}

constexpr weir::analysis::comparison_options matters{.threshold = 0.02};
constexpr weir::analysis::comparison_options seen{.threshold = 0.005};

constexpr std::string_view text_of(weir::analysis::change c) {
  constexpr std::string_view names[] = {"changed", "same", "inconclusive"};
  return names[static_cast<std::size_t>(c)];
}

std::uint32_t forks_of(effort how) { return how.of(standard.forks, standard.forks / 2); }

/// A tenth of what the base can carry, from rows per busy second.
std::int64_t tenth_of_capacity() {
  static const std::int64_t rate = [] {
    progress("capacity of the base");
    weir::job::local_engine engine;
    const auto s = engine.run(load(base_operations, 0, 10'000));
    return std::llround(weir::judge::predicted_capacity_per_s(s).value_or(0) / 10);
  }();
  return rate;
}

}  // namespace

int power_child(const std::string& work, const std::string& rate, const std::string& seed) {
  record::fork_voice voice(weir::run::wire_fd);
  voice.hello("power", std::stoull(seed));
  const std::int64_t per_second = std::stoll(rate);
  const auto spec = load(std::stoll(work), per_second, std::max<std::int64_t>(1'000, per_second * 2 / 5));
  weir::job::local_engine engine;
  engine.prepare(spec);
  for (std::uint32_t i = 0; i < standard.warmup + standard.iterations; ++i)
    voice.invocation({.iteration = i, .sample = engine.run(spec)});
  voice.done();
  return 0;
}

std::optional<weir::analysis::comparison> slowdown(double percent, effort how) {
  static std::map<double, std::optional<weir::analysis::comparison>> known;
  if (const auto at = known.find(percent); at != known.end()) return at->second;
  const std::uint32_t forks = forks_of(how);
  const std::int64_t rate = tenth_of_capacity();
  const auto candidate_operations = std::llround(static_cast<double>(base_operations) * (1 + percent / 100));
  record::run_record run;
  run.seed = 3;
  run.budget.forks = forks;
  run.benchmarks = {{.name = "power", .variant = "base", .forks = {}},
                    {.name = "power", .variant = "candidate", .forks = {}}};
  weir::run::experiment order;
  order.variants = 2;
  order.trial = [&](const weir::run::slot& s, std::uint64_t layout_seed) {
    progress(fmt::format("{} % more work, pair {} of {}", percent, s.block + 1, forks));
    const auto work = s.variant == 0 ? base_operations : candidate_operations;
    const std::string child = fmt::format("--child=power:{}:{}:{}", work, rate, layout_seed);
    const auto end =
        weir::run::run_fork({.command = {"/proc/self/exe", child}, .timeout = 60s, .layout_seed = layout_seed});
    record::fork fork = record::assemble(end.messages, end.wire_fault, "power", layout_seed);
    weir::run::conclude(end, fork);
    fork.warmup = standard.warmup;
    return fork;
  };
  weir::run::conduct(order, run);
  try {
    for (const auto& row : weir::analysis::compare_variants(run, matters).rows)
      if (row.what.id == "cpu_per_row" && row.not_comparable.empty()) return known[percent] = row;
  } catch (const weir::error& e) {
    progress(e.what());
  }
  return known[percent] = std::nullopt;
}

bool called_dearer(const std::optional<weir::analysis::comparison>& c) {
  return c && weir::analysis::verdict_of(*c, seen) == weir::analysis::change::changed && c->ratio > 1;
}

bool undecided(const std::optional<weir::analysis::comparison>& c) {
  return c && weir::analysis::verdict_of(*c, seen) == weir::analysis::change::inconclusive;
}

namespace {

/// P99, in ms, that SeaTunnel's pipeline benchmark would report by a model of its source: readers that take 1,024 due
/// rows a poll, sleep up to 10 ms when the next is not due, and 100 ms more after a poll that found none; clocks that
/// read whole ms. No queue, no sink: nothing else could add to it.
std::int64_t upstreams_p99_ms(double cost_us) {
  constexpr double per_ms = 150;  // rows, of each of 4 readers
  constexpr int rows = 250'000;
  std::vector<std::int64_t> latencies;
  double now = 0;
  for (int row = 0; row < rows;) {
    const auto due = [](int n) { return std::floor(n / per_ms); };
    if (due(row) > now) {
      now += std::min(due(row) - now, 10.0) + 100;
      continue;
    }
    for (int taken = 0; taken < 1'024 && row < rows && due(row) <= now; ++taken, ++row) {
      now += cost_us / 1'000;
      latencies.push_back(static_cast<std::int64_t>(std::floor(now) - due(row)));
    }
  }
  const auto p99 = latencies.begin() + rows * 99 / 100 - 1;
  std::ranges::nth_element(latencies, p99);
  return *p99;
}

nlohmann::ordered_json figures(const std::optional<weir::analysis::comparison>& c, double percent,
                               std::uint32_t forks) {
  nlohmann::ordered_json all{{"more_work", percent / 100}, {"forks_a_side", forks}};
  if (c) {
    all.update({{"base_ns_per_row", c->base},
                {"candidate_ns_per_row", c->candidate},
                {"ratio", c->ratio},
                {"low", c->low},
                {"high", c->high},
                {"p_holm", c->p_holm},
                {"verdict_at_2_percent", text_of(c->verdict)},
                {"detectable", c->detectable}});
  }
  return all;
}

/// Unclear is an interval that holds the true ratio, and is too wide to be called anything.
standing stand_of(const std::optional<weir::analysis::comparison>& c, double percent) {
  if (called_dearer(c) == (percent > 0)) return holds_if(c.has_value());
  const double truth = 1 + percent / 100;
  return undecided(c) && c->low <= truth && truth <= c->high ? standing::unclear : standing::fails;
}

}  // namespace

void power(ledger& to, effort how) {
  to.begin("slowdown at 10 % load, CPU per row");
  const std::uint32_t forks = forks_of(how);
  double smallest = 0;
  for (const double percent : {0.0, 1.0, 2.0, 5.0}) {
    if (percent > 2 && smallest > 0) break;  // what is larger is seen as well
    const auto c = slowdown(percent, how);
    const bool dearer = called_dearer(c);
    if (dearer && percent > 0 && smallest == 0) smallest = percent;
    const bool claimed = percent == 0 || percent >= 2;
    to.add({.what = fmt::format("{:.0f} % more work, threshold 0.5 %", percent),
            .expected = percent == 0   ? "not changed"
                        : percent >= 2 ? "changed"
                                       : "",
            .measured = !c ? "no valid samples"
                           : fmt::format("{} {:+.1f} %\nat 2 %: {}", dearer ? "changed" : "not changed",
                                         100 * (c->ratio - 1), text_of(c->verdict)),
            .tolerance = c ? fmt::format("{:+.1f} to {:+.1f} %", 100 * (c->low - 1), 100 * (c->high - 1)) : "",
            .stands = claimed ? stand_of(c, percent) : standing::shown,
            .figures = figures(c, percent, forks)});
  }
  constexpr double upstreams_row_us = 0.5;
  int factor = 1;
  const std::int64_t usual = upstreams_p99_ms(upstreams_row_us);
  while (factor < 100 && std::abs(upstreams_p99_ms(upstreams_row_us * factor) - usual) * 10 < usual) ++factor;
  to.add({.what = "smallest seen; upstream, by model",
          .expected = "",
          .measured = smallest > 0 ? fmt::format("{:.0f} %", smallest) : "none",
          .tolerance = fmt::format("x {} ({} ms)", factor, usual),
          .figures = {{"smallest_seen", smallest / 100}, {"upstream_factor", factor}, {"upstream_p99_ms", usual}}});
}

}  // namespace truth
