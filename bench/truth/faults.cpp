// SPDX-License-Identifier: Apache-2.0
//
// One small faulty system a fault, each run for real, and what is reported; then sound runs, of which none may be
// called faulty.

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <unistd.h>

#include <weir/base/os.hpp>
#include <weir/clock/steady.hpp>
#include <weir/flow/engine.hpp>
#include <weir/flow/run.hpp>
#include <weir/flow/stage.hpp>
#include <weir/gbench/capacity.hpp>
#include <weir/gbench/runner.hpp>
#include <weir/job/local_engine.hpp>
#include <weir/job/scenario.hpp>
#include <weir/job/spec.hpp>
#include <weir/judge/verdict.hpp>
#include <weir/run/fork.hpp>

#include "faulty.hpp"
#include "known_server.hpp"
#include "plans.hpp"
#include "power.hpp"
#include "sections.hpp"
#include "undisturbed.hpp"

namespace truth {

namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t rows = 50'000;
constexpr std::uint64_t per_second = 50'000;

using weir::gbench::detail::reason_ids;

/// What was reported of a system.
struct report {
  std::vector<std::string> ids;
  bool disturbed = false;  // as in watched, or by a late generator
  bool of_time = false;    // a fault that a busy host may hide
};

std::vector<std::string> ids(const weir::record::sample& s) { return reason_ids(weir::judge::assess(s)); }

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : "\n").append(word);
  return text.empty() ? "nothing" : text;
}

/// A fault is caught when it is reported under its own id, and under no other than what follows from it and what a busy
/// host adds: those are about time, and a sample on a quiet host has none of them.
void add(ledger& to, const std::string& fault, const std::string& id, const report& found,
         const std::vector<std::string>& follows = {}) {
  constexpr std::array<std::string_view, 3> host{"release_lag", "ratio_inconclusive", "slope_inconclusive"};
  const auto is_known = [&](const std::string& r) {
    return r == id || std::ranges::find(follows, r) != follows.end() || std::ranges::find(host, r) != host.end();
  };
  const bool present = std::ranges::find(found.ids, id) != found.ids.end();
  const bool caught = present && std::ranges::all_of(found.ids, is_known);
  to.add({.what = fault,
          .expected = id,
          .measured = joined(found.ids),
          .tolerance = {},
          .stands = found.disturbed && !caught && (present || found.of_time) ? standing::unclear : holds_if(caught),
          .figures = {{"reported", found.ids}, {"disturbed", found.disturbed}}});
}

weir::flow::pipeline plan(const std::string& fault, std::uint64_t n = rows) {
  progress(fault);
  return hashing_job("fault", n, per_second);
}

template <class Fault, weir::flow::timed_stage Stage = hashes>
report reported(const weir::flow::pipeline& p, const Fault& fault = {}, const Stage& work = {}) {
  const watched run =
      undisturbed([&](witness& seen) { return weir::flow::drive<faulty<Fault, Stage>>(p, fault, work, seen).sample; });
  report found{ids(run.sample), run.disturbed, !std::is_same_v<Stage, hashes>};
  // A late generator hides a fault of time in lateness of its own, and no other.
  if (found.of_time && std::ranges::find(found.ids, "release_lag") != found.ids.end()) found.disturbed = true;
  return found;
}

/// A generator that shares its core with three threads that never pause.
report starved(const weir::flow::pipeline& p) {
  const unsigned core = *p.cores.generator;
  std::vector<std::jthread> burners;
  for (int i = 0; i < 3; ++i)
    burners.emplace_back([core](const std::stop_token& stop) {
      const weir::os::core_pin pin(core);
      while (!stop.stop_requested()) {
      }
    });
  return reported<nothing>(p);
}

template <weir::flow::stage Stage>
report on_weirs_lanes(const weir::flow::pipeline& p, const Stage& work) {
  weir::flow::engine engine(p.asked.parallelism);
  return {ids(weir::flow::run(engine, p, work, weir::clock::steady{}).sample)};
}

/// What is reported of a fork of this program that does not end well.
report fork_of(const std::string& name) {
  progress(name);
  weir::record::fork f;
  weir::run::conclude(weir::run::run_fork({.command = {"/proc/self/exe", "--child=" + name}, .timeout = 1s}), f);
  return f.failure ? report{{f.failure->kind}} : report{};
}

