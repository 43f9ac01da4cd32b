// SPDX-License-Identifier: Apache-2.0
//
// Your own channel, or somebody else's, in the channel suite: moodycamel's queue where it is installed
// (libconcurrentqueue-dev), else a std::deque under a mutex.
//
//   own_channel --benchmark_filter=pingpong

// [own_channel]
#include <atomic>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include <weir/gbench/channel_suite.hpp>
#include <weir/gbench/main.hpp>

#include "third_party_queue.hpp"  // third_party_queue<T>: try_enqueue(T), wait_dequeue(T&)

using weir::channel::outcome;
using message = std::vector<std::byte>;

class my_channel {
 public:
  explicit my_channel(const weir::channel::options& o) : queue_(o.depth) {}

  outcome try_send(std::span<const std::byte> m) {
    if (closed_) return outcome::closed;
    return queue_.try_enqueue(message(m.begin(), m.end())) ? outcome::done : outcome::full;
  }
  outcome send(std::span<const std::byte> m) {
    outcome o = try_send(m);
    for (; o == outcome::full; o = try_send(m)) std::this_thread::yield();
    return o;
  }
  weir::channel::received receive(std::span<std::byte> room) {
    message m;
    queue_.wait_dequeue(m);
    if (m.size() == 1) return {outcome::closed, 0};  // the suite's messages begin with a header of 24 bytes
    std::memcpy(room.data(), m.data(), m.size());
    return {outcome::done, m.size()};
  }
  void close() {
    if (!closed_.exchange(true))
      while (!queue_.try_enqueue(message(1))) std::this_thread::yield();
  }

 private:
  third_party_queue<message> queue_;
  std::atomic<bool> closed_{false};
};

const bool registered = weir::gbench::register_channel<my_channel>("my_channel");
WEIR_MAIN()
// [/own_channel]
