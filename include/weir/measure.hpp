#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// All of the room `measure`: what is read off a run, per thread and without a lock. Temperature: hot.

// IWYU pragma: begin_exports
#include <weir/measure/busy.hpp>
#include <weir/measure/exactly_once.hpp>
#include <weir/measure/hdr_layout.hpp>
#include <weir/measure/histogram.hpp>
#include <weir/measure/snapshot.hpp>
#include <weir/measure/trace.hpp>
// IWYU pragma: end_exports
