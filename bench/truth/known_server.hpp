#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// A system whose answer is known: a queue and a server that keeps to departure times computed by Lindley's
// recursion, d[n] = max(d[n-1], a[n]) + s[n], and hands each row out then. Several stages in a row are the recursion
// applied several times. If the host takes the thread's core away, it hands out what is overdue at once: the loss
// shows in the rows of that moment, is measured (witness::late), and does not make the server slower than it says.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include <weir/base/cpu.hpp>
#include <weir/base/os.hpp>
#include <weir/base/random.hpp>
#include <weir/channel/spsc_ring.hpp>
#include <weir/clock/steady.hpp>
#include <weir/flow/event.hpp>
#include <weir/flow/stage.hpp>
#include <weir/flow/system.hpp>
#include <weir/measure/histogram.hpp>

namespace truth {

using std::chrono::nanoseconds;

/// Usable cores, the lowest and the highest: the generator has one, the server the other, and neither shares its own
/// with the other by a whim of the scheduler.
inline unsigned first_core() {
  unsigned core = 0;
  while (!weir::os::core_usable(core)) ++core;
  return core;
}
inline unsigned last_core() {
  unsigned core = first_core();
  for (unsigned above = core; weir::os::usable_cores() > 1 && above < CPU_SETSIZE; ++above)
    if (weir::os::core_usable(above)) core = above;
  return core;
}

/// Every row takes the same time.
struct fixed_service {
  nanoseconds time{};

  void operator()(weir::flow::event&) const noexcept {}
  [[nodiscard]] nanoseconds service_time(const weir::flow::event&) const noexcept { return time; }
};

/// Exponential times, a function of the row and the seed alone.
struct exponential_service {
  double mean_ns = 0;
  std::uint64_t seed = 0;

  void operator()(weir::flow::event&) const noexcept {}
  [[nodiscard]] nanoseconds service_time(const weir::flow::event& e) const noexcept {
    weir::random_bits draw(weir::mix64(e.sequence) ^ seed);
    return nanoseconds(static_cast<std::int64_t>(-mean_ns * std::log1p(-draw.uniform())));
  }
};

/// What the server saw, by its own clock readings: weir's figures are held against it.
struct witness {
  nanoseconds first_arrival{};
  nanoseconds last_departure{};
  double row_ns = 0;              // number of rows in the system, integrated over time
  weir::measure::histogram late;  // handed out - departure

  /// Rows in the system, the mean over time.
  [[nodiscard]] double mean_in_system() const {
    return row_ns / static_cast<double>((last_departure - first_arrival).count());
  }
};

template <weir::flow::timed_stage Stage, class Out = weir::flow::outlet>
class known_server {
 public:
  static constexpr bool keeps_order = true;

  /// Room for rows that wait: 0.2 s at 600,000 a second.
  static constexpr std::size_t room = std::size_t{1} << 17;

  known_server(const Out& out, std::vector<Stage> stages, witness& seen)
      : out_(out), stages_(std::move(stages)), free_(stages_.size()), seen_(&seen), queue_(room) {
    thread_ = std::thread([this] { serve(); });
  }
  known_server(const known_server&) = delete;
  known_server& operator=(const known_server&) = delete;
  ~known_server() {
    queue_.close();
    thread_.join();
  }

  void push(const weir::flow::event& e) {
    const row arrived{e, clock_.now()};
    queue_.push(std::span(&arrived, 1));
  }

 private:
  struct row {
    weir::flow::event event;
    nanoseconds at{};
  };

  void serve() {
    weir::os::sharpen_timers();
    const weir::os::core_pin pin(last_core());
    // It has a core of its own if there are two. Nobody is woken and no turn is waited for: both would add to the times
    // that are known.
    const bool alone = weir::os::usable_cores() > 1;
    const auto pause = [alone] { alone ? weir::cpu_pause() : weir::os::yield(); };
    while (true) {
      const auto next = queue_.peek(1);
      if (next.empty()) {
        if (queue_.closed() && queue_.peek(1).empty()) return;
        pause();
        continue;
      }
      serve(next[0], pause);
      queue_.release(1);
    }
  }

  template <class Pause>
  void serve(row& r, const Pause& pause) {
    nanoseconds departure = r.at;
    for (std::size_t k = 0; k < stages_.size(); ++k) {
      stages_[k](r.event);
      free_[k] = std::max(free_[k], departure) + stages_[k].service_time(r.event);
      departure = free_[k];
    }
    nanoseconds now = clock_.now();
    for (; now < departure; now = clock_.now()) pause();
    if (seen_->last_departure == nanoseconds(0)) seen_->first_arrival = r.at;
    seen_->last_departure = now;
    seen_->row_ns += static_cast<double>((now - r.at).count());
    seen_->late.record(now - departure);
    out_(r.event);
  }

  Out out_;
  std::vector<Stage> stages_;
  std::vector<nanoseconds> free_;  // when each stage is done with the row before
  witness* seen_;
  weir::clock::steady clock_;
  weir::channel::spsc_ring<row> queue_;
  std::thread thread_;
};

}  // namespace truth
