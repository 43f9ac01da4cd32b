// SPDX-License-Identifier: Apache-2.0
//
// Your own queue under an open-loop load: here a mutex, a condition variable and a thread.
//
//   own_queue --weir_iterations=5 --weir_param=offered_rate=200000

// [own_queue]
#include <thread>
#include <weir/gbench.hpp>
#include "blocking_queue.hpp"  // any queue of yours: here a mutex and a condition variable

struct my_pipeline {
  explicit my_pipeline(weir::flow::outlet out) : out_(out) {}
  ~my_pipeline() { queue_.close(); }
  void push(const weir::flow::event& e) { queue_.push(e); }  // weir calls it when the schedule says so

  weir::flow::outlet out_;  // you call it with each event that comes out
  blocking_queue<weir::flow::event> queue_;
  std::jthread worker_{[this] {
    while (auto e = queue_.pop()) out_(*e);
  }};
};
const bool registered = weir::gbench::register_system<my_pipeline>("my_pipeline");
WEIR_MAIN()
// [/own_queue]
