// SPDX-License-Identifier: Apache-2.0
//
// The `weir` command: what to make of results that are already there. docs/results.md describes it.
//
//   weir report RESULT    weir compare BASE CANDIDATE    weir plan RESULT --precision=1%    weir merge A B --out=DIR
//
// RESULT is a folder that --weir_out=DIR has written, or the result.json in it.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <weir/analysis.hpp>
#include <weir/record.hpp>
#include <weir/report.hpp>

namespace {

namespace fs = std::filesystem;
using weir::analysis::run_summary;
using weir::record::run_record;
using weir::report::exit_code;

void print(const std::string& text) { std::fputs(text.c_str(), stdout); }

/// Errors: weir::error at the option.
double fraction(const std::string& text, const char* option) {
  const auto value = weir::report::fraction_of(text);
  if (!value)
    weir::detail::raise("flags.bad_value", option, '"' + text + "\": give a share above 0 and below 1, as 1% or 0.01");
  return *value;
}

exit_code report(const std::string& result, const std::string& format, const std::string& out) {
  const run_record run = weir::report::read_result(result);
  const run_summary summary = weir::analysis::summarize(run);
  const auto sides = weir::report::compared_sides(run);
  const auto* comparison = sides ? &*sides : nullptr;
  if (!out.empty()) weir::report::write_all(out, run, summary, comparison);

  if (format == "markdown") {
    print(weir::report::summary_page(run, summary, comparison));
  } else if (format == "json") {
    print(weir::record::json_text(weir::report::summary_json(summary, comparison)));
  } else {
    print(weir::report::console_page(run, summary, sides));
  }
  const bool failed = std::ranges::any_of(summary.benchmarks, [](const auto& b) { return b.forks_failed > 0; });
  std::string next = fmt::format("weir plan {} --precision=1% tells how many forks a narrower interval takes", result);
  if (failed) next = "the forks that failed; --format=markdown shows what they said last";
  if (run.benchmarks.empty())
    next = "docs/pipelines.md says how a search ends; --weir_max_time=SECONDS gives one that was stopped more time";
  if (!run.complete()) next = "this run did not end; run it again for figures that can be compared";
  fmt::print(format == "console" ? stdout : stderr, "Next: {}.\n", next);
  return exit_code::fine;
}

exit_code compare(const std::string& base, const std::string& candidate, const std::string& threshold,
                  const std::string& level) {
  const weir::analysis::comparison_options options{.threshold = fraction(threshold, "--threshold"),
                                                   .level = fraction(level, "--level")};
  const auto report =
      weir::analysis::compare(weir::report::read_result(base), weir::report::read_result(candidate), options);
  print(weir::report::comparison_table(report));

  const exit_code code = weir::report::exit_code_of(report);
  const bool any = std::ranges::any_of(report.rows, [](const auto& row) { return row.not_comparable.empty(); });
  fmt::print("Next: {}.\n",
             !any ? fmt::format("weir report {} and {} say why nothing of them counts", base, candidate)
             : code == exit_code::regression
                 ? fmt::format("weir report {} shows the side that changed for the worse", candidate)
             : code == exit_code::inconclusive
                 ? fmt::format("what is inconclusive needs more forks: weir plan {} --precision={}", base, threshold)
                 : "nothing; no figure changed for the worse by " + threshold + " or more");
  return code;
}

/// As a shell reads it back.
std::string quoted(const std::string& word) {
  const auto plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           std::string_view("_-./:=,%+@").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, plain)) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + '\'';
}

/// What the next run is to have, as much as the benchmark that needs most of it.
struct next_run {
  double builds = 0;
  double forks = 0;  // of all builds
  double iterations = 0;
  double iteration_seconds = 0;  // of pipelines: of as many jobs as planned
  std::set<std::string> names;   // of the benchmarks
};

next_run next_run_of(const std::vector<weir::analysis::repetition_plan>& plans) {
  next_run next;
  for (const auto& p : plans) {
    next.names.insert(p.benchmark);
    if (!p.why_not.empty()) continue;
    double forks = 1;
    for (const auto& l : p.layers) {
      if (l.name == "build" || l.name == "fork") forks *= l.repetitions;
      if (l.name == "build") next.builds = std::max(next.builds, l.repetitions);
      if (l.name == "iteration") next.iterations = std::max(next.iterations, l.repetitions);
      if (l.name == "invocation")
        next.iteration_seconds = std::max(next.iteration_seconds, l.repetitions * l.cost_seconds);
    }
    next.forks = std::max(next.forks, forks);
  }
  return next;
}

