#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The whole experiment: every selected benchmark in processes of its own, in shuffled order, and what is made of them.
// Temperature: cold.
//
//   return detail::harness(session, arguments, selected, output).run();

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weir/analysis/comparison.hpp>
#include <weir/analysis/summary.hpp>
#include <weir/base/config.hpp>
#include <weir/base/error.hpp>
#include <weir/base/os.hpp>
#include <weir/gbench/library.hpp>
#include <weir/gbench/progress.hpp>
#include <weir/gbench/session.hpp>
#include <weir/gbench/settings.hpp>
#include <weir/judge/verdict.hpp>
#include <weir/record/capacity.hpp>
#include <weir/record/environment.hpp>
#include <weir/record/json.hpp>
#include <weir/record/run_record.hpp>
#include <weir/report/command.hpp>
#include <weir/report/exports.hpp>
#include <weir/report/folder.hpp>
#include <weir/report/page.hpp>
#include <weir/report/result.hpp>
#include <weir/run/experiment.hpp>
#include <weir/run/fork.hpp>
#include <weir/run/plan.hpp>

namespace weir::inline WEIR_ABI::gbench::detail {

/// One side of a comparison, or the only one.
struct side {
  std::string variant;                            // "", "base" or "candidate"
  std::vector<std::filesystem::path> programs{};  // one a build; block b runs the b-th of them, round and round
};

/// The binary that runs now, whatever has become of its file since: a fork resolves the link to its parent's image.
inline constexpr const char* this_program = "/proc/self/exe";

/// Flags of the library that are the harness's own affair: a fork gets others.
[[nodiscard]] inline bool is_for_the_harness(std::string_view flag) {
  constexpr std::array<std::string_view, 11> names{"report_aggregates_only",
                                                   "filter",
                                                   "list_tests",
                                                   "format",
                                                   "out",
                                                   "out_format",
                                                   "repetitions",
                                                   "min_time",
                                                   "min_warmup_time",
                                                   "enable_random_interleaving",
                                                   "display_aggregates_only"};
  constexpr std::string_view prefix = "--benchmark_";
  if (!flag.starts_with(prefix)) return false;
  const std::string_view name = flag.substr(prefix.size(), flag.find('=') - prefix.size());
  return std::find(names.begin(), names.end(), name) != names.end();
}

[[nodiscard]] inline std::string comma_separated(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) text.append(text.empty() ? "" : ",").append(value);
  return text;
}

/// What every fork is told, but for the benchmark it is to run.
[[nodiscard]] inline std::vector<std::string> fork_flags(const settings& s, const std::vector<std::string>& given) {
  std::vector<std::string> flags;
  for (std::size_t i = 1; i < given.size(); ++i) {
    if (given[i].starts_with("--weir_pin=")) flags.push_back(given[i]);
    if (!given[i].starts_with("--weir_") && !is_for_the_harness(given[i])) flags.push_back(given[i]);
  }
  flags.push_back("--weir_warmup=" + std::to_string(s.budget.warmup));
  flags.push_back("--weir_iterations=" + std::to_string(s.budget.iterations));
  flags.push_back("--weir_iteration_time=" + in_seconds(s.budget.iteration_seconds));
  for (const record::parameter& p : s.params)
    flags.push_back("--weir_param=" + p.name + "=" + comma_separated(p.values));
  if (!s.out.empty()) flags.push_back("--weir_out=" + std::filesystem::absolute(s.out).string());
  return flags;
}

/// "2026-01-31T12:00:00Z".
[[nodiscard]] inline std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

/// One experiment, from its flags to its exit code.
class harness {
 public:
  harness(session& s, const std::vector<std::string>& given, std::vector<std::string> selected, output to)
      : session_(&s),
        settings_(s.chosen()),
        to_(std::move(to)),
        flags_(fork_flags(settings_, given)),
        selected_(std::move(selected)),
        lines_(!settings_.progress        ? progress::where::nowhere
               : os::stderr_is_terminal() ? progress::where::terminal
                                          : progress::where::log) {
    const std::filesystem::path self = this_program;
    if (settings_.compares()) sides_.push_back({"base", {settings_.aa ? self : settings_.against}});
    sides_.push_back({settings_.compares() ? "candidate" : "", settings_.builds});
    if (sides_.back().programs.empty()) sides_.back().programs = {self};
    record_.program = std::filesystem::path(given.front()).filename();
  }

