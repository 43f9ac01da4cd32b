#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// All of the room `record`: what was measured, where, and its forms on disk. Temperature: cold.

// IWYU pragma: begin_exports
#include <weir/record/capacity.hpp>
#include <weir/record/environment.hpp>
#include <weir/record/hlog.hpp>
#include <weir/record/json.hpp>
#include <weir/record/merge.hpp>
#include <weir/record/run_record.hpp>
#include <weir/record/sample.hpp>
#include <weir/record/wire.hpp>
// IWYU pragma: end_exports
