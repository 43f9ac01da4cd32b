// SPDX-License-Identifier: Apache-2.0
//
// A schedule of your own: rows due in pairs, at the rate that --weir_param=offered_rate asks for.
//
//   own_schedule --weir_param=arrival=constant,pairs --benchmark_filter='sourceSink/'

#include <chrono>
#include <cstdint>

#include <weir/base/units.hpp>
#include <weir/gbench/main.hpp>
#include <weir/gbench/pipeline_suite.hpp>

// [own_schedule]
class pairs {
 public:
  explicit pairs(weir::rate rate) : rate_(rate) {}
  std::chrono::nanoseconds next() noexcept { return rate_.time_of(n_++ / 2 * 2); }

 private:
  weir::rate rate_;
  std::uint64_t n_ = 0;
};

const bool schedule = weir::gbench::register_schedule("pairs", [](weir::rate rate) { return pairs(rate); });
const bool suite = weir::gbench::register_pipelines();
// [/own_schedule]

WEIR_MAIN()
