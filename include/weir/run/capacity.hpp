#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The highest rate that lasts, found by trying rates. Pure: what a trial is, and how long it takes, is the
// oracle's affair. Temperature: cold.
//
//   const run::search_result found = run::find_capacity(
//       [&](std::uint64_t rate, bool longer) { return judged(run_job(rate, longer)); },
//       {.lowest = 1'000, .highest = 100'000'000, .first = predicted});

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/base/expects.hpp>

namespace weir::inline WEIR_ABI::run {

/// What a trial at one rate came to. Inconclusive: not shown to last, nor to fail. Generator limited: the load
/// generator was late by itself, so nothing was learnt about the system.
enum class trial_outcome { passed, failed, inconclusive, generator_limited };

/// Meaning: tries one rate, in rows a second; `longer` asks for a run that decides more sharply than the usual one.
template <class Oracle>
concept capacity_oracle = requires(Oracle& oracle, std::uint64_t rate, bool longer) {
  { oracle(rate, longer) } -> std::same_as<trial_outcome>;
};

struct search_bounds {
  std::uint64_t lowest = 1;
  std::uint64_t highest = 1'000'000'000;
  std::uint64_t first = 1'000;  // the best guess; cut to the bounds
};

enum class search_end {
  found,              // low passes, high does not, and they are 1 % apart at most
  lowest_fails,       // no capacity within the bounds: low is 0
  highest_passes,     // at least low
  generator_limited,  // at least low: above it the generator cannot follow
  stopped,            // out of time: the bracket as it was
};

[[nodiscard]] constexpr std::string_view to_string(search_end end) noexcept {
  switch (end) {
    case search_end::found:
      return "found";
    case search_end::lowest_fails:
      return "lowest_fails";
    case search_end::highest_passes:
      return "highest_passes";
    case search_end::generator_limited:
      return "generator_limited";
    case search_end::stopped:
      break;
  }
  return "stopped";
}

struct trial {
  std::uint64_t rate = 0;
  bool longer = false;
  trial_outcome outcome = trial_outcome::passed;

  friend bool operator==(const trial&, const trial&) = default;
};

/// Rates are rows a second.
struct search_result {
  search_end end = search_end::found;
  std::uint64_t low = 0;             // highest rate that passed, by majority; 0: none did
  std::optional<std::uint64_t> high;  // lowest rate above it that was shown to fail; none: no rate was
  std::vector<trial> trials;         // in the order in which they ran
};

namespace detail {

/// What is known about each rate tried, and where to look next.
class capacity_search {
 public:
  explicit capacity_search(const search_bounds& bounds) : bounds_(bounds) {}

  struct step {
    std::uint64_t rate = 0;
    bool longer = false;
  };

  void note(const trial& t) {
    tally& rate = rates_[t.rate];
    if (t.longer && !std::exchange(rate.longer, true)) rate = {.longer = true};  // the shorter run is forgotten
    ++(t.outcome == trial_outcome::passed ? rate.passed : rate.held_back);
    rate.failed += t.outcome == trial_outcome::failed;
    rate.generator += t.outcome == trial_outcome::generator_limited;
  }

  /// The next trial; none when the bracket is as narrow as wanted and both its ends are sure.
  [[nodiscard]] std::optional<step> next() const {
    if (rates_.empty()) return step{std::clamp(bounds_.first, bounds_.lowest, bounds_.highest)};
    for (const auto& [rate, t] : rates_)
      if (t.passed == t.held_back || (2 * t.generator > t.held_back && !sure(t))) return step{rate, true};
    const auto fails = lowest_failing();
    const auto passes = highest_passing();
    if (fails && passes) {
      if (!narrow(passes->rate, fails->rate)) return step{passes->rate + (fails->rate - passes->rate) / 2};
    } else if (fails && fails->rate > bounds_.lowest) {
      return step{std::max(bounds_.lowest, fails->rate * 2 / 3)};
    } else if (passes && passes->rate < bounds_.highest) {
      return step{std::min(bounds_.highest, passes->rate + passes->rate / 2 + 1)};
    }
    if (fails && !fails->sure) return step{fails->rate, true};
    if (passes && !passes->sure) return step{passes->rate, true};
    return std::nullopt;
  }