/// "./rows --weir_forks=12 ...": the run again, with other repetitions and into another folder.
std::string command_of(const run_record& run, const std::set<std::string>& builds, const next_run& next) {
  const double seconds = next.iteration_seconds > 0 ? next.iteration_seconds : run.budget.iteration_seconds;
  std::vector<std::string> words{"./" + run.program, fmt::format("--weir_forks={:.0f}", next.forks),
                                 fmt::format("--weir_warmup={}", run.budget.warmup),
                                 fmt::format("--weir_iterations={:.0f}", next.iterations)};
  if (seconds > 0) words.push_back(fmt::format("--weir_iteration_time={:.4g}", seconds));
  for (const auto& p : run.parameters) {
    words.push_back("--weir_param=" + p.name);
    for (const std::string& value : p.values) words.back() += (&value == p.values.data() ? '=' : ',') + value;
  }
  std::string filter;
  for (const std::string& name : next.names) {
    filter += filter.empty() ? "^(" : "|";
    filter += weir::report::regex_literal(name);
  }
  words.push_back("--benchmark_filter=" + filter + ")$");
  for (const std::string& build : builds) {
    if (build == *builds.begin()) words.emplace_back("--weir_builds=");
    words.back() += (build == *builds.begin() ? "./" : ",./") + build.substr(build.find(':') + 1);
  }
  if (!run.benchmarks.front().variant.empty()) {
    words.push_back(run.base_environment ? "--weir_against=base/" + run.program : "--weir_aa");
    words.push_back(fmt::format("--weir_threshold={:g}", run.threshold));
  }
  words.emplace_back("--weir_out=planned");
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + quoted(word);
  return line;
}

exit_code plan(const std::string& result, const std::string& precision, const std::string& wanted) {
  const double half_width = fraction(precision, "--precision");
  const run_record run = weir::report::read_result(result);
  std::vector<weir::analysis::repetition_plan> plans;
  bool measured = false;
  for (const auto& b : weir::analysis::summarize(run).benchmarks) {
    if (b.name.find(wanted) == b.name.npos) continue;
    plans.push_back(weir::analysis::plan(b, half_width));
    measured |= !b.estimates.empty();
  }
  if (run.benchmarks.empty())
    weir::detail::raise("flags.nothing_to_plan", "RESULT",
                        result + ": has no forks: searches for capacity are not planned");
  if (plans.empty())
    weir::detail::raise("flags.nothing_selected", "--benchmark", '"' + wanted + "\": part of no benchmark's name");
  print(weir::report::plan_table(plans));

  next_run next = next_run_of(plans);
  if (!measured) {
    fmt::print("Next: weir report {} says why no sample is valid; until some are, there is nothing to plan.\n", result);
    return exit_code::inconclusive;
  }
  if (next.forks == 0) {
    fmt::print("From one fork nothing can be planned; ten tell more.\n");
    next.forks = 10;
    next.iterations = run.budget.iterations;
  }
  std::set<std::string> builds;  // "1:rows_build1"
  for (const auto& b : run.benchmarks)
    for (const auto& f : b.forks)
      if (!f.build.empty()) builds.insert(f.build);
  if (next.builds > static_cast<double>(builds.size()))
    fmt::print("{:.0f} builds are wanted, the run had {}: weir_add_builds(... COUNT {:.0f}) makes them.\n", next.builds,
               builds.size(), next.builds);
  fmt::print("Next, in the folder of {}{}:\n{}\n", run.program,
             run.base_environment ? ", with the base's binary in base/" : "", command_of(run, builds, next));
  return exit_code::fine;
}

