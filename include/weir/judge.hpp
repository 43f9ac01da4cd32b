#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// All of the room `judge`: may a sample be believed, and does it keep up? Temperature: cold.

// IWYU pragma: begin_exports
#include <weir/judge/capacity.hpp>
#include <weir/judge/extension.hpp>
#include <weir/judge/growth.hpp>
#include <weir/judge/percentile.hpp>
#include <weir/judge/stall.hpp>
#include <weir/judge/trend.hpp>
#include <weir/judge/verdict.hpp>
// IWYU pragma: end_exports
