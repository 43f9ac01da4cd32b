#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// May this sample be believed? Pure: the same sample and limits give the same verdict, today or from a
// file. docs/verdicts.md lists every reason. Temperature: cold.
//
//   const judge::verdict v = judge::assess(sample);
//   for (const judge::reason& r : v.reasons) print(r.id, r.measured, r.limit, r.advice);

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/judge/growth.hpp>
#include <weir/judge/stall.hpp>
#include <weir/judge/trend.hpp>
#include <weir/measure/snapshot.hpp>
#include <weir/record/sample.hpp>

namespace weir::inline WEIR_ABI::judge {

enum class outcome { valid, invalid, inconclusive };

[[nodiscard]] constexpr std::string_view to_string(outcome o) noexcept {
  constexpr std::array<std::string_view, 3> names{"valid", "invalid", "inconclusive"};
  return names[static_cast<std::size_t>(o)];
}

/// One rule that a sample broke, or could not be tried by.
struct reason {
  std::string id;         // stable; docs/verdicts.md
  double measured = 0;
  double limit = 0;
  std::string unit;       // of both: "ns", "rows", "times" or "ratio"; "" when the reason is a yes or no
  std::string advice;     // what to look for; no figures, so that equal reasons read the same
  outcome weight = outcome::invalid;  // what it makes of the sample; valid: a remark

  friend bool operator==(const reason&, const reason&) = default;
};

struct verdict {
  outcome state = outcome::valid;
  std::vector<reason> reasons;

  [[nodiscard]] bool valid() const noexcept { return state == outcome::valid; }
  [[nodiscard]] bool has(std::string_view id) const noexcept {
    return std::ranges::find(reasons, id, &reason::id) != reasons.end();
  }

  friend bool operator==(const verdict&, const verdict&) = default;
};

/// Where the rules draw their lines.
struct limits {
  nanoseconds p99 = std::chrono::seconds(1);

  /// A pause in which rows were with the system and none came out, or 30 times the P50 latency if that is more.
  /// Hosts that share their cores take one away for 1 to 10 ms, and for 20 now and then.
  nanoseconds stall = std::chrono::milliseconds(40);

  /// Growth of P99 between the halves, each with 1 ms added.
  double growth_ratio = 1.20;

  /// Slope of latency on intended time: above the first the job falls behind, below the second it keeps up.
  double slope_growing = 0.01;
  double slope_steady = 0.005;
  /// Smallest rise over the whole job that counts, as in latency_growth_ratio().
  nanoseconds slope_floor = std::chrono::milliseconds(1);
  /// A schedule shorter than this is not held against a slope that noise hides: 0.5 % of 1 s is 5 ms,
  /// about one scheduler slice, so below it no run on a shared host could be decided.
  nanoseconds slope_time = std::chrono::seconds(1);

  double achieved = 0.99;  // of the offered rate

  /// P99 of release - intended, or a tenth of the P50 latency if that is more. Lag is part of the latency
  /// and never hides any, but above this much of it the figure says more about the generator than about
  /// the pipeline. 1 ms is 10 to 80 times what a generator that yields shows on two cores (12 to 100 us),
  /// and a quarter of what losing one scheduler slice costs.
  nanoseconds release_lag_p99 = std::chrono::milliseconds(1);
  double source_blocked = 0.01;  // share of the schedule in which a full queue may hold the generator

  /// Each half needs 459 rows before its maximum bounds its P99 with 99 % confidence (0.99^459 = 0.01).
  std::uint64_t rows = 1'000;

  friend bool operator==(const limits&, const limits&) = default;
};

/// A sample and what was found about it; judging never changes a sample.
struct judged_sample {
  record::sample sample;
  judge::verdict verdict;
};

namespace detail {

class assessment {
 public:
  assessment(const record::sample& s, const limits& l) : s_(s), limits_(l) {}

  [[nodiscard]] verdict made() && {
    // Every other figure of a job that ended early describes a part of it.
    if (s_.failure) {
      add("job_failed", 1, 0, "", "the job ended early: " + *s_.failure);
      return std::move(verdict_);
    }
    if (s_.asked.rows == 0) {
      add("no_rows", 0, 1, "rows",
          "the sample asked for no rows and measured nothing: the engine must say what it ran");
      return std::move(verdict_);
    }
    rows();
    features();
    if (s_.negative_latencies > 0) {
      add("negative_latency", s_.negative_latencies, 0, "rows",
          "rows arrived before they were due: the clocks of two threads disagree; use the steady clock");
    }
    if (!s_.asked.offered.paced()) {
      add("latency_not_judged", 0, 0, "", "unpaced: rows have no due time, so latency and pace mean nothing here",
          outcome::valid);
    } else if (s_.asked.rows < limits_.rows) {
      // A P99 of so few rows, and a pace between two of them, are accidents: they are not held against it.
      add("too_short", s_.asked.rows, limits_.rows, "rows", "too few rows for a P99 of each half: ask for more rows",
          outcome::inconclusive);
    } else {
      latency();
      pace();
    }
    return std::move(verdict_);
  }

