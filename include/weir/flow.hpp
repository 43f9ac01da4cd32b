#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Room flow: source, channels, stages and sink; the engine that runs them, the stepper, and systems of your own.

#include <weir/flow/account.hpp>    // IWYU pragma: export
#include <weir/flow/engine.hpp>     // IWYU pragma: export
#include <weir/flow/event.hpp>      // IWYU pragma: export
#include <weir/flow/generator.hpp>  // IWYU pragma: export
#include <weir/flow/graph.hpp>      // IWYU pragma: export
#include <weir/flow/observer.hpp>   // IWYU pragma: export
#include <weir/flow/pipeline.hpp>   // IWYU pragma: export
#include <weir/flow/run.hpp>        // IWYU pragma: export
#include <weir/flow/sink.hpp>       // IWYU pragma: export
#include <weir/flow/stage.hpp>      // IWYU pragma: export
#include <weir/flow/stepper.hpp>    // IWYU pragma: export
#include <weir/flow/system.hpp>     // IWYU pragma: export
#include <weir/flow/task.hpp>       // IWYU pragma: export
