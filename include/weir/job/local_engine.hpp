#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The reference engine: takes a job the whole way from its file to the joined threads, as a cluster would.
// Temperature: cold around, hot inside.
//
//   job::local_engine engine;
//   engine.prepare(spec);                      // the expected answers, untimed
//   record::sample s = engine.run(spec);       // s.job_time: write, read, build, run, drain, join

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include <weir/base/config.hpp>
#include <weir/base/error.hpp>
#include <weir/base/os.hpp>
#include <weir/clock/steady.hpp>
#include <weir/flow/engine.hpp>
#include <weir/flow/run.hpp>
#include <weir/flow/stage.hpp>
#include <weir/job/answers.hpp>
#include <weir/job/json.hpp>
#include <weir/job/schedules.hpp>
#include <weir/job/spec.hpp>
#include <weir/record/sample.hpp>

namespace weir::inline WEIR_ABI::job {

class local_engine {
 public:
  struct options {
    std::size_t slots = flow::engine::default_slots;
    std::filesystem::path directory{};  // of job files and traces; empty: a temporary one
    flow::placement cores{};
    schedule_makers schedules{};        // besides "constant"
  };

  local_engine() : local_engine(options{}) {}

  /// Errors: job.folder_not_writable, flow.core_not_usable.
  explicit local_engine(options chosen) : options_(std::move(chosen)), threads_(options_.slots) {
    flow::check(options_.cores);
    temporary_ = options_.directory.empty();
    if (temporary_) options_.directory = fresh_directory();
    std::error_code ignored;
    made_ = !std::filesystem::exists(options_.directory, ignored);
    make_directory(options_.directory / "jobs");
  }
  local_engine(const local_engine&) = delete;
  local_engine& operator=(const local_engine&) = delete;
  ~local_engine() {
    std::error_code ignored;
    if (temporary_)
      std::filesystem::remove_all(options_.directory, ignored);
    else
      std::filesystem::remove(options_.directory / "jobs", ignored);  // if empty: what else is there is the user's
    if (made_) std::filesystem::remove(options_.directory, ignored);  // likewise: no job ran
  }

  [[nodiscard]] job::offer offer() const {
    return {.slots = static_cast<std::int64_t>(threads_.slots()), .arrivals = arrivals(options_.schedules)};
  }

  /// Errors: job.refused, with all that is wrong with the job.
  void check(const spec& job) const {
    problems found;
    job::check(job, offer(), found);
    found.raise_if_any("job");
  }

  /// Computes the answers that a run of this job is checked against, once for each kind of job.
  /// Errors: job.refused.
  void prepare(const spec& job) { (void)answers_for(job); }

  /// Runs a job with the reference transform, if it has one.
  /// Errors: job.refused, job.folder_not_writable, flow.not_enough_slots.
  [[nodiscard]] record::sample run(const spec& job) {
    if (!job.transform) return run(job, flow::no_work{}, answers_for(job));
    return run(job, flow::hash_work{static_cast<std::uint64_t>(job.transform->operations)}, answers_for(job));
  }

  /// Runs a job with a stage of the user's in place of the transform; its checksum is not known.
  template <flow::stage Stage>
  [[nodiscard]] record::sample run(const spec& job, const Stage& work) {
    flow::answers known = answers_for(job);
    known.checksum.reset();
    known.checksum_by_row.reset();
    record::sample s = run(job, work, known);
    s.asked.transform_operations = 0;  // the stage's work is the user's own
    return s;
  }

 private:
  template <flow::stage Stage>
  [[nodiscard]] record::sample run(const spec& job, const Stage& work, const flow::answers& expected) {
    const std::chrono::nanoseconds submitted = clock_.now();
    const std::filesystem::path file = options_.directory / "jobs" / (job.run_id + ".json");
    write(file, to_text(job));
    const spec read_back = job::read(read(file), offer());
    std::filesystem::remove(file);  // now, so that a job that is killed leaves nothing behind
    flow::pipeline plan = build(read_back);
    plan.expected = expected;
    plan.cores = options_.cores;
    give_schedule(plan, options_.schedules, read_back.seed);
    flow::outcome out = flow::run(threads_, plan, work, clock_, sinks_);
    if (!out.traces.empty()) write_traces(job.run_id, out.traces);
    out.sample.job_time = clock_.now() - submitted;
    return std::move(out.sample);
  }

  const flow::answers& answers_for(const spec& job) {
    check(job);
    const std::tuple key{job.rows, job.payload_size, job.transform ? job.transform->operations : -1};
    if (const auto known = answers_.find(key); known != answers_.end()) return known->second;
    return answers_
        .emplace(key, expected_answers(static_cast<std::uint64_t>(job.rows),
                                       static_cast<std::uint64_t>(job.payload_size), job.transform.has_value(),
                                       job.transform ? static_cast<std::uint64_t>(job.transform->operations) : 0))
        .first->second;
  }

  void write_traces(const std::string& run_id, const std::vector<measure::trace>& traces) {
    std::string lines;
    for (const measure::trace& t : traces) lines += to_line(t);
    make_directory(options_.directory / "traces");
    write(options_.directory / "traces" / (run_id + ".jsonl"), lines);
  }

  static void write(const std::filesystem::path& file, std::string_view text) {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.close();
    if (!out) refuse(file);
  }

  static std::string read(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  static void make_directory(const std::filesystem::path& directory) {
    std::error_code failed;
    std::filesystem::create_directories(directory, failed);
    if (failed) refuse(directory);
  }

  [[noreturn]] static void refuse(const std::filesystem::path& what) {
    weir::detail::raise("job.folder_not_writable", "directory",
                        "cannot write " + what.string() + ": give a folder that can be written, with space left");
  }

  static std::filesystem::path fresh_directory() {
    std::error_code failed;
    const std::filesystem::path base = std::filesystem::temp_directory_path(failed);
    if (failed) refuse("the temporary folder (TMPDIR)");
    return base / ("weir-" + std::to_string(::getpid()) + "-" + std::to_string(clock::steady{}.now().count()));
  }

  options options_;
  clock::steady clock_;
  flow::engine threads_;
  flow::sink_store sinks_;
  bool temporary_ = false;
  bool made_ = false;  // the directory was not there before
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, flow::answers> answers_;
};

}  // namespace weir::inline WEIR_ABI::job