 private:
  template <class Measured, class Limit>
  void add(std::string_view id, Measured measured, Limit limit, std::string_view unit, std::string advice,
           outcome weight = outcome::invalid) {
    verdict_.reasons.push_back({std::string(id), static_cast<double>(measured), static_cast<double>(limit),
                                std::string(unit), std::move(advice), weight});
    if (weight != outcome::valid && verdict_.state != outcome::invalid) verdict_.state = weight;
  }

  void rows() {
    const auto [fewest, most] = std::minmax(s_.processed_rows, s_.seen.count);
    bool exact = false;
    if (fewest < s_.asked.rows) {
      add("rows_missing", s_.asked.rows - fewest, 0, "rows",
          "rows were lost on the way: look for a dropped batch or a drain that ended too soon");
    } else if (most > s_.asked.rows) {
      add("rows_duplicated", most - s_.asked.rows, 0, "rows",
          "rows came more than once: look for a batch that was handed over twice");
    } else if (s_.seen != s_.expected) {
      add("rows_exchanged", 1, 0, "",
          "the count is right but the rows are not: as many were lost as came twice, or numbers were overwritten");
    } else {
      exact = true;
    }
    if (s_.corrupt_payloads > 0) {
      add("payload_corrupt", s_.corrupt_payloads, 0, "rows",
          "payloads changed on the way: look for buffers that are reused while rows are in flight");
    }
    if (!exact) return;  // the checksum and the order of the wrong rows are wrong too and tell nothing more
    if (s_.expected_checksum && s_.checksum != *s_.expected_checksum) {
      add("checksum_mismatch", 1, 0, "",
          "every row is there, but a stage computed something else than the scenario says");
    } else if (s_.expected_checksum_by_row && s_.checksum_by_row != *s_.expected_checksum_by_row) {
      add("checksums_exchanged", 1, 0, "",
          "every row and every result is there, but rows carry each other's: look for results that are written to the "
          "wrong row");
    }
    if (s_.reordered_rows.value_or(0) > 0) {
      add("rows_reordered", *s_.reordered_rows, 0, "rows",
          "rows overtook others of their lane, whose order is promised: look for two threads on one lane");
    }
  }

  void features() {
    for (const auto& feature : s_.features) {
      if (feature.fired > 0) continue;
      add("feature_not_fired", 0, 1, "times",
          feature.name +
              " is part of the scenario and was never seen to work: this measured something else, or the job was too "
              "short for it; ask for more rows");
    }
  }

  void latency() {
    const measure::snapshot all = s_.latency();
    const std::uint64_t measured = all.count() + s_.negative_latencies;
    if (measured < s_.processed_rows) {
      add("latency_unmeasured", s_.processed_rows - measured, 0, "rows",
          "rows reached the sink without a latency: record one for each row");
    }
    const auto clamped = [](const measure::snapshot& h, measure::percentile p) { return h.at(p).clamped; };
    if (clamped(all, measure::p50) || clamped(all, measure::p95) || clamped(all, measure::p99) ||
        clamped(s_.latency_first_half, measure::p99) || clamped(s_.latency_second_half, measure::p99)) {
      add("percentile_clamped", all.overflow(), 0, "rows",
          "a percentile lies beyond what the histogram resolves, so it is only a lower bound: lower the offered rate");
      return;  // what is not known cannot be compared
    }
    if (const nanoseconds p99 = all.at(measure::p99).value; p99 > limits_.p99) {
      add("p99_above_limit", p99.count(), limits_.p99.count(), "ns",
          "rows are later than allowed: lower the offered rate, or speed up the busiest stage");
    }
    if (const nanoseconds limit = stall_limit(s_, limits_.stall); s_.longest_stall <= limit) {
      // no pause to speak of
    } else if (stalled_before(s_)) {
      add("stalled_again", s_.longest_stall.count(), limit.count(), "ns",
          "nothing came out for a while, as in the job before this one: the system's own pauses, which count",
          outcome::valid);
    } else {
      stalled_ = true;
      add("stalled", s_.longest_stall.count(), limit.count(), "ns",
          "nothing came out for a while although rows were in: one pause decides the tail; repeat the run to see "
          "whether it is the system's or the host's",
          outcome::inconclusive);
      return;  // whatever grew, grew from it
    }
    const auto rise = latency_slope(s_);
    ratio(rise);
    slope(rise);
  }

