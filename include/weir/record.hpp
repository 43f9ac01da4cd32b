#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// All of the room `record`: what was measured, where, and its forms on disk. Temperature: cold.

// IWYU pragma: begin_exports
#include <weir/record/environment.hpp>
#include <weir/record/hlog.hpp>
#include <weir/record/json.hpp>
#include <weir/record/sample.hpp>
// IWYU pragma: end_exports