  [[nodiscard]] search_result result(bool stopped) const {
    search_result out;
    const auto fails = lowest_failing();
    const auto passes = highest_passing();
    if (passes) out.low = passes->rate;
    for (const auto& [rate, t] : rates_)
      if (rate > out.low && 2 * t.failed > t.passed + t.held_back && !out.high) out.high = rate;
    out.end = stopped                       ? search_end::stopped
              : !passes && fails->generator ? search_end::generator_limited
              : !passes                     ? search_end::lowest_fails
              : !fails                      ? search_end::highest_passes
              : fails->generator            ? search_end::generator_limited
                                            : search_end::found;
    return out;
  }

 private:
  /// Votes on one rate: that of the first run, or once there are longer ones, theirs.
  struct tally {
    bool longer = false;
    int passed = 0;
    int held_back = 0;  // by whatever
    int failed = 0;     // of those, by the system
    int generator = 0;  // of those, by the generator
  };

  struct end {
    std::uint64_t rate = 0;
    bool sure = false;
    bool generator = false;
  };

  [[nodiscard]] static bool sure(const tally& t) noexcept { return t.longer && std::max(t.passed, t.held_back) >= 2; }

  [[nodiscard]] static end end_of(std::uint64_t rate, const tally& t) noexcept {
    return {rate, sure(t), 2 * t.generator > t.held_back};
  }

  [[nodiscard]] std::optional<end> lowest_failing() const {
    for (const auto& [rate, t] : rates_)
      if (t.held_back > t.passed) return end_of(rate, t);
    return std::nullopt;
  }

  /// Below the lowest that fails.
  [[nodiscard]] std::optional<end> highest_passing() const {
    std::optional<end> highest;
    for (const auto& [rate, t] : rates_) {
      if (t.held_back > t.passed) break;
      if (t.passed > t.held_back) highest = end_of(rate, t);
    }
    return highest;
  }

  [[nodiscard]] static bool narrow(std::uint64_t passes, std::uint64_t fails) noexcept {
    return fails - passes <= std::max<std::uint64_t>(1, passes / 100);
  }

  search_bounds bounds_;
  std::map<std::uint64_t, tally> rates_;
};

}  // namespace detail

/// Steps by 1.5 from the first rate until one passes and one fails, halves the bracket to 1 %, then tries its failing
/// end and its passing end again with longer runs until each has two of three of them on its side. An end that changes
/// sides reopens the search, so one noisy trial moves no result. What is not shown to pass does not pass. Where the
/// generator was late nothing was learnt, so that rate is tried again at once: a busy host would else drive the search
/// far below what the system carries.
/// `stop` is asked before each trial but the first.
/// Cost: 6 trials to 1 %, 4 longer ones for the ends, and one for each factor of 1.5 that the first rate is off.
/// Requires: 1 <= lowest <= highest.
template <capacity_oracle Oracle, std::predicate Stop>
[[nodiscard]] search_result find_capacity(Oracle&& oracle, const search_bounds& bounds, Stop&& stop) {
  WEIR_EXPECTS(bounds.lowest >= 1 && bounds.lowest <= bounds.highest);
  detail::capacity_search search(bounds);
  std::vector<trial> trials;
  bool stopped = false;
  while (const auto step = search.next()) {
    stopped = !trials.empty() && stop();
    if (stopped) break;
    trials.push_back({step->rate, step->longer, oracle(step->rate, step->longer)});
    search.note(trials.back());
  }
  search_result out = search.result(stopped);
  out.trials = std::move(trials);
  return out;
}

/// As above, without a limit of time.
template <capacity_oracle Oracle>
[[nodiscard]] search_result find_capacity(Oracle&& oracle, const search_bounds& bounds) {
  return find_capacity(oracle, bounds, [] { return false; });
}

}  // namespace weir::inline WEIR_ABI::run
