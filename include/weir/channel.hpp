#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The room `channel`: ways from one thread, or process, to another.

#include <weir/channel/bed.hpp>           // IWYU pragma: export
#include <weir/channel/locked_queue.hpp>  // IWYU pragma: export
#include <weir/channel/memory.hpp>        // IWYU pragma: export
#include <weir/channel/message.hpp>       // IWYU pragma: export
#include <weir/channel/message_ring.hpp>  // IWYU pragma: export
#include <weir/channel/parking.hpp>       // IWYU pragma: export
#include <weir/channel/spsc_ring.hpp>     // IWYU pragma: export
#include <weir/channel/stream.hpp>        // IWYU pragma: export