/// The results' folders' names when they tell them apart, else h1, h2, ...
std::vector<std::string> host_names(const std::vector<std::string>& results) {
  std::vector<std::string> names;
  for (const std::string& result : results) {
    std::error_code ignored;
    fs::path path = fs::weakly_canonical(result, ignored);
    if (!fs::is_directory(path, ignored)) path = path.parent_path();
    names.push_back(path.filename().string());
  }
  const std::set<std::string> distinct(names.begin(), names.end());
  if (distinct.size() != names.size() || distinct.contains(""))
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = fmt::format("h{}", i + 1);
  return names;
}

/// Builds that differ from host to host would pass for hosts that differ.
void warn_of_other_builds(const run_record& all) {
  for (const char* const name : {"commit", "compiler", "cxx_flags"}) {
    std::set<std::string> values;
    for (const weir::record::environment& e : all.environments)
      if (const weir::record::fact* f = e.find(name); f != nullptr && f->value) values.insert(*f->value);
    if (values.size() > 1)
      fmt::print(stderr, "weir: merged hosts differ in {}: {}: build one source with the same flags on each\n", name,
                 fmt::join(values, " and "));
  }
}

exit_code merge(const std::vector<std::string>& results, const std::string& out) {
  const std::vector<std::string> names = host_names(results);
  std::vector<weir::record::hosted_run> runs;
  for (std::size_t i = 0; i < results.size(); ++i) {
    std::error_code ignored;
    if (fs::equivalent(fs::path(out), results[i], ignored) ||
        fs::equivalent(fs::path(out) / "result.json", results[i], ignored))
      weir::detail::raise("flags.bad_value", "--out", '"' + out + "\": is one of the results; give another folder");
    runs.push_back({names[i], weir::report::read_result(results[i])});
  }
  const run_record all = weir::record::merge(std::move(runs));
  warn_of_other_builds(all);
  const run_summary summary = weir::analysis::summarize(all);
  const auto sides = weir::report::compared_sides(all);
  weir::report::write_all(out, all, summary, sides ? &*sides : nullptr);
  print(weir::report::summary_table(summary));
  fmt::print("Next: weir report {}; intervals are over the {} hosts now.\n", out, names.size());
  return exit_code::fine;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "What to make of weir's results. RESULT is a folder that --weir_out=DIR has written, or its result.json.");
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "Help for every command");
  app.footer("Exit codes: 0 fine, 1 a change for the worse, 2 bad usage or input, 4 inconclusive.");
  exit_code code = exit_code::fine;
  std::string result, base, candidate, out, format = "console", threshold = "2%", level = "0.95", precision, benchmark;
  std::vector<std::string> results;

  auto* const reports = app.add_subcommand("report", "Show a result");
  reports->add_option("RESULT", result)->required();
  reports->add_option("--format", format, "console, markdown (summary.md) or json (the summary part of result.json)")
      ->check(CLI::IsMember({"console", "markdown", "json"}));
  reports->add_option("--out", out, "Also write every file of a result folder there, made anew");
  reports->callback([&] { code = report(result, format, out); });

  auto* const compares = app.add_subcommand("compare", "Say what changed between two results, and what cannot be told");
  compares->add_option("BASE", base)->required();
  compares->add_option("CANDIDATE", candidate)->required();
  compares->add_option("--threshold", threshold, "A smaller difference does not matter (2%)");
  compares->add_option("--level", level, "Of the intervals, and 1 - the chance of any false alarm (0.95)");
  compares->callback([&] { code = compare(base, candidate, threshold, level); });

  auto* const plans = app.add_subcommand("plan", "Say how many forks and iterations a wanted precision takes");
  plans->add_option("RESULT", result)->required();
  plans->add_option("--precision", precision, "Half of the interval, as 1%")->required();
  plans->add_option("--benchmark", benchmark, "Only benchmarks with this text in their name");
  plans->callback([&] { code = plan(result, precision, benchmark); });

  auto* const merges = app.add_subcommand("merge", "Make one result of the same run on several hosts");
  merges->add_option("RESULT", results)->required()->expected(2, 1'000);
  merges->add_option("--out", out, "Folder for the result")->required();
  merges->callback([&] { code = merge(results, out); });

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return int(app.exit(e) == 0 ? exit_code::fine : exit_code::bad_usage);
  } catch (const std::exception& e) {
    fmt::print(stderr, "weir: {}\n", e.what());
    return int(exit_code::bad_usage);
  }
  return int(code);
}
