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
#include <mutex>
#include <span>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/channel/message.hpp>

namespace weir::inline WEIR_ABI::channel {

/// Always blocks, whatever wait strategy is asked for. Its places keep their memory, so that only the first messages
/// allocate.
/// Threads: any number of senders and receivers.
class locked_queue {
 public:
  /// Errors: channel.depth_out_of_range, channel.size_out_of_range.
  explicit locked_queue(const options& o) : options_(o) {
    check(o);
    places_.resize(o.depth);
  }

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
    while (first_ == last_ && !closed_) {
      ++counts_.parks;
      data_.wait(lock);
    }
    if (first_ == last_) return {outcome::closed, 0};
    const std::vector<std::byte>& oldest = places_[first_ % places_.size()];
    if (oldest.size() > room.size()) return {outcome::too_big, oldest.size()};
    if (!oldest.empty()) std::memcpy(room.data(), oldest.data(), oldest.size());
    const std::size_t size = oldest.size();
    ++first_;
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
        ++first_;
        ++counts_.dropped;
      }
      while (is_full() && !closed_) {
        ++counts_.parks;
        space_.wait(lock);
      }
    }
    if (closed_) return outcome::closed;
    places_[last_ % places_.size()].assign(message.begin(), message.end());
    ++last_;
    ++counts_.sent;
    lock.unlock();
    data_.notify_one();
    return outcome::done;
  }

  [[nodiscard]] bool is_full() const noexcept { return last_ - first_ == places_.size(); }

  options options_;
  mutable std::mutex mutex_;
  std::condition_variable data_;
  std::condition_variable space_;
  std::vector<std::vector<std::byte>> places_;
  std::uint64_t first_ = 0;
  std::uint64_t last_ = 0;
  bool closed_ = false;
  counters counts_;
};

static_assert(message_channel<locked_queue>);

}  // namespace weir::inline WEIR_ABI::channel
