#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// All rooms that need only the standard library, threads and POSIX: no JSON, no formatted reports.
// For libraries and for builds without exceptions; a first program takes <weir/weir.hpp>.

#include <weir/base.hpp>           // IWYU pragma: export
#include <weir/record/sample.hpp>  // IWYU pragma: export
