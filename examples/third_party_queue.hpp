#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// A bounded queue of somebody else's: moodycamel's BlockingConcurrentQueue, or what one writes without it.

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#if __has_include(<concurrentqueue/blockingconcurrentqueue.h>)
#pragma GCC system_header  // its warnings are not ours
#include <concurrentqueue/blockingconcurrentqueue.h>

template <class T>
class third_party_queue {
 public:
  explicit third_party_queue(std::size_t depth) : queue_(depth), depth_(depth) {}
  bool try_enqueue(T value) { return queue_.size_approx() < depth_ && queue_.enqueue(std::move(value)); }
  void wait_dequeue(T& value) { queue_.wait_dequeue(value); }

 private:
  moodycamel::BlockingConcurrentQueue<T> queue_;
  std::size_t depth_;
};
#else
template <class T>
class third_party_queue {
 public:
  explicit third_party_queue(std::size_t depth) : depth_(depth) {}
  bool try_enqueue(T value) {
    const std::lock_guard lock(mutex_);
    if (queue_.size() >= depth_) return false;
    queue_.push_back(std::move(value));
    there_.notify_one();
    return true;
  }
  void wait_dequeue(T& value) {
    std::unique_lock lock(mutex_);
    there_.wait(lock, [this] { return !queue_.empty(); });
    value = std::move(queue_.front());
    queue_.pop_front();
  }

 private:
  std::mutex mutex_;
  std::condition_variable there_;
  std::deque<T> queue_;
  std::size_t depth_;
};
#endif
