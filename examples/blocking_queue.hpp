#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The plain queue of the examples: unbounded, a mutex and a condition variable. It stands for yours.

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

template <class T>
class blocking_queue {
 public:
  void push(const T& value) {
    {
      std::lock_guard lock(mutex_);
      values_.push_back(value);
    }
    ready_.notify_one();
  }

  /// Waits for a value; none once closed and empty.
  std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [this] { return closed_ || !values_.empty(); });
    if (values_.empty()) return std::nullopt;
    std::optional<T> value(std::move(values_.front()));
    values_.pop_front();
    return value;
  }

  void close() {
    {
      std::lock_guard lock(mutex_);
      closed_ = true;
    }
    ready_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<T> values_;
  bool closed_ = false;
};
