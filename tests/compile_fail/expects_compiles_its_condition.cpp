// expect: no_such_name
// SPDX-License-Identifier: Apache-2.0
// A precondition is compiled in every build, so that it cannot rot where WEIR_CHECKS is off.
#define WEIR_CHECKS 0
#include <weir/base/expects.hpp>

void f(int index) {
#ifdef WEIR_CONTROL
  WEIR_EXPECTS(index >= 0);
#else
  WEIR_EXPECTS(index < no_such_name);
#endif
}
