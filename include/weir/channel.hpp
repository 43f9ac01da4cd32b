#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The room `channel`: ways from one thread to another.

#include <weir/channel/parking.hpp>    // IWYU pragma: export
#include <weir/channel/spsc_ring.hpp>  // IWYU pragma: export