  /// P99 of a half may be one pause of the host. A half that is later for good has its interval apart from the
  /// other's, and shows in the slope as well.
  void ratio(const std::optional<slope_interval>& rise) {
    const double ratio = latency_growth_ratio(s_);
    if (ratio <= limits_.growth_ratio) return;
    if (second_half_later(s_).value_or(true) && (!rise || rise->low > 0)) {
      add("latency_growing_ratio", ratio, limits_.growth_ratio, "ratio",
          "P99 is higher in the second half than in the first: the offered rate may be above capacity; lower it");
    } else {
      add("ratio_inconclusive", ratio, limits_.growth_ratio, "ratio",
          "P99 of the halves differs, but no more than single disturbances make it: ask for more rows, or quieten the "
          "host",
          outcome::inconclusive);
    }
  }

  void slope(const std::optional<slope_interval>& slope) {
    const trend_state state = slope ? classify(*slope, limits_.slope_growing, limits_.slope_steady, limits_.slope_floor)
                                    : trend_state::inconclusive;
    if (state == trend_state::growing) {
      add("latency_growing_slope", slope->low, limits_.slope_growing, "ratio",
          "latency rises all the time: the offered rate is above capacity; lower it");
    } else if (state == trend_state::inconclusive) {
      add("slope_inconclusive", slope ? slope->high : 0, limits_.slope_steady, "ratio",
          "too short or too noisy to tell whether latency rises: ask for more rows, or quieten the host",
          s_.schedule_time < limits_.slope_time ? outcome::valid : outcome::inconclusive);
    }
  }

  void pace() {
    if (stalled_) return;  // the time is missing from the pace as well
    const auto schedule = static_cast<double>(s_.schedule_time.count());
    if (const double achieved = achieved_per_s(s_) / offered_per_s(s_); achieved < limits_.achieved) {
      // A pause of the host as the job ends delays the last row, and a short job has little time to hide it in.
      const double late = schedule * (1 / achieved - 1);
      if (late > static_cast<double>(limits_.stall.count()) || verdict_.has("latency_growing_ratio") ||
          verdict_.has("latency_growing_slope")) {
        add("achieved_below_offered", achieved, limits_.achieved, "ratio",
            "fewer rows came out than were offered: lower the offered rate, or give the pipeline more cores");
      } else {
        add("achieved_inconclusive", achieved, limits_.achieved, "ratio",
            "the last rows came late, but no later than one pause of the host makes them: ask for more rows",
            outcome::inconclusive);
      }
    }
    if (const auto blocked = static_cast<double>(s_.source_blocked.count());
        blocked > limits_.source_blocked * schedule) {
      add("source_back_pressured", schedule > 0 ? blocked / schedule : 1, limits_.source_blocked, "ratio",
          "a full queue held the generator: the pipeline is slower than the offered rate; lower it or find the full "
          "edge");
      return;  // the lag is the queue's then, not the generator's
    }
    const std::uint64_t released = std::min(s_.processed_rows, s_.asked.rows);
    if (const std::uint64_t known = s_.release_lag.count(); known < released) {
      add("lag_unmeasured", released - known, 0, "rows",
          "rows were released without saying how late: record the release lag of each row");
      return;
    }
    const nanoseconds lag = s_.release_lag.at(measure::p99).value;
    if (const nanoseconds limit = std::max(limits_.release_lag_p99, s_.latency().at(measure::p50).value / 10);
        lag > limit) {
      add("release_lag", lag.count(), limit.count(), "ns",
          "the generator was late: give it a core of its own, or lower the offered rate");
    }
  }

  const record::sample& s_;
  const limits& limits_;
  verdict verdict_;
  bool stalled_ = false;
};

}  // namespace detail

/// Tries every rule, the likeliest causes first. Invalid beats inconclusive.
/// Unpaced jobs are judged by their rows and features alone, and a remark says so.
[[nodiscard]] inline verdict assess(const record::sample& s, const limits& l = {}) {
  return detail::assessment(s, l).made();
}

}  // namespace weir::inline WEIR_ABI::judge
