#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The parts of the program; each adds its claims to the ledger.

#include <string>

#include "ledger.hpp"

namespace truth {

void answers(ledger& to, effort how);    // queues with known answers, Little's law
void stalls(ledger& to, effort how);     // one stall, seen by an open and by a closed loop
void generator(ledger& to, effort how);  // its pace, lag and law
void faults(ledger& to, effort how);     // one small faulty system a fault, and clean runs
void overload(ledger& to, effort how);   // a little too much for 10 s
void power(ledger& to, effort how);      // the smallest slowdown seen at a tenth of capacity
void capacity(ledger& to, effort how);   // of a system whose capacity is known

/// What a fork of this program does when its first argument is --child=NAME; returns the exit code.
int child(const std::string& name);

}  // namespace truth
