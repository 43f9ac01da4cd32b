#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The queue that one writes first: a mutex, two condition variables, and a copy of each message. The baseline that a
// better one has to beat. Temperature: hot.
//
//   channel::locked_queue q({.depth = 1000});
//   q.send(message);  q.receive(room);

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/channel/message.hpp>

namespace weir::inline WEIR_ABI::channel {

/// Always blocks, whatever wait strategy is asked for. The buffer that came back last is used next, so that only the
/// first messages allocate.
/// Threads: any number of senders and receivers.
class locked_queue {
 public:
  /// Errors: channel.depth_out_of_range, channel.size_out_of_range.
  explicit locked_queue(const options& o) : options_(o) { check(o); }

  [[nodiscard]] outcome send(std::span<const std::byte> message) { return send(message, options_.full); }

  [[nodiscard]] outcome try_send(std::span<const std::byte> message) {
    const outcome o = send(message, full_policy::drop_newest);
    if (o != outcome::dropped) return o;
    const std::lock_guard lock(mutex_);
    --counts_.sent;
    --counts_.dropped;
    return outcome::full;
  }

  /// A message that does not fit stays where it is.
  [[nodiscard]] received receive(std::span<std::byte> room) {
    std::unique_lock lock(mutex_);
    while (queue_.empty() && !closed_) {
      ++counts_.parks;
      data_.wait(lock);
    }
    if (queue_.empty()) return {outcome::closed, 0};
    const std::vector<std::byte>& oldest = queue_.front();
    if (oldest.size() > room.size()) return {outcome::too_big, oldest.size()};
    if (!oldest.empty()) std::memcpy(room.data(), oldest.data(), oldest.size());
    const std::size_t size = oldest.size();
    recycle();
    ++counts_.received;
    lock.unlock();
    space_.notify_one();
    return {outcome::done, size};
  }

  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    data_.notify_all();
    space_.notify_all();
  }

  [[nodiscard]] counters counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
  }

 private:
  [[nodiscard]] outcome send(std::span<const std::byte> message, full_policy full) {
    if (message.size() > options_.largest) return outcome::too_big;
    std::unique_lock lock(mutex_);
    if (is_full() && !closed_) {
      if (full == full_policy::drop_newest) {
        ++counts_.sent;
        ++counts_.dropped;
        return outcome::dropped;
      }
      if (full == full_policy::drop_oldest) {
        recycle();
        ++counts_.dropped;
      }
      while (is_full() && !closed_) {
        ++counts_.parks;
        space_.wait(lock);
      }
    }
    if (closed_) return outcome::closed;
    if (spare_.empty()) spare_.emplace_back();
    spare_.back().assign(message.begin(), message.end());
    queue_.push_back(std::move(spare_.back()));
    spare_.pop_back();
    ++counts_.sent;
    lock.unlock();
    data_.notify_one();
    return outcome::done;
  }

  [[nodiscard]] bool is_full() const noexcept { return queue_.size() == options_.depth; }

  void recycle() {
    spare_.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }

  options options_;
  mutable std::mutex mutex_;
  std::condition_variable data_;
  std::condition_variable space_;
  std::deque<std::vector<std::byte>> queue_;
  std::vector<std::vector<std::byte>> spare_;
  bool closed_ = false;
  counters counts_;
};

static_assert(message_channel<locked_queue>);

}  // namespace weir::inline WEIR_ABI::channel
