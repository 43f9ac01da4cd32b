// SPDX-License-Identifier: Apache-2.0
// A consumer of weir::core: granular headers, warnings of its own.
#include <weir/arrival/constant.hpp>
#include <weir/base/units.hpp>
#include <weir/record/sample.hpp>

#include <chrono>

int main() {
  using namespace std::chrono_literals;
  weir::arrival::constant due(weir::rate::per_second(3));
  due.next();
  return due.next() == 333'333'333ns ? 0 : 1;
}
