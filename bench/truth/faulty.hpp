#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Systems with one fault each, small enough to see that it is the only one. The sound system is a queue and a
// thread that does the reference transform; a fault is what happens to a row on its way out, or how long it takes.

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include <weir/base/os.hpp>
#include <weir/flow/event.hpp>
#include <weir/flow/stage.hpp>
#include <weir/flow/system.hpp>

#include "known_server.hpp"

namespace truth {

// --- what happens to a row on its way out ---

inline bool strikes(const weir::flow::event& e) noexcept { return e.sequence % 1'000 == 501; }

struct nothing {
  template <class Out>
  void operator()(const weir::flow::event& e, const Out& out) {
    out(e);
  }
};

struct drops {
  template <class Out>
  void operator()(const weir::flow::event& e, const Out& out) {
    if (!strikes(e)) out(e);
  }
};

struct duplicates {
  template <class Out>
  void operator()(const weir::flow::event& e, const Out& out) {
    out(e);
    if (strikes(e)) out(e);
  }
};

/// The count is right: the row before comes a second time instead.
struct drops_and_duplicates {
  weir::flow::event before{};

  template <class Out>
  void operator()(const weir::flow::event& e, const Out& out) {
    out(strikes(e) ? before : e);
    before = e;
  }
};

/// Holds a row back until the next one is there, and hands both to Pass.
template <class Pass>
struct pairs_up {
  weir::flow::event held{};
  bool holds = false;

  template <class Out>
  void operator()(const weir::flow::event& e, const Out& out) {
    if (strikes(e)) {
      held = e;
      holds = true;
    } else if (std::exchange(holds, false)) {
      Pass{}(held, e, out);
    } else {
      out(e);
    }
  }
};

struct the_later_first {
  template <class Out>
  void operator()(const weir::flow::event& first, const weir::flow::event& second, const Out& out) {
    out(second);
    out(first);
  }
};
using reorders = pairs_up<the_later_first>;

struct with_each_others_result {
  template <class Out>
  void operator()(const weir::flow::event& first, const weir::flow::event& second, const Out& out) {
    weir::flow::event a = first;
    weir::flow::event b = second;
    std::swap(a.checksum, b.checksum);
    out(a);
    out(b);
  }
};
using exchanges_checksums = pairs_up<with_each_others_result>;

struct corrupts {
  std::string other{};

  template <class Out>
  void operator()(const weir::flow::event& e, const Out& out) {
    weir::flow::event changed = e;
    if (strikes(e)) {
      other = e.payload;
      other.back() ^= 1;
      changed.payload = other;
    }
    out(changed);
  }
};

struct computes_something_else {
  template <class Out>
  void operator()(const weir::flow::event& e, const Out& out) {
    weir::flow::event changed = e;
    changed.checksum += strikes(e);
    out(changed);
  }
};

/// Rows are stamped by a clock that is 20 minutes behind: beyond what the histogram resolves, in 1 row of 50.
struct stamps_by_another_clock {
  template <class Out>
  void operator()(const weir::flow::event& e, const Out& out) {
    weir::flow::event changed = e;
    if (e.sequence % 50 == 1) changed.intended -= std::chrono::minutes(20);
    out(changed);
  }
};

// --- how long a row takes ---

/// The reference transform. Takes no time of its own on a known server or on virtual time.
struct hashes {
  void operator()(weir::flow::event& e) const noexcept { weir::flow::hash_work{}(e); }
  [[nodiscard]] nanoseconds service_time(const weir::flow::event&) const noexcept { return nanoseconds(0); }
};

struct stalls_once {
  nanoseconds usual{};
  std::uint64_t row = 0;
  nanoseconds length{};

  void operator()(weir::flow::event& e) const noexcept { hashes{}(e); }
  [[nodiscard]] nanoseconds service_time(const weir::flow::event& e) const noexcept {
    return e.sequence == row ? usual + length : usual;
  }
};

/// Each row takes a little longer than the one before: from 98 % of the time between arrivals to 106 %.
struct drifts {
  nanoseconds between_arrivals{};
  std::uint64_t rows = 1;

  void operator()(weir::flow::event& e) const noexcept { hashes{}(e); }
  [[nodiscard]] nanoseconds service_time(const weir::flow::event& e) const noexcept {
    const double part = static_cast<double>(e.sequence) / static_cast<double>(rows);
    return nanoseconds(static_cast<std::int64_t>((0.98 + 0.08 * part) * static_cast<double>(between_arrivals.count())));
  }
};

/// A stage of weir's own engine that sleeps at one row.
struct sleeps_once {
  std::uint64_t row = 0;
  nanoseconds length{};
  std::uint64_t operations = 64;

  void operator()(weir::flow::event& e) const noexcept {
    if (e.sequence == row) weir::os::sleep_until(weir::os::monotonic_now() + length);
    weir::flow::hash_work{operations}(e);
  }
};

/// A stage of weir's own engine that throws at one row.
struct throws_at {
  std::uint64_t row = 0;

  void operator()(weir::flow::event& e) const {
    if (e.sequence == row) throw std::runtime_error("row " + std::to_string(row) + " is bad");
    weir::flow::hash_work{}(e);
  }
};

/// The sound system with a fault at its end. A fault keeps order unless disorder is the fault.
template <class Fault, weir::flow::timed_stage Stage = hashes>
class faulty {
 public:
  static constexpr bool keeps_order = true;

  faulty(weir::flow::outlet out, const Fault& fault, const Stage& work, witness& seen)
      : server_({fault, out}, {work}, seen) {}
  void push(const weir::flow::event& e) { server_.push(e); }

 private:
  struct exit {
    Fault fault;
    weir::flow::outlet out;
    void operator()(const weir::flow::event& e) { fault(e, out); }
  };
  known_server<Stage, exit> server_;
};

}  // namespace truth
