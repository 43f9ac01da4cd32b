// SPDX-License-Identifier: Apache-2.0
//
// A little more than a server can do, for 10 s: is it noticed? And is what it can do let pass?

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <weir/judge/verdict.hpp>

#include "known_server.hpp"
#include "plans.hpp"
#include "sections.hpp"

namespace truth {

namespace {

constexpr std::uint64_t mu = 20'000;  // 50 us a row

struct verdicts {
  int valid = 0;
  int invalid = 0;
  int inconclusive = 0;
};

verdicts judge(std::uint64_t per_second, int runs) {
  verdicts count;
  for (int i = 0; i < runs; ++i) {
    progress(fmt::format("{:.0f} % load, run {} of {}", 100.0 * static_cast<double>(per_second) / mu, i + 1, runs));
    const weir::flow::pipeline plan = job("overload", 10 * per_second, per_second);
    witness seen;
    const auto s = weir::flow::drive<known_server<fixed_service>>(
                       plan, std::vector<fixed_service>{{nanoseconds(1'000'000'000 / mu)}}, seen)
                       .sample;
    switch (weir::judge::assess(s).state) {
      case weir::judge::outcome::valid:
        ++count.valid;
        break;
      case weir::judge::outcome::invalid:
        ++count.invalid;
        break;
      case weir::judge::outcome::inconclusive:
        ++count.inconclusive;
    }
  }
  return count;
}

}  // namespace

void overload(ledger& to, effort how) {
  to.begin("10 s at a known load");
  const int runs = how.of(10, 1);
  const auto add = [&](std::uint64_t percent, const char* what, const char* tolerance, auto wrong, int allowed) {
    const verdicts v = judge(mu * percent / 100, runs);
    to.add({.what = fmt::format("{} % load, {} runs", percent, runs),
            .expected = what,
            .measured = fmt::format("{} valid, {} invalid", v.valid, v.invalid),
            .tolerance = tolerance,
            .holds = wrong(v) <= allowed,
            .figures = {{"runs", runs}, {"valid", v.valid}, {"invalid", v.invalid}, {"inconclusive", v.inconclusive}}});
  };
  add(90, "valid", "1 in 10 may not", [&](const verdicts& v) { return runs - v.valid; }, runs / 10);
  add(101, "not valid", "2 in 10 may", [](const verdicts& v) { return v.valid; }, runs / 5);
  add(102, "invalid", "1 in 10 may not", [&](const verdicts& v) { return runs - v.invalid; }, runs / 10);
  add(105, "invalid", "1 in 10 may not", [&](const verdicts& v) { return runs - v.invalid; }, runs / 10);
}

}  // namespace truth
