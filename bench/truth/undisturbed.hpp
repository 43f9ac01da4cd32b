#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Jobs whose verdict is the claim: what the host did to the server must not be taken for what weir says of it.

#include <utility>

#include <weir/judge/verdict.hpp>
#include <weir/record/sample.hpp>

#include "known_server.hpp"
#include "ledger.hpp"

namespace truth {

struct watched {
  weir::record::sample sample;
  bool disturbed = false;  // its server was itself late by as much as is judged a stall: the host took its core
};

/// Runs a job on a known server, again where it was disturbed; three times at most, of which the last stands.
template <class Run>
watched undisturbed(const Run& run, nanoseconds limit = weir::judge::limits{}.stall) {
  constexpr int most = 3;
  for (int runs = 1;; ++runs) {
    witness seen;
    weir::record::sample s = run(seen);
    const bool disturbed = seen.late.snapshot().max() >= limit;
    if (!disturbed || runs == most) return {std::move(s), disturbed};
    progress("the host took the core away: once more");
  }
}

}  // namespace truth
