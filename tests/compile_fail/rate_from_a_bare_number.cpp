// expect: conversion from .int. to|could not convert|no viable conversion from .int. to
// SPDX-License-Identifier: Apache-2.0
// A number alone is no rate: per_second() says the unit.
#include <weir/base/units.hpp>

#ifdef WEIR_CONTROL
constexpr weir::rate offered = weir::rate::per_second(600'000);
#else
constexpr weir::rate offered = 600'000;
#endif