  [[nodiscard]] exit_code run() {
    const run::interrupt_guard guard;
    guard_ = &guard;
    // Before the probe, which is to say what the forks have. A search runs in this process.
    if (!settings_.capacity) run::randomize_layouts();
    record_.environments = {record::probe_environment()};
    keep_what_all_have();
    record_.started = utc_now();
    record_.seed = settings_.seed;
    record_.budget = settings_.budget;
    record_.threshold = settings_.threshold;
    record_.parameters = settings_.params;
    settings_.capacity ? search_capacities() : measure();
    lines_.clear();
    return conclude();
  }

 private:
  void measure() {
    for (const std::string& name : selected_)
      for (const side& one : sides_) record_.benchmarks.push_back({.name = name, .variant = one.variant, .forks = {}});

    if (!settings_.out.empty()) report::remove_pipeline_results(settings_.out);

    run::experiment how;
    how.variants = static_cast<std::uint32_t>(sides_.size());
    how.trial = [this](const run::slot& s, std::uint64_t seed) { return trial(s, seed); };
    how.after_each = [this](const record::run_record&, const run::progress& p) { after_each(p); };
    how.interrupted = [this] { return guard_->interrupted(); };
    if (settings_.precision) how.precise = [this](const record::run_record& r) { return precise(r); };
    how.max_forks = settings_.max_forks;
    if (settings_.max_time) how.max_time = *settings_.max_time;
    run::conduct(how, record_);
  }

  /// In this process: each search is some twenty jobs one after the other, no sample of anything.
  /// Errors: flags.nothing_selected.
  void search_capacities() {
    std::erase_if(selected_, [&](const std::string& name) { return !session_->is_pipeline(name); });
    if (selected_.empty())
      weir::detail::raise("flags.nothing_selected", "--weir_capacity",
                          "no pipeline is selected: see --benchmark_filter");
    const auto began = os::monotonic_now();
    for (const std::string& name : selected_) {
      if (guard_->interrupted()) break;
      const auto number = static_cast<std::size_t>(&name - selected_.data()) + 1;
      const auto failure = weir::detail::failure_of([&] {
        record_.capacities.push_back(session_->find_capacity(
            name, [&](const std::string& line) { lines_.say(number, selected_.size(), line); },
            [this] { return guard_->interrupted(); }));
      });
      lines_.clear();
      if (failure) std::fprintf(stderr, "failed: %s: %s\n", name.c_str(), failure->c_str());
      search_failed_ = search_failed_ || failure;
      if (!settings_.out.empty())
        guarded_write([&] { report::write_result(settings_.out, record_, analysis::summarize(record_)); });
      record_.took = os::monotonic_now() - began;
    }
    record_.ended_by = guard_->interrupted() ? "interrupted" : "budget";
  }

  /// Leaves out, and says so, what another binary does not have: it cannot be compared.
  /// Errors: flags.no_program, flags.nothing_selected.
  void keep_what_all_have() {
    std::set<std::filesystem::path> others;
    for (const side& one : sides_) others.insert(one.programs.begin(), one.programs.end());
    others.erase(this_program);
    for (const std::filesystem::path& program : others) {
      run::launch asking = command_of(program, ".", 0, 0, {"--benchmark_list_tests=true"});
      asking.timeout = settings_.timeout.value_or(std::chrono::minutes(1));
      const run::exit_report end = run::run_fork(asking, guard_);
      const std::vector<std::string> names = record::names_heard(end.messages);
      if (names.empty() || end.wire_fault)
        weir::detail::raise("flags.no_program", "--weir_against, --weir_builds",
                            program.string() + ": names no benchmark: give a binary with weir's main");
      record::environment theirs = record::facts_heard(end.messages);
      if (program != settings_.against)
        note_differences(program, theirs);
      else if (!theirs.facts.empty())
        record_.base_environment = std::move(theirs);
      std::erase_if(selected_, [&](const std::string& name) {
        const bool lacks = std::find(names.begin(), names.end(), name) == names.end();
        if (lacks) std::fprintf(stderr, "left out: %s: %s has none\n", name.c_str(), program.c_str());
        return lacks;
      });
    }
    if (selected_.empty())
      weir::detail::raise("flags.nothing_selected", "--weir_against, --weir_builds",
                          "no benchmark is in all binaries: see --benchmark_list_tests of each");
  }

