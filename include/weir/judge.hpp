#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Room judge: may a sample be believed, and does it keep up?

#include <weir/judge/capacity.hpp>  // IWYU pragma: export
#include <weir/judge/growth.hpp>    // IWYU pragma: export
#include <weir/judge/trend.hpp>     // IWYU pragma: export
#include <weir/judge/verdict.hpp>   // IWYU pragma: export
