// SPDX-License-Identifier: Apache-2.0
//
// A little more than a server can do, for 10 s: is it noticed? And is what it can do let pass?

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <weir/gbench/capacity.hpp>
#include <weir/gbench/runner.hpp>
#include <weir/job/spec.hpp>
#include <weir/judge/verdict.hpp>

#include "known_server.hpp"
#include "plans.hpp"
#include "sections.hpp"
#include "undisturbed.hpp"

namespace truth {

namespace {

constexpr std::uint64_t mu = 20'000;  // 50 us a row

using weir::judge::outcome;

/// Seconds of a job, and what it must be judged: `wanted`, but for `allowed` runs of all.
struct load {
  std::uint64_t percent;  // of what the server can do
  std::uint64_t seconds;
  const char* expected;
  bool (*wanted)(outcome);
  int allowed;
};

constexpr bool is_valid(outcome o) { return o == outcome::valid; }
constexpr bool is_not_valid(outcome o) { return o != outcome::valid; }
constexpr bool is_invalid(outcome o) { return o == outcome::invalid; }

struct judged_run {
  outcome state;
  std::vector<std::string> reasons;
  bool disturbed;  // the host took the server's core, or the generator's: nothing else is late at a known load
};

/// As the harness settles it: an undecided run is extended.
judged_run judged(const load& l) {
  namespace gbench = weir::gbench::detail;
  const std::vector<fixed_service> server{{nanoseconds(1'000'000'000 / mu)}};
  bool taken = false;
  const gbench::runner by{.check = [](const weir::job::spec&) {},
                          .prepare = [](const weir::job::spec&) {},
                          .run =
                              [&](const weir::job::spec& asked) {
                                const weir::flow::pipeline plan =
                                    job("overload", static_cast<std::uint64_t>(asked.rows),
                                        static_cast<std::uint64_t>(asked.rate_per_second));
                                watched run = undisturbed([&](witness& seen) {
                                  return weir::flow::drive<known_server<fixed_service>>(plan, server, seen).sample;
                                });
                                taken = run.disturbed;
                                return std::move(run.sample);
                              }};
  weir::job::spec asked;
  asked.rate_per_second = static_cast<std::int64_t>(mu * l.percent / 100);
  asked.rows = static_cast<std::int64_t>(l.seconds) * asked.rate_per_second;
  const weir::judge::verdict v = gbench::run_settled(by, {.scenario = "overload", .id = "overload"}, asked).verdict;
  std::vector<std::string> reasons = gbench::reason_ids(v);
  const bool late = std::ranges::find(reasons, "release_lag") != reasons.end();
  return {v.state, std::move(reasons), taken || late};
}

/// Ends where the runs that are left cannot change the answer.
void add(ledger& to, const load& l, int runs) {
  std::array<int, 3> count{};
  std::map<std::string, int> reasons;  // why not what was wanted
  int wrong = 0;
  int unclear = 0;  // wrong as well, but the host took the core
  int done = 0;
  while (done < runs && wrong <= l.allowed && wrong + unclear + runs - done > l.allowed) {
    progress(fmt::format("{} % load, run {} of {}", l.percent, ++done, runs));
    const judged_run found = judged(l);
    ++count[static_cast<std::size_t>(found.state)];
    if (l.wanted(found.state)) continue;
    ++(found.disturbed ? unclear : wrong);
    for (const std::string& id : found.reasons) ++reasons[id];
  }
  const auto of = [&](outcome o) { return count[static_cast<std::size_t>(o)]; };
  std::string measured = fmt::format("{} valid, {} invalid", of(outcome::valid), of(outcome::invalid));
  for (const auto& [id, times] : reasons) measured += fmt::format("\n{} x {}", times, id);
  to.add({.what = fmt::format("{} % load, {} s, {} of {} runs", l.percent, l.seconds, done, runs),
          .expected = l.expected,
          .measured = std::move(measured),
          .tolerance = fmt::format("{} may not", l.allowed),
          .stands = wrong > l.allowed             ? standing::fails
                    : wrong + unclear > l.allowed ? standing::unclear
                                                  : standing::holds,
          .figures = {{"runs", runs},
                      {"runs_done", done},
                      {"valid", of(outcome::valid)},
                      {"invalid", of(outcome::invalid)},
                      {"inconclusive", of(outcome::inconclusive)},
                      {"disturbed", unclear},
                      {"unwanted_reasons", reasons}}});
}

}  // namespace

void overload(ledger& to, effort how) {
  to.begin("a known load");
  const int runs = how.of(10, 1);
  for (const load& l : {load{90, 5, "valid", is_valid, 1}, load{101, 10, "not valid", is_not_valid, 2},
                        load{102, 10, "invalid", is_invalid, 1}, load{105, 10, "invalid", is_invalid, 0}})
    add(to, {l.percent, l.seconds, l.expected, l.wanted, l.allowed * runs / 10}, runs);
}

}  // namespace truth
