#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The id under which a call is refused; "" when it is not.

#include <functional>
#include <string>

#include <weir/base/error.hpp>

inline std::string id_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const weir::error& e) {
    return e.id();
  }
  return "";
}
