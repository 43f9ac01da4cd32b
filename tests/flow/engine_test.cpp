// SPDX-License-Identifier: Apache-2.0
#include <weir/flow/engine.hpp>

#include <atomic>
#include <barrier>
#include <latch>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include <weir/base/error.hpp>
#include <weir/base/os.hpp>

namespace {

using weir::flow::engine;
using weir::flow::job_handle;
using weir::flow::job_request;

/// A job of n tasks and a driver that all do the same.
template <class Body>
job_request job_of(std::size_t tasks, Body body) {
  job_request job{.driver = {body}};
  for (std::size_t i = 0; i < tasks; ++i) job.tasks.push_back({body});
  return job;
}

TEST(Engine, RunsEveryTaskAndTheDriverEachOnAThreadOfItsOwn) {
  engine on(4);
  std::barrier all_at_once(5);  // none passes before all five run
  std::atomic<int> ran{0};
  auto job = on.submit(job_of(4, [&] {
    all_at_once.arrive_and_wait();
    ++ran;
  }));
  EXPECT_EQ(job.wait(), std::nullopt);
  EXPECT_EQ(ran, 5);
  EXPECT_EQ(on.slots(), 4U);
}

TEST(Engine, AnExceptionIsTheFailureOfItsJobAlone) {
  engine on(2);
  std::atomic<int> cancelled{0};
  job_request bad = job_of(2, [] {});
  bad.tasks[1].body = [] { throw std::runtime_error("out of paper"); };
  bad.cancel = [&] { ++cancelled; };
  EXPECT_EQ(on.submit(std::move(bad)).wait(), "out of paper");
  EXPECT_EQ(cancelled, 1);
  EXPECT_EQ(on.submit(job_of(2, [] {})).wait(), std::nullopt);
}

TEST(Engine, TheDriverMayFailToo) {
  engine on(1);
  job_request bad = job_of(1, [] {});
  bad.driver.body = [] { throw std::runtime_error("no schedule"); };
  EXPECT_EQ(on.submit(std::move(bad)).wait(), "no schedule");
}

TEST(Engine, AnExceptionOfAnyTypeIsCaught) {
  engine on(1);
  job_request bad = job_of(1, [] {});
  bad.tasks[0].body = [] { throw 42; };
  EXPECT_EQ(on.submit(std::move(bad)).wait(), "an exception that is no std::exception");
}

TEST(Engine, OfSeveralFailuresTheFirstCountsAndCancelIsCalledOnce) {
  engine on(8);
  std::barrier together(9);
  std::atomic<int> cancelled{0};
  std::atomic<int> n{0};
  job_request bad = job_of(8, [&] {
    const int mine = ++n;
    together.arrive_and_wait();
    throw std::runtime_error("body " + std::to_string(mine));
  });
  bad.cancel = [&] { ++cancelled; };
  const auto failure = on.submit(std::move(bad)).wait();
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->substr(0, 5), "body ");
  EXPECT_EQ(cancelled, 1);
}

TEST(Engine, CancelLetsTheOtherBodiesReturnAndWaitWaitsForThem) {
  engine on(3);
  std::atomic<bool> stop{false};
  std::atomic<int> ended{0};
  job_request job = job_of(2, [&] {
    while (!stop) weir::os::yield();
    ++ended;
  });
  job.tasks.push_back({[] { throw std::runtime_error("bad"); }});
  job.cancel = [&] { stop = true; };
  EXPECT_EQ(on.submit(std::move(job)).wait(), "bad");
  EXPECT_EQ(ended, 3);
}

TEST(Engine, RefusesAJobThatNeedsMoreSlotsThanAreIdleAndStartsNothingOfIt) {
  engine on(3);
  std::latch release(1);
  std::atomic<int> ran{0};
  auto first = on.submit(job_of(2, [&] { release.wait(); }));
  try {
    (void)on.submit(job_of(2, [&] { ++ran; }));
    ADD_FAILURE() << "accepted";
  } catch (const weir::error& e) {
    EXPECT_EQ(e.id(), "flow.not_enough_slots");
    EXPECT_NE(std::string(e.what()).find("needs 2 slots, 1 of 3"), std::string::npos) << e.what();
  }
  release.count_down();
  EXPECT_EQ(first.wait(), std::nullopt);
  EXPECT_EQ(ran, 0);
  EXPECT_EQ(on.submit(job_of(3, [&] { ++ran; })).wait(), std::nullopt);
  EXPECT_EQ(ran, 4);
}

TEST(Engine, RunsTwoJobsAtOnce) {
  engine on(4);
  std::barrier both(6);
  auto a = on.submit(job_of(2, [&] { both.arrive_and_wait(); }));
  auto b = on.submit(job_of(2, [&] { both.arrive_and_wait(); }));
  EXPECT_EQ(a.wait(), std::nullopt);
  EXPECT_EQ(b.wait(), std::nullopt);
}

TEST(Engine, UsesTheSameThreadsForEveryJob) {
  engine on(2);
  std::mutex m;
  std::set<std::thread::id> threads;
  for (int i = 0; i < 20; ++i) {
    (void)on
        .submit(job_of(2,
                       [&] {
                         std::lock_guard lock(m);
                         threads.insert(std::this_thread::get_id());
                       }))
        .wait();
  }
  EXPECT_EQ(threads.size(), 3U);
}

TEST(Engine, KeepsATaskOnItsCoreAndLetsTheThreadGoAfterwards) {
  unsigned core = 0;
  while (!weir::os::core_usable(core)) ++core;
  const unsigned cores = weir::os::usable_cores();
  engine on(1);
  unsigned within = 0;
  bool on_it = false;
  job_request pinned = job_of(1, [] {});
  pinned.tasks[0] = {[&] {
                       within = weir::os::usable_cores();
                       on_it = weir::os::core_usable(core);
                     },
                     core};
  EXPECT_EQ(on.submit(std::move(pinned)).wait(), std::nullopt);
  EXPECT_EQ(within, 1U);
  EXPECT_TRUE(on_it);
  unsigned after = 0;
  job_request free = job_of(1, [] {});
  free.tasks[0].body = [&] { after = weir::os::usable_cores(); };
  EXPECT_EQ(on.submit(std::move(free)).wait(), std::nullopt);
  EXPECT_EQ(after, cores);
}

TEST(Engine, AHandleThatIsDroppedWaitsForItsJob) {
  engine on(1);
  std::atomic<int> ended{0};
  {
    const job_handle dropped = on.submit(job_of(1, [&] {
      weir::os::yield();
      ++ended;
    }));
  }
  EXPECT_EQ(ended, 2);
}

TEST(Engine, WithoutSlotsIsRefused) {
  try {
    const engine none(0);
    ADD_FAILURE() << "accepted";
  } catch (const weir::error& e) {
    EXPECT_EQ(e.id(), "flow.no_slots");
  }
}

}  // namespace
