#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The pipeline suite: complete jobs as benchmarks, on weir's engine, on yours, or around a system of your own.
// Temperature: cold around the job, which is the timed part.
//
//   const bool a = weir::gbench::register_pipelines();                        // pipelines/sourceSink, ...
//   const bool b = weir::gbench::register_system<my_queue>("my_queue");       // pipelines/my_queue
//   const bool c = weir::gbench::register_stage("my_function", my_function);  // pipelines/my_function
//   WEIR_MAIN()

#include <algorithm>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <weir/base/config.hpp>
#include <weir/base/error.hpp>
#include <weir/base/os.hpp>
#include <weir/clock/steady.hpp>
#include <weir/flow/engine.hpp>
#include <weir/flow/pipeline.hpp>
#include <weir/flow/stage.hpp>
#include <weir/flow/system.hpp>
#include <weir/gbench/capacity.hpp>
#include <weir/gbench/runner.hpp>
#include <weir/gbench/session.hpp>
#include <weir/gbench/settings.hpp>
#include <weir/job/local_engine.hpp>
#include <weir/job/problem.hpp>
#include <weir/job/scenario.hpp>
#include <weir/job/schedules.hpp>
#include <weir/job/spec.hpp>
#include <weir/judge/capacity.hpp>
#include <weir/judge/growth.hpp>
#include <weir/judge/verdict.hpp>
#include <weir/measure/snapshot.hpp>
#include <weir/record/run_record.hpp>
#include <weir/record/sample.hpp>

namespace weir::inline WEIR_ABI::gbench {

/// Something that runs jobs. Meaning: check() throws weir::error when the job cannot be run; prepare() does what
/// must not be timed; run() takes the job from its submission to the joined threads and says how long that took
/// in the sample's job_time.
template <class E>
concept pipeline_engine = requires(E& engine, const job::spec& job) {
  engine.check(job);
  engine.prepare(job);
  { engine.run(job) } -> std::same_as<record::sample>;
};

namespace detail {

/// The headline figures of a repetition as counters. Every one is finite, so that the JSON stays JSON.
inline void set_counters(benchmark::State& state, const std::vector<judge::judged_sample>& samples) {
  std::vector<const record::sample*> counted;
  for (const auto& j : samples)
    if (j.verdict.valid()) counted.push_back(&j.sample);
  const double valid = static_cast<double>(counted.size());
  // With no valid sample the figures of the others are shown, beside valid = 0.
  if (counted.empty())
    for (const auto& j : samples) counted.push_back(&j.sample);

  measure::snapshot latency;
  measure::snapshot lag;
  std::map<std::string, double> sums;
  double rows = 0;
  double seconds = 0;
  for (const record::sample* s : counted) {
    latency.merge(s->latency());
    lag.merge(s->release_lag);
    rows += static_cast<double>(s->processed_rows);
    seconds += std::chrono::duration<double>(s->job_time).count();
    sums["offered_rows_per_s"] += record::offered_per_s(*s);
    sums["achieved_rows_per_s"] += record::achieved_per_s(*s);
    sums["latency_growth_ratio"] += judge::latency_growth_ratio(*s);
    sums["cpu_ns_per_row"] += record::cpu_ns_per_row(*s);
    sums["overhead_ms"] += std::chrono::duration<double, std::milli>(s->job_time - s->schedule_time).count();
    if (const auto capacity = judge::predicted_capacity_per_s(*s)) sums["predicted_capacity_rows_per_s"] += *capacity;
    for (const record::stage_usage& stage : s->stages) sums["busy_ratio_" + stage.name] += judge::busy_ratio(stage);
  }
  const auto set = [&](const std::string& name, double value) {
    if (std::isfinite(value)) state.counters[name] = value;
  };
  for (const auto& [name, sum] : sums) set(name, sum / static_cast<double>(counted.size()));
  const auto ms = [](const measure::quantile& q) { return static_cast<double>(q.value.count()) / 1e6; };
  set("items_per_second", seconds > 0 ? rows / seconds : 0);
  set("latency_p50_ms", ms(latency.at(measure::p50)));
  set("latency_p95_ms", ms(latency.at(measure::p95)));
  set("latency_p99_ms", ms(latency.at(measure::p99)));
  set("latency_p999_ms", ms(latency.at(measure::p999)));
  set("latency_max_ms", static_cast<double>(latency.max().count()) / 1e6);
  set("release_lag_p99_ms", ms(lag.at(measure::p99)));
  set("valid_samples", valid);
  set("samples", static_cast<double>(samples.size()));
  set("peak_resident_mib", static_cast<double>(os::peak_resident()) / (1 << 20));
}

/// "valid", or the ids of what is wrong.
[[nodiscard]] inline std::string label(const std::vector<judge::judged_sample>& samples) {
  std::string ids;
  for (const auto& j : samples)
    for (const judge::reason& r : j.verdict.reasons)
      if (r.weight != judge::outcome::valid && ids.find(r.id) == std::string::npos) ids.append(" ").append(r.id);
  return ids.empty() ? "valid" : "not valid:" + ids;
}

/// The body of a pipeline benchmark: a loop of whole jobs, judged between the timed parts. What an undecided job is
/// extended by is not timed.
class pipeline_benchmark {
 public:
  pipeline_benchmark(session& s, sample_names names, job::spec job, runner how)
      : session_(&s), names_(std::move(names)), job_(std::move(job)), how_(std::move(how)) {}

