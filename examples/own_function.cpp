// SPDX-License-Identifier: Apache-2.0
//
// A plain function, called synchronously, as the transform of weir's pipeline: it runs on weir's lanes, behind a
// queue, so that however long it takes, the generator is not held up.
//
//   own_function --weir_iterations=5 --weir_param=parallelism=1,2,4

#include <cstdint>

#include <weir/flow/event.hpp>
#include <weir/gbench/main.hpp>
#include <weir/gbench/pipeline_suite.hpp>

// [own_function]
void my_function(weir::flow::event& e) {
  std::uint64_t sum = e.sequence;
  for (const char c : e.payload) sum = sum * 31 + static_cast<unsigned char>(c);
  e.checksum = sum;
}

const bool registered = weir::gbench::register_stage("my_function", my_function);
// [/own_function]

WEIR_MAIN()
