#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// One job of a pipeline, run and judged; an undecided one again, longer. Temperature: cold around the job.
//
//   judge::judged_sample j = gbench::detail::run_settled(how, {.scenario = "sourceSink", .id = "source-sink"}, job);

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/base/error.hpp>
#include <weir/clock/steady.hpp>
#include <weir/job/spec.hpp>
#include <weir/judge/extension.hpp>
#include <weir/judge/stall.hpp>
#include <weir/judge/verdict.hpp>
#include <weir/record/environment.hpp>
#include <weir/record/sample.hpp>
#include <weir/run/probe.hpp>

namespace weir::inline WEIR_ABI::gbench::detail {

/// How one benchmark runs a job.
struct runner {
  std::function<void(const job::spec&)> check;
  std::function<void(const job::spec&)> prepare;
  std::function<record::sample(const job::spec&)> run;
};

/// Under which names its samples go.
struct sample_names {
  std::string scenario;  // "sourceSink/rows:1000"
  std::string id;        // "source-sink", in run ids
};

/// `<id>-<sequence>-<nanoseconds>`: unique within a process and from one to the next.
[[nodiscard]] inline std::string next_run_id(std::string_view id) {
  static std::uint64_t sequence = 0;
  return std::string(id) + "-" + std::to_string(++sequence) + "-" + std::to_string(clock::steady{}.now().count());
}

/// The host as it was before a job.
class host_probe {
 public:
  [[nodiscard]] std::vector<std::string> disturbances_since() const {
    std::vector<std::string> notes = record::disturbances(host_, record::probe_disturbance());
    if (auto note = run::moved(round_trip_, run::core_round_trip())) notes.push_back(std::move(*note));
    return notes;
  }

 private:
  std::optional<std::chrono::nanoseconds> round_trip_ = run::core_round_trip();
  record::disturbance host_ = record::probe_disturbance();
};

[[nodiscard]] inline judge::judged_sample judged(record::sample s, const sample_names& names,
                                                 const host_probe& before) {
  s.scenario = names.scenario;
  for (std::string& note : before.disturbances_since()) s.notes.push_back(std::move(note));
  judge::verdict v = judge::assess(s);
  return {std::move(s), std::move(v)};
}

/// A job that stands as it is; one that was not decided gives way to one with twice the rows, twice at most, and a
/// note says so. One that stalls as the job before it did is judged with its pauses, as another note says.
[[nodiscard]] inline judge::judged_sample settled(const runner& how, const sample_names& names, const job::spec& job,
                                                  judge::judged_sample j) {
  job::spec longer = job;
  bool stalled = j.verdict.has("stalled");
  for (int extensions = 0; const auto rows = judge::next_rows(j.sample, j.verdict, extensions); ++extensions) {
    longer.rows = static_cast<std::int64_t>(*rows);
    longer.run_id = next_run_id(names.id);
    if (weir::detail::failure_of([&] { how.check(longer); })) break;  // a trace that ends, say: the verdict stands
    how.prepare(longer);
    std::string note = "extended: " + std::to_string(j.sample.asked.rows) + " rows were inconclusive by " +
                       j.verdict.reasons.front().id;
    const host_probe before;
    j = judged(how.run(longer), names, before);
    j.sample.notes.push_back(std::move(note));
    if (!j.verdict.has("stalled")) continue;
    if (stalled) {
      j.sample.notes.emplace_back(judge::stalled_before_note);
      j.verdict = judge::assess(j.sample);
    }
    stalled = true;
  }
  if (longer.rows != job.rows) how.prepare(job);
  return j;
}

/// Prepares a job, runs it, and settles it.
[[nodiscard]] inline judge::judged_sample run_settled(const runner& how, const sample_names& names, job::spec job) {
  how.prepare(job);
  job.run_id = next_run_id(names.id);
  const host_probe before;
  return settled(how, names, job, judged(how.run(job), names, before));
}

}  // namespace weir::inline WEIR_ABI::gbench::detail