  void operator()(benchmark::State& state) {
    std::vector<judge::judged_sample> samples;
    try {
      how_.prepare(job_);
      for (auto _ : state) {
        state.PauseTiming();
        const host_probe before;
        const job::spec job = next_job();
        state.ResumeTiming();
        record::sample s = how_.run(job);
        state.PauseTiming();
        samples.push_back(settled(how_, names_, job_, judged(std::move(s), names_, before)));
        session_->add("pipelines/" + names_.scenario, samples.back());
        if (const auto& failure = samples.back().sample.failure) {
          state.SkipWithError(failure->c_str());
          return;
        }
        state.ResumeTiming();
      }
    } catch (const std::exception& e) {  // an engine may be the user's
      state.SkipWithError(e.what());
      return;
    }
    set_counters(state, samples);
    state.SetLabel(label(samples));
  }

 private:
  [[nodiscard]] job::spec next_job() const {
    job::spec job = job_;
    job.run_id = next_run_id(names_.id);
    return job;
  }

  session* session_;
  sample_names names_;
  job::spec job_;
  runner how_;
};

/// Registers pipelines/<name>, once per combination of swept parameters. To give it one that it `lacks` is refused:
/// the result would name a value that nothing used.
inline void add_pipeline(session& s, std::string_view name, std::string_view id, const job::spec& job,
                         const runner& how, const std::vector<std::string>& lacks = {}) {
  std::vector<record::parameter> swept = s.chosen().params;
  // Without a transform every value would give the same job once more.
  if (!job.transform) std::erase_if(swept, [](const record::parameter& p) { return p.name == "transform_operations"; });
  for (auto& [suffix, one] : expand(job, swept)) {
    if (const auto& child = s.chosen().child)
      one.seed = static_cast<std::int64_t>(child->draws_seed >> 1);  // it is signed
    const std::string scenario = std::string(name) + suffix;
    const std::string benchmark = "pipelines/" + scenario;
    const auto check = [&s, benchmark, lacks, check = how.check, load = one] {
      for (const record::parameter& param : s.chosen().params)
        if (std::find(lacks.begin(), lacks.end(), param.name) != lacks.end())
          weir::detail::raise("flags.bad_param", "--weir_param=" + param.name, benchmark + " has no such parameter");
      if (s.chosen().capacity) check_capacity(load);
      check(load);
    };
    const sample_names names{scenario, std::string(id)};
    const auto search = [&s, how, names, load = one](const auto& say, const auto& cancelled) {
      capacity_options options{.cancelled = cancelled};
      if (s.chosen().max_time) options.max_time = *s.chosen().max_time;
      return find_capacity(how, names, load, options, say);
    };
    s.expect_pipeline(benchmark, one, check, search);
    auto body = std::make_shared<pipeline_benchmark>(s, names, std::move(one), how);
    benchmark::RegisterBenchmark(benchmark.c_str(), [body](benchmark::State& state) {
      (*body)(state);
    })->Unit(benchmark::kMillisecond);
  }
}

/// The job that a system of the user's is loaded with: the standard load, with no features.
[[nodiscard]] inline job::spec load_for(std::string_view name) {
  job::spec job;
  job.scenario = name;
  job.parallelism = 1;  // one way in; what is behind it is the system's own affair
  return job;
}

/// Lower case with dashes, so that a run id is `<id>-<digits>-<digits>` whatever the name.
[[nodiscard]] inline std::string as_id(std::string_view name) {
  std::string id;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    id.push_back(plain ? c : '-');
  }
  return id;
}

/// weir's engine: one for all benchmarks of a binary, started by the first of them that runs, so that listing and
/// checking start no thread.
class shared_engine {
 public:
  explicit shared_engine(const session& s) : folder_(s.chosen().out), cores_(s.chosen().cores) {}

  static void check(const job::spec& job) {
    job::problems found;
    job::check(job, {.slots = flow::engine::default_slots, .arrivals = job::arrivals(schedules())}, found);
    found.raise_if_any("job");
  }
  void prepare(const job::spec& job) { running().prepare(job); }
  template <class... Work>
  [[nodiscard]] record::sample run(const job::spec& job, const Work&... work) {
    return running().run(job, work...);
  }

 private:
  [[nodiscard]] job::local_engine& running() {
    static std::weak_ptr<job::local_engine> shared;
    if (!engine_) engine_ = shared.lock();
    if (!engine_) {
      engine_ = std::make_shared<job::local_engine>(
          job::local_engine::options{.directory = folder_, .cores = cores_, .schedules = schedules()});
      shared = engine_;
    }
    return *engine_;
  }

