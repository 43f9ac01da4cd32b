// SPDX-License-Identifier: Apache-2.0
#include <weir/flow/system.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/base/error.hpp>
#include <weir/base/os.hpp>
#include <weir/judge/verdict.hpp>
#include <weir/record/sample.hpp>

#include "plans.hpp"

namespace {

using namespace std::chrono_literals;
using weir::flow::drive;
using weir::flow::event;
using weir::flow::outlet;
using weir::flow::pipeline;
using weir::record::sample;
using weir_test::plan;

constexpr std::uint64_t rows = 2'000;
constexpr std::uint64_t rate = 1'000'000;

void expect_complete(const sample& s) {
  EXPECT_EQ(s.failure, std::nullopt);
  EXPECT_EQ(s.processed_rows, s.asked.rows);
  EXPECT_EQ(s.seen, s.expected);
  EXPECT_EQ(s.corrupt_payloads, 0U);
  EXPECT_EQ(s.latency().count(), s.asked.rows);
}

/// The ids that speak of rows; those of time depend on the host.
std::vector<std::string> row_reasons(const sample& s) {
  std::vector<std::string> ids;
  for (const auto& r : weir::judge::assess(s).reasons)
    if (r.id.starts_with("rows_") || r.id == "payload_corrupt" || r.id == "checksum_mismatch" || r.id == "job_failed")
      ids.push_back(r.id);
  return ids;
}

/// A queue with so many threads that take events out and give them to `work`, which hands them on.
class queue {
 public:
  using work = std::function<void(const event&, const outlet&)>;

  queue(outlet out, std::size_t threads, work give) : out_(out), give_(std::move(give)) {
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { loop(); });
  }
  explicit queue(outlet out) : queue(out, 1, [](const event& e, const outlet& to) { to(e); }) {}
  queue(const queue&) = delete;
  queue& operator=(const queue&) = delete;
  ~queue() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (auto& t : threads_) t.join();
  }

  void push(const event& e) {
    {
      std::lock_guard lock(mutex_);
      events_.push_back(e);
    }
    wake_.notify_one();
  }

 private:
  void loop() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return stop_ || !events_.empty(); });
      if (events_.empty()) return;
      const event e = events_.front();
      events_.pop_front();
      lock.unlock();
      give_(e, out_);
      lock.lock();
    }
  }

  outlet out_;
  work give_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<event> events_;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};
static_assert(weir::flow::system_under_test<queue>);

/// A function that hands on within push().
struct direct {
  outlet out;
  explicit direct(outlet to) : out(to) {}
  void push(const event& e) { out(e); }
};

/// One that promises order, and hands out each pair of rows the wrong way round.
struct overtaking {
  static constexpr bool keeps_order = true;
  outlet out;
  event held{};
  explicit overtaking(outlet to) : out(to) {}
  void push(const event& e) {
    if (e.sequence % 2 == 0) {
      held = e;
    } else {
      out(e);
      out(held);
    }
  }
};
static_assert(weir::flow::ordered_system<overtaking> && !weir::flow::ordered_system<direct>);

TEST(Drive, OrderIsHeldAgainstASystemThatPromisesItOnly) {
  EXPECT_EQ(drive<direct>(plan(rows, 0)).sample.reordered_rows, std::nullopt);
  EXPECT_EQ(drive<overtaking>(plan(rows, 0)).sample.reordered_rows, rows / 2);
}

pipeline quick_drain(std::uint64_t per_second = rate) {
  pipeline p = plan(rows, per_second);
  p.drain_limit = 20ms;
  return p;
}

sample drive_queue(const pipeline& p, queue::work give) {
  return drive<queue>(p, std::size_t{1}, std::move(give)).sample;
}