  void note_differences(const std::filesystem::path& program, const record::environment& theirs) {
    for (const char* name : {"compiler", "cxx_flags", "optimized", "assertions", "checks"}) {
      const record::fact* ours = record_.environments.front().find(name);
      const record::fact* other = theirs.find(name);
      if (ours == nullptr || other == nullptr || ours->value == other->value) continue;
      const auto shown = [](const record::fact* f) { return f->value.value_or("unknown"); };
      std::fprintf(stderr, "note: %s: %s has %s, this binary %s: a difference may be the build's, not the layout's\n",
                   name, program.filename().c_str(), shown(other).c_str(), shown(ours).c_str());
    }
  }

  [[nodiscard]] run::launch command_of(const std::filesystem::path& program, const std::string& filter,
                                       std::uint64_t layout_seed, std::uint64_t draws_seed,
                                       const std::vector<std::string>& more = {}) const {
    run::launch what;
    what.command = {program.string()};
    what.command.insert(what.command.end(), flags_.begin(), flags_.end());
    what.command.insert(what.command.end(), more.begin(), more.end());
    what.command.push_back("--benchmark_filter=" + filter);
    what.command.push_back("--weir_child=" + std::to_string(run::wire_fd) + ":" + std::to_string(layout_seed) + ":" +
                           std::to_string(draws_seed));
    what.layout_seed = layout_seed;
    return what;
  }