  std::filesystem::path folder_;
  flow::placement cores_;
  std::shared_ptr<job::local_engine> engine_;
};

/// Runs jobs on a system of the user's: what stays the same from one job to the next.
template <flow::system_under_test System, class... Args>
class system_runner {
 public:
  system_runner(flow::placement cores, Args... args) : cores_(std::move(cores)), args_(std::move(args)...) {}

  static void check(const job::spec& job) {
    job::problems found;
    job::check_load(job, job::arrivals(schedules()), found);
    found.raise_if_any("parameters");
  }

  void prepare(const job::spec& job) {
    expected_ = {.rows = measure::exactly_once::expected(static_cast<std::uint64_t>(job.rows)),
                 .checksum = {},
                 .checksum_by_row = {}};
  }

  [[nodiscard]] record::sample run(const job::spec& job) {
    const auto submitted = clock::steady{}.now();
    flow::pipeline plan = job::build(job);
    plan.expected = expected_;
    plan.cores = cores_;
    job::give_schedule(plan, schedules(), job.seed);
    record::sample s =
        std::apply([&](const Args&... args) { return flow::drive<System>(plan, args...).sample; }, args_);
    s.job_time = clock::steady{}.now() - submitted;
    return s;
  }

 private:
  flow::placement cores_;
  std::tuple<Args...> args_;
  flow::answers expected_;
};

}  // namespace detail

/// The six scenarios on an engine, named pipelines/<prefix><scenario>.
template <pipeline_engine Engine>
class pipeline_suite {
 public:
  explicit pipeline_suite(std::shared_ptr<Engine> engine, std::string prefix = "")
      : engine_(std::move(engine)), prefix_(std::move(prefix)) {}

  void add_to(session& s) const {
    const detail::runner how{.check = [engine = engine_](const job::spec& job) { engine->check(job); },
                             .prepare = [engine = engine_](const job::spec& job) { engine->prepare(job); },
                             .run = [engine = engine_](const job::spec& job) { return engine->run(job); }};
    for (const job::scenario& one : job::scenarios)
      detail::add_pipeline(s, prefix_ + std::string(one.name), one.id, job::standard_spec(one, ""), how);
  }

 private:
  std::shared_ptr<Engine> engine_;
  std::string prefix_;
};

/// The suite on an engine of the user's.
/// Errors: job.refused, from main, when a parameter is out of the engine's range.
template <pipeline_engine Engine>
bool register_pipelines(std::shared_ptr<Engine> engine, std::string prefix) {
  registrars().push_back(
      [suite = pipeline_suite(std::move(engine), std::move(prefix))](session& s) { suite.add_to(s); });
  return true;
}

/// The suite on weir's own engine.
inline bool register_pipelines() {
  registrars().push_back([](session& s) { pipeline_suite(std::make_shared<detail::shared_engine>(s)).add_to(s); });
  return true;
}

/// A system of the user's under weir's load: pipelines/<name>.  args are copied and given to its constructor
/// after the outlet.
template <flow::system_under_test System, class... Args>
  requires std::constructible_from<System, flow::outlet, const Args&...>
bool register_system(std::string name, Args... args) {
  registrars().push_back([name, args...](session& s) {
    const auto system = std::make_shared<detail::system_runner<System, Args...>>(s.chosen().cores, args...);
    const detail::runner how{.check = system->check,
                             .prepare = [system](const job::spec& job) { system->prepare(job); },
                             .run = [system](const job::spec& job) { return system->run(job); }};
    detail::add_pipeline(s, name, detail::as_id(name), detail::load_for(name), how,
                         {"parallelism", "transform_operations"});
  });
  return true;
}

/// A function of the user's as the transform of weir's pipeline, on weir's lanes: pipelines/<name>.
template <flow::stage Stage>
bool register_stage(std::string name, Stage work) {
  registrars().push_back([name, work](session& s) {
    const auto engine = std::make_shared<detail::shared_engine>(s);
    const detail::runner how{.check = detail::shared_engine::check,
                             .prepare = [engine](const job::spec& job) { engine->prepare(job); },
                             .run = [engine, work](const job::spec& job) { return engine->run(job, work); }};
    job::spec job = job::standard_spec(*job::find_scenario("sourceTransformSink"), "");
    detail::add_pipeline(s, name, detail::as_id(name), job, how, {"transform_operations"});
  });
  return true;
}

/// A schedule of the user's, chosen by --weir_param=arrival=NAME: makes(rate) gives a fresh one for each job.
template <std::invocable<rate> Make>
bool register_schedule(std::string name, Make makes) {
  schedules().emplace(std::move(name), [makes](rate offered) { return arrival::any_schedule(makes(offered)); });
  return true;
}

}  // namespace weir::inline WEIR_ABI::gbench
