// SPDX-License-Identifier: Apache-2.0
//
// A plain function as the transform of weir's pipeline: it runs on weir's lanes, behind a queue, so that the
// generator is never held up by it.

#include <weir/gbench/main.hpp>
#include <weir/gbench/pipeline_suite.hpp>

// [own_function]
void my_function(weir::flow::event& event) {
  std::uint64_t sum = event.sequence;
  for (const char c : event.payload) sum = sum * 31 + static_cast<unsigned char>(c);
  event.checksum = sum;
}

const bool registered = weir::gbench::register_stage("my_function", my_function);
// [/own_function]

WEIR_MAIN()