  /// Ten times what it should take and a minute, ten minutes at least: jobs may be extended, hosts are slow at times,
  /// and a benchmark may take longer than the time that was asked for.
  [[nodiscard]] std::chrono::nanoseconds timeout_of(const std::string& benchmark) const {
    const double seconds = std::max(600.0, 60 + 10 * session_->fork_seconds(benchmark));
    return settings_.timeout.value_or(std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9)));
  }

  [[nodiscard]] record::fork trial(const run::slot& s, std::uint64_t layout_seed) {
    const std::string& name = selected_[s.unit];
    const side& on = sides_[s.variant];
    const std::size_t build = s.block % on.programs.size();
    show(s.unit, s.variant);
    // What is drawn at random differs from block to block, and is the same for the two sides of a pair.
    const std::uint64_t draws_seed = run::layout_seed(settings_.seed, s.block);
    run::launch what = command_of(on.programs[build], "^" + report::regex_literal(name) + "$", layout_seed, draws_seed);
    what.timeout = timeout_of(name);
    const record::disturbance before = record::probe_disturbance();
    const run::exit_report end = run::run_fork(what, guard_);
    record::fork fork = record::assemble(end.messages, end.wire_fault, name, layout_seed);
    run::conclude(end, fork);
    fork.notes = record::disturbances(before, record::probe_disturbance());
    fork.warmup = settings_.budget.warmup;
    if (on.programs.size() > 1) fork.build = std::to_string(build + 1) + ":" + on.programs[build].filename().string();
    if (!fork.failure && fork.iterations.size() <= fork.warmup)
      fork.failure = {.kind = "benchmark",
                      .code = 0,
                      .text = "it measured " + std::to_string(fork.iterations.size()) + " iterations, " +
                              std::to_string(fork.warmup) + " of them warm-up: does it set its own Repetitions()?",
                      .last_lines = end.last_lines};
    return fork;
  }

  void show(std::size_t unit, std::size_t variant) {
    const std::string& variant_name = sides_[variant].variant;
    const std::string what = selected_[unit] + (variant_name.empty() ? "" : " (" + variant_name + ")");
    double guess = 0;
    for (const std::string& name : selected_) guess += session_->fork_seconds(name);
    const auto planned = static_cast<std::uint32_t>(selected_.size() * sides_.size()) * settings_.budget.forks;
    if (so_far_.planned == 0) so_far_.planned = planned;
    guess *= static_cast<double>(sides_.size() * settings_.budget.forks);
    lines_.show(so_far_.done + 1, so_far_.planned, what,
                so_far_.left.value_or(std::chrono::nanoseconds(static_cast<std::int64_t>(guess * 1e9))),
                os::monotonic_now());
  }

  /// The result so far goes to disk after every fork, or, when that takes long, as often as costs 5 % of the time.
  void after_each(const run::progress& p) {
    so_far_ = p;
    if (settings_.out.empty() || !record_.ended_by.empty()) return;
    const auto began = os::monotonic_now();
    if (began < next_write_) return;
    guarded_write([&] { report::write_result(settings_.out, record_, analysis::summarize(record_)); });
    const auto now = os::monotonic_now();
    next_write_ = now + 20 * (now - began);
  }

  /// A full disk ends no experiment: it is said once, and the exit code tells.
  template <class Write>
  void guarded_write(Write write) {
    const auto failure = weir::detail::failure_of(write);
    if (!failure || write_failed_) return;
    write_failed_ = true;
    lines_.clear();
    std::fprintf(stderr, "%s\n", failure->c_str());
  }

  [[nodiscard]] bool precise(const record::run_record& r) const {
    const analysis::run_summary summary = analysis::summarize(r);
    return std::all_of(summary.benchmarks.begin(), summary.benchmarks.end(), [&](const auto& b) {
      if (b.forks_ok == 0) return true;  // it will not become more precise
      return !b.estimates.empty() && b.estimates.front().has_interval() &&
             b.estimates.front().relative_half_width() <= *settings_.precision;
    });
  }

  /// Writes and shows what came of it.
  [[nodiscard]] exit_code conclude() {
    const analysis::run_summary summary = analysis::summarize(record_);
    const std::optional<analysis::comparison_report> comparison = report::compared_sides(record_);
    const analysis::comparison_report* compared = comparison ? &*comparison : nullptr;
    if (!settings_.out.empty()) guarded_write([&] { report::write_all(settings_.out, record_, summary, compared); });
    write_for_the_library();
    show_failures();
    std::FILE* const people = to_.format == "console" ? stdout : stderr;
    std::string text = report::console_page(record_, summary, comparison);
    for (const auto& words : last_words()) text += words();
    text += last_lines();
    std::fputs(text.c_str(), people);
    const bool shown = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    if (!shown) std::fputs("failed: stdout: the output is incomplete: no space left?\n", stderr);
    return !shown || write_failed_ ? exit_code::failed : result(compared);
  }

  /// --benchmark_out and --benchmark_format, in the library's own format.
  void write_for_the_library() {
    if (to_.format == "console" && to_.file.empty()) return;
    const std::string text = record::json_text(report::google_benchmark(record_));
    if (to_.format == "json") std::fputs(text.c_str(), stdout);
    if (!to_.file.empty()) guarded_write([&] { report::write_file(to_.file, text, "--benchmark_out"); });
  }

  void show_failures() const {
    for (const record::benchmark& b : record_.benchmarks) {
      for (const record::fork& f : b.forks) {
        if (!f.failure) continue;
        std::fprintf(stderr, "failed: %s%s%s, fork %u: %s: %s\n", b.name.c_str(), b.variant.empty() ? "" : ", ",
                     b.variant.c_str(), f.block + 1, f.failure->kind.c_str(), f.failure->text.c_str());
        for (const std::string& line : f.failure->last_lines) std::fprintf(stderr, "    %s\n", line.c_str());
      }
    }
  }

  [[nodiscard]] std::string last_lines() const {
    std::string text;
    if (settings_.precision) text += "Ended by " + record_.ended_by + ".\n";
    if (!settings_.out.empty())
      text +=
          "Next: weir report " + settings_.out.string() + ", or read " + (settings_.out / "summary.md").string() + "\n";
    return text;
  }

  [[nodiscard]] exit_code result(const analysis::comparison_report* compared) const {
    tally verdicts;
    for (const judge::judged_sample& one : report::judged_samples(record_)) verdicts.add(one.sample.scenario, one);
    const bool failed = std::any_of(record_.benchmarks.begin(), record_.benchmarks.end(), [](const auto& b) {
      return std::any_of(b.forks.begin(), b.forks.end(), [](const auto& f) { return f.failure.has_value(); });
    });
    const exit_code judged = verdicts.result();
    const bool unmeasured = std::any_of(record_.benchmarks.begin(), record_.benchmarks.end(),
                                        [](const auto& b) { return b.forks.empty(); });
    if (failed || unmeasured || search_failed_ || judged == exit_code::failed || !record_.complete())
      return exit_code::failed;
    for (const record::capacity_result& c : record_.capacities) {
      if (c.ended_by == "lowest_fails") return exit_code::failed;
      if (c.ended_by != "found") return exit_code::inconclusive;
    }
    if (settings_.precision && record_.ended_by != "precision") return exit_code::inconclusive;
    if (compared == nullptr) return judged;
    const exit_code sides = report::exit_code_of(*compared);
    return sides == exit_code::fine ? judged : sides;
  }

  session* session_;
  const settings& settings_;
  output to_;
  std::vector<std::string> flags_;
  std::vector<std::string> selected_;
  std::vector<side> sides_;
  progress lines_;
  const run::interrupt_guard* guard_ = nullptr;
  record::run_record record_;
  run::progress so_far_;
  std::chrono::nanoseconds next_write_{};
  bool write_failed_ = false;
  bool search_failed_ = false;
};

}  // namespace weir::inline WEIR_ABI::gbench::detail
