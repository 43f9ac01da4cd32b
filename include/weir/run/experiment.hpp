#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The loop over a plan: each fork once, its record kept whatever became of it, and an end that is named.
// Starts no process itself, so it is tested without any. Temperature: cold.
//
//   run::experiment how;
//   how.trial = [&](const run::slot& s, std::uint64_t layout_seed) { return run_one(s, layout_seed); };
//   how.after_each = [&](const record::run_record& so_far, const run::progress& p) { write(so_far); show(p); };
//   run::conduct(how, record);  // record.benchmarks: named, empty, the variants of each benchmark side by side

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/base/expects.hpp>
#include <weir/clock/steady.hpp>
#include <weir/clock/time_source.hpp>
#include <weir/record/run_record.hpp>
#include <weir/run/plan.hpp>

namespace weir::inline WEIR_ABI::run {

using std::chrono::nanoseconds;

/// How far an experiment is.
struct progress {
  std::uint32_t done = 0;           // forks
  std::uint32_t planned = 0;        // forks, until the budget or the next look at the precision
  std::optional<nanoseconds> left;  // for the planned ones; none before the first fork has ended
};

/// What to do, and when to stop.
struct experiment {
  std::uint32_t variants = 1;  // of each benchmark

  /// Runs one fork. Whatever goes wrong with it is in its record.
  std::function<record::fork(const slot&, std::uint64_t layout_seed)> trial;
  /// Is shown the record after every fork, and once more when ended_by is known.
  std::function<void(const record::run_record&, const progress&)> after_each;
  /// Asked before each fork.
  std::function<bool()> interrupted;

  /// Is the record as precise as wanted? Absent: the budget's forks are run. Present: it is asked after max(5, the
  /// budget's forks) blocks and whenever their number has doubled since, and the run goes on until it says so.
  /// Not more often: every look is another chance to stop at a lucky interval (Laaber et al., FSE 2020).
  std::function<bool(const record::run_record&)> precise;
  std::uint32_t max_forks = 100;  // of each benchmark and variant; only with `precise`
  nanoseconds max_time = nanoseconds::max();
};

namespace detail {

/// Time that the forks to come will take: for each unit the median of those it has had.
class time_left {
 public:
  explicit time_left(std::size_t units) : took_(units), median_(units) {}

  void add(std::size_t unit, nanoseconds took) {
    auto& all = took_[unit];
    all.insert(std::upper_bound(all.begin(), all.end(), took), took);
    median_[unit] = all[all.size() / 2];
  }

  /// A unit that has had no fork yet is taken for the average of those that had. None when none had.
  [[nodiscard]] std::optional<nanoseconds> of(const std::vector<std::uint32_t>& forks_to_come) const {
    nanoseconds known{};
    std::int64_t units = 0;
    for (const auto& m : median_)
      if (m) known += *m, ++units;
    if (units == 0) return std::nullopt;
    nanoseconds sum{};
    for (std::size_t u = 0; u < median_.size(); ++u) sum += forks_to_come[u] * median_[u].value_or(known / units);
    return sum;
  }

 private:
  std::vector<std::vector<nanoseconds>> took_;  // in rising order
  std::vector<std::optional<nanoseconds>> median_;
};

}  // namespace detail

/// Fills in the forks of record.benchmarks, took and ended_by. A time limit is kept to between the benchmarks of a
/// block, an interrupt between any two forks, so that of a pair of variants only an interrupt takes one half.
/// Requires: record.benchmarks holds `variants` entries for each benchmark, one after the other; record.budget.forks
/// and record.seed are set.
template <clock::time_source Clock = clock::steady>
void conduct(const experiment& how, record::run_record& record, const Clock& clock = {}) {
  WEIR_EXPECTS(how.trial && how.variants > 0 && record.benchmarks.size() % how.variants == 0);
  constexpr std::uint32_t fewest_to_look_at = 5;  // with fewer, an interval's width is mostly chance
  const auto units = static_cast<std::uint32_t>(record.benchmarks.size() / how.variants);
  const std::uint32_t per_block = units * how.variants;
  const std::uint32_t most = how.precise ? how.max_forks : record.budget.forks;
  std::uint32_t look = how.precise ? std::max(fewest_to_look_at, record.budget.forks) : most;

  const nanoseconds began = clock.now();
  detail::time_left estimate(units);
  progress so_far{.done = 0, .planned = std::min(look, most) * per_block, .left = {}};
  std::vector<std::uint32_t> to_come(units, std::min(look, most) * how.variants);
  const auto show = [&] {
    record.took = clock.now() - began;
    so_far.left = estimate.of(to_come);
    if (how.after_each) how.after_each(record, so_far);
  };
  const auto end = [&](const char* reason) {
    record.ended_by = reason;
    show();
  };

  for (const slot& s : plan(units, how.variants, most, record.seed)) {
    const nanoseconds started = clock.now() - began;
    if (how.interrupted && how.interrupted()) return end("interrupted");
    if (so_far.done % how.variants == 0 && started >= how.max_time) return end("max_time");

    record::fork fork = how.trial(s, layout_seed(record.seed, so_far.done));
    fork.block = s.block;
    fork.place = so_far.done;
    fork.layout_seed = layout_seed(record.seed, so_far.done);
    fork.started = started;
    record.benchmarks[s.unit * how.variants + s.variant].forks.push_back(std::move(fork));
    estimate.add(s.unit, clock.now() - began - started);
    --to_come[s.unit];
    ++so_far.done;

    const bool look_now = how.precise && so_far.done == look * per_block;
    if (look_now && how.precise(record)) return end("precision");
    if (look_now && look < most) {
      const std::uint32_t next = std::min(2 * look, most);
      std::fill(to_come.begin(), to_come.end(), (next - look) * how.variants);
      so_far.planned = next * per_block;
      look *= 2;
    }
    show();
  }
  if (how.interrupted && how.interrupted()) return end("interrupted");
  end(how.precise ? "max_forks" : "budget");
}

}  // namespace weir::inline WEIR_ABI::run
