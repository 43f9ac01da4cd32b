#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Room run: what surrounds a measurement on this host.

#include <weir/run/probe.hpp>  // IWYU pragma: export
