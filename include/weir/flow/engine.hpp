#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Worker threads that are started once and take jobs, so that starting threads is in no measurement.
// Temperature: cold (submit, wait); the work itself is as hot as it likes.
//
//   flow::engine engine(12);
//   auto job = engine.submit({.tasks = {...}, .drivers = {...}, .cancel = [&] { graph.cancel(); }});
//   job.wait();

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/base/error.hpp>
#include <weir/base/os.hpp>

namespace weir::inline WEIR_ABI::flow {

/// One thread's part of a job.
struct assignment {
  std::function<void()> body;
  std::optional<unsigned> core{};  // kept on this core while it runs
};

/// A bounded piece of work for several threads at once.
struct job_request {
  std::vector<assignment> tasks{};  // the system under test: one slot each
  assignment driver;              // the generator: a thread apart from the slots
  std::function<void()> cancel{};   // makes every body return soon; called once, after the first failure
};

/// A job that was submitted. Destroying it waits for it.
class job_handle {
 public:
  job_handle(job_handle&&) = default;
  job_handle& operator=(job_handle&&) = delete;
  ~job_handle() {
    if (state_) wait();
  }

  /// Blocks until every body has returned.  Returns: the message of the first exception, if any.
  std::optional<std::string> wait() {
    std::unique_lock lock(state_->mutex);
    state_->ended.wait(lock, [this] { return state_->running == 0; });
    return state_->failure;
  }

 private:
  friend class engine;

  struct state {
    std::mutex mutex;
    std::condition_variable ended;
    std::size_t running = 0;
    std::optional<std::string> failure;
    std::function<void()> cancel;

    void fail(std::string message) {
      std::function<void()> stop;
      {
        std::lock_guard lock(mutex);
        if (failure) return;
        failure = std::move(message);
        stop = cancel;
      }
      if (stop) stop();
    }

    void end_one() {
      std::lock_guard lock(mutex);
      if (--running == 0) ended.notify_all();
    }
  };

  explicit job_handle(std::shared_ptr<state> s) : state_(std::move(s)) {}

  std::shared_ptr<state> state_;
};

/// A fixed set of worker slots. Jobs run side by side as long as slots last.
/// Threads: submit() from any.
class engine {
 public:
  static constexpr std::size_t default_slots = 12;

  explicit engine(std::size_t slots = default_slots) : slots_(slots) {
    if (slots == 0) weir::detail::raise("flow.no_slots", "slots", "0: give at least 1");
    for (std::size_t i = 0; i < slots; ++i) idle_slots_.push_back(start_worker());
  }
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;
  [[nodiscard]] std::size_t slots() const noexcept { return slots_; }

  /// Starts a job at once.
  /// Errors: flow.no_thread; flow.not_enough_slots when it needs more slots than are idle; nothing is started then.
  [[nodiscard]] job_handle submit(job_request request) {
    auto state = std::make_shared<job_handle::state>();
    state->running = request.tasks.size() + 1;
    state->cancel = std::move(request.cancel);
    auto [workers, driver] = reserve(request.tasks.size());
    for (std::size_t i = 0; i < workers.size(); ++i)
      start(*workers[i], idle_slots_, std::move(request.tasks[i]), state);
    start(*driver, idle_drivers_, std::move(request.driver), state);
    return job_handle(std::move(state));
  }

 private:
  class worker {
   public:
    worker() : thread_([this] { loop(); }) {}
    worker(const worker&) = delete;
    worker& operator=(const worker&) = delete;
    ~worker() {
      give({});
      thread_.join();
    }

    void give(std::function<void()> work) {
      {
        std::lock_guard lock(mutex_);
        work_ = std::move(work);
      }
      wake_.notify_one();
    }

   private:
    void loop() {
      os::sharpen_timers();
      while (true) {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return work_.has_value(); });
        const std::function<void()> work = std::move(*work_);
        work_.reset();
        lock.unlock();
        if (!work) return;
        work();
      }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    std::optional<std::function<void()>> work_;  // an empty function asks the worker to end
    std::thread thread_;
  };

  worker* start_worker() {
    std::optional<std::string> refused =
        weir::detail::failure_of([this] { workers_.push_back(std::make_unique<worker>()); });
    if (refused)
      weir::detail::raise("flow.no_thread", "slots",
                          "thread " + std::to_string(workers_.size() + 1) + " of " + std::to_string(slots_ + 1) +
                              " was refused (" + *refused + "): raise the limit on processes or memory");
    return workers_.back().get();
  }

  [[nodiscard]] std::pair<std::vector<worker*>, worker*> reserve(std::size_t n) {
    std::lock_guard lock(mutex_);
    if (n > idle_slots_.size()) {
      weir::detail::raise("flow.not_enough_slots", "parallelism",
                          "the job needs " + std::to_string(n) + " slots, " + std::to_string(idle_slots_.size()) +
                              " of " + std::to_string(slots_) + " are idle: lower the parallelism");
    }
    if (idle_drivers_.empty()) idle_drivers_.push_back(start_worker());
    std::vector<worker*> taken(idle_slots_.end() - static_cast<std::ptrdiff_t>(n), idle_slots_.end());
    idle_slots_.resize(idle_slots_.size() - n);
    worker* driver = idle_drivers_.back();
    idle_drivers_.pop_back();
    return {std::move(taken), driver};
  }

  void start(worker& w, std::vector<worker*>& home, assignment work, std::shared_ptr<job_handle::state> state) {
    w.give([this, &w, &home, work = std::move(work), state = std::move(state)] {
      {
        const os::core_pin pin(work.core);
        if (auto failure = weir::detail::failure_of(work.body)) state->fail(std::move(*failure));
      }
      {
        std::lock_guard lock(mutex_);
        home.push_back(&w);
      }
      state->end_one();
    });
  }

  std::size_t slots_;
  std::mutex mutex_;
  std::vector<worker*> idle_slots_;
  std::vector<worker*> idle_drivers_;
  std::vector<std::unique_ptr<worker>> workers_;  // last: joined before what they return to is gone
};

}  // namespace weir::inline WEIR_ABI::flow
