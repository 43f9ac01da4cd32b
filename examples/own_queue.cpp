// SPDX-License-Identifier: Apache-2.0
//
// Your own queue under an open-loop load: a mutex, a condition variable and a thread.
//
//   own_queue --weir_param=offered_rate=200000

// [own_queue]
#include <weir/gbench/main.hpp>
#include <weir/gbench/pipeline_suite.hpp>

#include "blocking_queue.hpp"  // any queue: here a mutex and a condition variable

struct my_pipeline {
  explicit my_pipeline(weir::flow::outlet out)
      : worker_([this, out] {
          while (auto event = queue_.pop()) out(*event);  // what comes out goes to the outlet
        }) {}
  ~my_pipeline() { queue_.close(), worker_.join(); }
  void push(const weir::flow::event& event) { queue_.push(event); }  // called on schedule

  blocking_queue<weir::flow::event> queue_;
  std::thread worker_;
};

const bool registered = weir::gbench::register_system<my_pipeline>("my_pipeline");
WEIR_MAIN()
// [/own_queue]