TEST(Drive, AQueueWithAThreadIsComplete) {
  for (const std::uint64_t per_second : {std::uint64_t{0}, rate}) {
    const sample s = drive<queue>(plan(rows, per_second)).sample;
    expect_complete(s);
    EXPECT_TRUE(row_reasons(s).empty());
    EXPECT_EQ(s.run_id, "test-1-1");
    EXPECT_EQ(s.clock, "steady");
    EXPECT_EQ(s.schedule_time, per_second == 0 ? 0us : 1'999us);
    EXPECT_EQ(s.expected_checksum, std::nullopt);
    EXPECT_FALSE(s.sut_cpu_includes_generator);
  }
}

TEST(Drive, AFunctionThatHandsOnAtOnceIsCompleteAndItsCostIsNotHidden) {
  const sample s = drive<direct>(plan(rows, rate)).sample;
  expect_complete(s);
  EXPECT_TRUE(s.sut_cpu_includes_generator);
  EXPECT_GT(s.sut_cpu, 0ns);
  EXPECT_FALSE(
      drive<queue>(plan(10, rate)).sample.sut_cpu_includes_generator);  // this thread's past is not held against it
}

TEST(Drive, ADroppedRowIsMissing) {
  const sample s = drive_queue(quick_drain(), [](const event& e, const outlet& to) {
    if (e.sequence != 777) to(e);
  });
  EXPECT_EQ(row_reasons(s), std::vector<std::string>{"rows_missing"});
  EXPECT_EQ(s.failure, std::nullopt);
  EXPECT_TRUE(std::any_of(s.notes.begin(), s.notes.end(),
                          [](const std::string& note) { return note.starts_with("the drain did not end: "); }));
}

TEST(Drive, ADuplicatedRowIsDuplicated) {
  const sample s = drive_queue(plan(rows, rate), [](const event& e, const outlet& to) {
    to(e);
    if (e.sequence == 0) to(e);
  });
  EXPECT_EQ(s.processed_rows, rows + 1);
  EXPECT_EQ(row_reasons(s), std::vector<std::string>{"rows_duplicated"});
}

TEST(Drive, OneDroppedAndOneDuplicatedAreExchanged) {
  const sample s = drive_queue(plan(rows, rate), [](const event& e, const outlet& to) {
    if (e.sequence == 5) return;
    to(e);
    if (e.sequence == 6) to(e);
  });
  EXPECT_EQ(s.processed_rows, rows);
  EXPECT_EQ(row_reasons(s), std::vector<std::string>{"rows_exchanged"});
}

TEST(Drive, ASwappedSequenceIsExchanged) {
  const sample s = drive_queue(plan(rows, rate), [](const event& in, const outlet& to) {
    event e = in;
    if (e.sequence == 5) e.sequence = rows + 5;
    to(e);
  });
  EXPECT_EQ(row_reasons(s), std::vector<std::string>{"rows_exchanged"});
}

TEST(Drive, AChangedByteIsACorruptPayload) {
  const sample s = drive_queue(plan(rows, rate, 1, 256), [](const event& in, const outlet& to) {
    event e = in;
    std::string changed(e.payload);
    if (e.sequence % 1'000 == 7) changed[255] ^= 1;
    e.payload = changed;
    to(e);
  });
  EXPECT_EQ(s.corrupt_payloads, 2U);
  EXPECT_EQ(row_reasons(s), std::vector<std::string>{"payload_corrupt"});
}

TEST(Drive, ACopiedPayloadIsNotCorrupt) {
  expect_complete(drive_queue(plan(rows, rate, 1, 256), [](const event& in, const outlet& to) {
    event e = in;
    const std::string copy(e.payload);
    e.payload = copy;
    to(e);
  }));
}

struct throws_on_push {
  outlet out;
  explicit throws_on_push(outlet to) : out(to) {}
  void push(const event& e) {
    if (e.sequence == 100) throw std::runtime_error("queue is broken");
    out(e);
  }
};

TEST(Drive, APushThatThrowsFailsTheSampleNotTheProgram) {
  const sample s = drive<throws_on_push>(plan(rows, rate)).sample;
  EXPECT_EQ(s.failure, "queue is broken");
  EXPECT_EQ(s.processed_rows, 100U);
  EXPECT_EQ(row_reasons(s), std::vector<std::string>{"job_failed"});
}

struct throws_an_int {
  explicit throws_an_int(outlet) {}
  void push(const event&) { throw 42; }
};
struct cannot_start {
  explicit cannot_start(outlet) { throw std::runtime_error("no port left"); }
  void push(const event&) {}
};

TEST(Drive, WhateverIsThrownAndWheneverItIsTheFailure) {
  EXPECT_EQ(drive<throws_an_int>(plan(5, rate)).sample.failure, "an exception that is no std::exception");
  EXPECT_EQ(drive<cannot_start>(plan(5, rate)).sample.failure, "no port left");
}

/// Hands the last rows out only when it is destroyed.
struct hoarder {
  outlet out;
  std::vector<event> kept;
  explicit hoarder(outlet to) : out(to) {}
  void push(const event& e) {
    if (e.sequence < rows - 10)
      out(e);
    else
      kept.push_back(e);
  }
  ~hoarder() {
    for (const event& e : kept) out(e);
  }
};

TEST(Drive, ADrainThatDoesNotEndFailsTheSample) {
  const sample s = drive<hoarder>(quick_drain()).sample;
  EXPECT_EQ(s.failure, "the drain did not end: 1990 of 2000 rows came out within 20 ms");
  EXPECT_EQ(s.processed_rows, rows);
  EXPECT_EQ(row_reasons(s), std::vector<std::string>{"job_failed"});
}

struct black_hole {
  explicit black_hole(outlet) {}
  void push(const event&) {}
};

TEST(Drive, ASystemThatHandsNothingOutIsWaitedForNoLonger) {
  const sample s = drive<black_hole>(quick_drain()).sample;
  EXPECT_EQ(s.processed_rows, 0U);
  EXPECT_EQ(row_reasons(s), std::vector<std::string>{"rows_missing"});
  EXPECT_EQ(s.notes.size(), 1U);
}

TEST(Drive, TheOutletMayBeCalledByManyThreadsAtOnce) {
  const auto hand_on = [](const event& e, const outlet& to) { to(e); };
  for (const std::size_t threads : {2U, 5U})
    expect_complete(drive<queue>(plan(5'000, rate), threads, queue::work(hand_on)).sample);
}

/// A thread that goes on from one run to the next, as a pool of the user's does.
TEST(Drive, AThreadMayOutliveARun) {
  struct pool {
    std::mutex mutex;
    std::condition_variable wake;
    std::deque<std::function<void()>> jobs;
    bool stop = false;
    std::thread thread{[this] {
      std::unique_lock lock(mutex);
      while (true) {
        wake.wait(lock, [this] { return stop || !jobs.empty(); });
        if (jobs.empty()) return;
        const auto job = std::move(jobs.front());
        jobs.pop_front();
        lock.unlock();
        job();
        lock.lock();
      }
    }};
    ~pool() {
      {
        std::lock_guard lock(mutex);
        stop = true;
      }
      wake.notify_one();
      thread.join();
    }
  } shared;
  struct on_pool {
    outlet out;
    pool& to;
    on_pool(outlet o, pool& p) : out(o), to(p) {}
    void push(const event& e) {
      {
        std::lock_guard lock(to.mutex);
        to.jobs.emplace_back([out = out, e] { out(e); });
      }
      to.wake.notify_one();
    }
  };
  for (int run = 0; run < 5; ++run) expect_complete(drive<on_pool>(plan(500, rate), shared).sample);
}

TEST(Drive, AThreadForEveryEventIsFine) {
  struct thread_each {
    outlet out;
    std::vector<std::thread> threads{};
    explicit thread_each(outlet to) : out(to) {}
    void push(const event& e) {
      threads.emplace_back([this, e] { out(e); });
    }
    ~thread_each() {
      for (auto& t : threads) t.join();
    }
  };
  expect_complete(drive<thread_each>(plan(200, rate)).sample);
}

TEST(Collector, SinksAreAsManyAsThreadsAtOnceNotAsManyAsThreads) {
  weir::flow::detail::collector into({.rows = 100, .payload = {}}, weir::clock::steady{});
  for (std::uint64_t n = 0; n < 100; ++n) {
    std::thread([&] {
      event e;
      e.sequence = n;
      into.receive(e);
    }).join();
  }
  EXPECT_EQ(into.sinks(), 1U);
  EXPECT_EQ(into.received(), 100U);
}

TEST(Collector, AThreadThatServesTwoRunsByTurnsMixesNothing) {
  weir::flow::detail::collector a({.rows = 100, .payload = {}}, weir::clock::steady{});
  weir::flow::detail::collector b({.rows = 100, .payload = {}}, weir::clock::steady{});
  for (std::uint64_t n = 0; n < 100; ++n) {
    event e;
    e.sequence = n;
    a.receive(e);
    if (n % 2 == 0) b.receive(e);
  }
  EXPECT_EQ(a.received(), 100U);
  EXPECT_EQ(b.received(), 50U);
  EXPECT_EQ(a.sinks(), 1U);
  EXPECT_EQ(b.sinks(), 1U);
  sample s;
  a.report(s);
  EXPECT_EQ(s.seen, weir::measure::exactly_once::expected(100));
}

TEST(Drive, ConstructorArgumentsFollowTheOutlet) {
  struct counted {
    outlet out;
    int* pushes;
    counted(outlet to, int* count) : out(to), pushes(count) {}
    void push(const event& e) {
      ++*pushes;
      out(e);
    }
  };
  int pushes = 0;
  expect_complete(drive<counted>(plan(30, rate), &pushes).sample);
  EXPECT_EQ(pushes, 30);
}

TEST(Drive, TheGeneratorsCoreIsKeptAndRecorded) {
  struct looks {
    outlet out;
    unsigned* cores;
    looks(outlet to, unsigned* at) : out(to), cores(at) {}
    void push(const event& e) {
      *cores = weir::os::usable_cores();
      out(e);
    }
  };
  unsigned core = 0;
  while (!weir::os::core_usable(core)) ++core;
  const unsigned before = weir::os::usable_cores();
  unsigned within = 0;
  pipeline p = plan(10, rate);
  p.cores.generator = core;
  const sample s = drive<looks>(p, &within).sample;
  expect_complete(s);
  EXPECT_EQ(within, 1U);
  EXPECT_EQ(weir::os::usable_cores(), before);
  EXPECT_EQ(s.placement, "generator on core " + std::to_string(core));
}

TEST(Drive, RefusesACoreThatIsNotThere) {
  pipeline p = plan(10, rate);
  p.cores.generator = 100'000;
  try {
    (void)drive<direct>(p);
    ADD_FAILURE() << "accepted";
  } catch (const weir::error& e) {
    EXPECT_EQ(e.id(), "flow.core_not_usable");
  }
}

}  // namespace