void add_clean_runs(ledger& to, int runs) {
  namespace gbench = weir::gbench::detail;
  weir::job::local_engine engine;
  const auto spec = weir::job::standard_spec(*weir::job::find_scenario("sourceTransformSink"), "");
  const gbench::runner how{.check = [&](const weir::job::spec& job) { engine.check(job); },
                           .prepare = [&](const weir::job::spec& job) { engine.prepare(job); },
                           .run = [&](const weir::job::spec& job) { return engine.run(job); }};
  const int may_be_undecided = std::max(1, runs / 10);
  int called_faulty = 0;
  int undecided = 0;
  std::vector<std::string> reasons;
  for (int i = 0; i < runs; ++i) {
    progress(fmt::format("clean run {} of {}", i + 1, runs));
    const auto j = gbench::run_settled(how, {.scenario = "clean", .id = "clean"}, spec);
    called_faulty += j.verdict.state == weir::judge::outcome::invalid;
    undecided += j.verdict.state == weir::judge::outcome::inconclusive;
    for (std::string& id : reason_ids(j.verdict)) reasons.push_back(std::move(id));
  }
  to.add({.what = fmt::format("{} clean runs", runs),
          .expected = "none called faulty",
          .measured = fmt::format("{}, {} undecided", called_faulty, undecided),
          .tolerance = fmt::format("0, <= {}", may_be_undecided),
          .stands = called_faulty > 0               ? standing::fails
                    : undecided <= may_be_undecided ? standing::holds
                                                    : standing::unclear,
          .figures = {{"runs", runs}, {"invalid", called_faulty}, {"inconclusive", undecided}, {"reasons", reasons}}});
}

}  // namespace

int child(const std::string& name) {
  if (name == "hang") weir::os::sleep_until(nanoseconds::max());
  if (name == "crash") std::raise(SIGSEGV);
  if (name == "exit") ::_exit(7);
  if (name.starts_with("power:")) {
    std::istringstream words(name.substr(6));
    std::string work;
    std::string rate;
    std::string seed;
    std::getline(std::getline(std::getline(words, work, ':'), rate, ':'), seed);
    return power_child(work, rate, seed);
  }
  fmt::print(stderr, "truth: --child={}: is for the program itself\n", name);
  return 2;
}

void faults(ledger& to, effort how) {
  to.begin("faults");
  auto lossy = plan("drop");
  lossy.drain_limit = 200ms;  // what was dropped will not come
  add(to, "drop", "rows_missing", reported<drops>(lossy));
  add(to, "duplicate", "rows_duplicated", reported<duplicates>(plan("duplicate")));
  add(to, "drop and duplicate", "rows_exchanged", reported<drops_and_duplicates>(plan("drop and duplicate")));
  add(to, "reorder where order is promised", "rows_reordered", reported<reorders>(plan("reorder")));
  add(to, "corrupt payload", "payload_corrupt", reported<corrupts>(plan("corrupt payload")));
  add(to, "another result", "checksum_mismatch", reported<computes_something_else>(plan("another result")));
  add(to, "swapped checksums", "checksums_exchanged", reported<exchanges_checksums>(plan("swapped checksums")));
  add(to, "stall of 50 ms", "stalled",
      reported<nothing, stalls_once>(plan("stall", 2 * rows), {}, {.usual = 1us, .row = rows, .length = 50ms}));
  add(to, "slow drift", "latency_growing_slope",
      reported<nothing, drifts>(plan("slow drift", 4 * rows), {}, {.between_arrivals = 20us, .rows = 4 * rows}),
      {"latency_growing_ratio", "achieved_below_offered"});
  add(to, "saturated histogram", "percentile_clamped", reported<stamps_by_another_clock>(plan("saturated histogram")));
  add(to, "starved generator", "release_lag", starved(plan("starved generator", 2 * rows)));
  add(to, "exception", "job_failed", on_weirs_lanes(plan("exception"), throws_at{rows / 2}));
  auto without_trace = plan("feature that never fired");
  without_trace.features = {"trace"};
  add(to, "feature that never fired", "feature_not_fired", on_weirs_lanes(without_trace, weir::flow::hash_work{}));
  add(to, "hang", "timeout", fork_of("hang"));
  add(to, "crash", "signal", fork_of("crash"));
  add(to, "early exit", "exit", fork_of("exit"));
  const auto dearer = slowdown(2, how);
  add(to, "row that is 2 % dearer", "changed",
      {.ids = {called_dearer(dearer) ? "changed" : "not changed"}, .disturbed = undecided(dearer), .of_time = true});
  add_clean_runs(to, how.of(30, 6));
}

}  // namespace truth
