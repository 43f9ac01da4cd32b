// SPDX-License-Identifier: Apache-2.0
//
// A thread pool of your own: several workers call the outlet at once, order is not kept.

#include <thread>
#include <vector>

#include <weir/flow/stage.hpp>
#include <weir/gbench/main.hpp>
#include <weir/gbench/pipeline_suite.hpp>

#include "blocking_queue.hpp"

// [own_pool]
struct my_pool {
  my_pool(weir::flow::outlet out, int workers) {
    for (int i = 0; i < workers; ++i)
      workers_.emplace_back([this, out] {
        while (auto event = tasks_.pop()) {
          event->checksum = weir::flow::hash_chain(event->sequence, event->payload, 64);  // the work
          out(*event);
        }
      });
  }
  ~my_pool() {
    tasks_.close();
    for (auto& worker : workers_) worker.join();
  }
  void push(const weir::flow::event& event) { tasks_.push(event); }

  blocking_queue<weir::flow::event> tasks_;
  std::vector<std::thread> workers_;
};

const bool registered = weir::gbench::register_system<my_pool>("my_pool", 2);
// [/own_pool]

WEIR_MAIN()
