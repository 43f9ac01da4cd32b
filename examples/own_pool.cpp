// SPDX-License-Identifier: Apache-2.0
//
// A thread pool of your own: several workers call the outlet at once, and order is not kept.
//
//   own_pool --weir_iterations=5 --weir_param=offered_rate=100000

#include <functional>
#include <thread>
#include <vector>

#include <weir/flow/stage.hpp>
#include <weir/gbench/main.hpp>
#include <weir/gbench/pipeline_suite.hpp>

#include "blocking_queue.hpp"

/// It stands for yours.
class thread_pool {
 public:
  explicit thread_pool(int threads) {
    for (int i = 0; i < threads; ++i)
      threads_.emplace_back([this] {
        while (auto task = tasks_.pop()) (*task)();
      });
  }
  ~thread_pool() { tasks_.close(); }

  void submit(const std::function<void()>& task) { tasks_.push(task); }

 private:
  blocking_queue<std::function<void()>> tasks_;
  std::vector<std::jthread> threads_;
};

// [own_pool]
struct my_pool {
  my_pool(weir::flow::outlet out, int threads) : out_(out), pool_(threads) {}

  void push(const weir::flow::event& e) {
    pool_.submit([this, done = e]() mutable {
      done.checksum = weir::flow::hash_chain(done.sequence, done.payload, 64);  // the work
      out_(done);
    });
  }

  weir::flow::outlet out_;
  thread_pool pool_;
};
const bool registered = weir::gbench::register_system<my_pool>("my_pool", 2);  // 2 threads
// [/own_pool]

WEIR_MAIN()
