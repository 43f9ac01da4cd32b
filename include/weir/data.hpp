#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Room data: rows and what they are made of.

#include <weir/data/decimal.hpp>       // IWYU pragma: export
#include <weir/data/naive_row.hpp>     // IWYU pragma: export
#include <weir/data/numbered_row.hpp>  // IWYU pragma: export
#include <weir/data/row.hpp>           // IWYU pragma: export
#include <weir/data/row_like.hpp>      // IWYU pragma: export
#include <weir/data/text.hpp>          // IWYU pragma: export
#include <weir/data/value.hpp>         // IWYU pragma: export
