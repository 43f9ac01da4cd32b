#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The --weir_* flags: read, checked, and turned into the --benchmark_* flags they stand for. Temperature: cold.
//
//   gbench::settings s = gbench::read_flags(arguments);  // arguments keeps what weir does not know

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/base/error.hpp>
#include <weir/flow/pipeline.hpp>
#include <weir/job/problem.hpp>
#include <weir/job/spec.hpp>

namespace weir::inline WEIR_ABI::gbench {

/// More is a slip of the finger: together they bound the invocations of a pipeline to what an int counts.
inline constexpr int most_iterations = 10'000;
inline constexpr double longest_iteration = 3600;  // seconds

/// How long to measure. An iteration is as many invocations of a pipeline as fit its time, at least one.
struct budget {
  int warmup = 0;  // iterations that are run and judged, but not reported
  int iterations = 5;
  double iteration_seconds = 0.05;

  friend bool operator==(const budget&, const budget&) = default;
};

/// quick: the main job, about two minutes. standard: 15 invocations of each pipeline. full: what one fork of
/// SeaTunnel's suite runs, 3 warm-up and 5 measured iterations of 10 s.
[[nodiscard]] inline std::optional<budget> profile(std::string_view name) {
  if (name == "quick") return budget{.warmup = 1, .iterations = 5, .iteration_seconds = 0.05};
  if (name == "standard") return budget{.warmup = 1, .iterations = 15, .iteration_seconds = 0.5};
  if (name == "full") return budget{.warmup = 3, .iterations = 5, .iteration_seconds = 10};
  return std::nullopt;
}

/// One parameter and the values to run with; more than one make a sweep.
struct sweep {
  std::string name;
  std::vector<std::string> values;
};

struct settings {
  bool any = false;  // a --weir_* flag was given: weir's own tables instead of Google Benchmark's
  std::optional<budget> time{};
  std::vector<sweep> params{};
  std::filesystem::path out{};  // empty: write nothing
  flow::placement cores{};
};

namespace detail {

inline constexpr std::string_view flag_help = R"(
weir flags, besides all of Google Benchmark's:
  --weir_profile=quick|standard|full   how long to measure
  --weir_iterations=N                  measured iterations
  --weir_warmup=N                      iterations before them, judged but not reported
  --weir_iteration_time=SECONDS        time of an iteration
  --weir_param=NAME=V1[,V2...]         rows, offered_rate, parallelism, payload_size,
                                       transform_operations, arrival; a list is a sweep; repeatable
  --weir_out=DIR                       write DIR/pipeline-results/<run_id>.json and DIR/environment.json
  --weir_pin=generator:C,lanes:C1-C2   keep threads on cores
Exit codes: 0 fine, 2 bad usage or input, 3 a benchmark failed or too few samples are valid, 4 inconclusive.
)";

[[nodiscard]] inline std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(at);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

template <class Number>
[[nodiscard]] std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "generator:0,lanes:1-3": a list of lanes is given by ranges, "lanes:1-3,5".
[[nodiscard]] inline std::optional<flow::placement> parse_placement(std::string_view text) {
  flow::placement cores;
  std::string role;
  for (const std::string& part : split(text, ',')) {
    std::string_view range = part;
    if (const std::size_t colon = range.find(':'); colon != std::string_view::npos) {
      role = range.substr(0, colon);
      range.remove_prefix(colon + 1);
    }
    const std::size_t dash = range.find('-');
    const auto first = number<unsigned>(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : number<unsigned>(range.substr(dash + 1));
    if (!first || !last || *last < *first || *last - *first > 4096) return std::nullopt;
    if (role == "generator" && *first == *last && !cores.generator) {
      cores.generator = *first;
    } else if (role == "lanes") {
      for (unsigned core = *first; core <= *last; ++core) cores.lanes.push_back(core);
    } else {
      return std::nullopt;
    }
  }
  return cores;
}

/// Sets a parameter of a job.  Returns: what is wrong with it, or nothing.
[[nodiscard]] inline std::optional<std::string> apply(std::string_view name, std::string_view value, job::spec& job) {
  if (name == "arrival") {
    job.arrival = value;
    return std::nullopt;
  }
  const auto whole = number<std::int64_t>(value);
  if (!whole) return "\"" + std::string(value) + "\": give a whole number";
  if (name == "offered_rate") {
    job.rate_per_second = *whole;
  } else if (name == "rows") {
    job.rows = *whole;
  } else if (name == "parallelism") {
    job.parallelism = *whole;
  } else if (name == "payload_size") {
    job.payload_size = *whole;
  } else if (name == "transform_operations") {
    if (job.transform) job.transform->operations = *whole;
  } else {
    return "unknown: give rows, offered_rate, parallelism, payload_size, transform_operations or arrival";
  }
  return std::nullopt;
}

}  // namespace detail

/// Takes the --weir_* flags out of `arguments`.
/// Errors: job.refused with every bad flag.
[[nodiscard]] inline settings read_flags(std::vector<std::string>& arguments) {
  settings s;
  job::problems found;
  std::vector<std::string> others;
  // The profile first, wherever it stands: the other flags change single fields of it.
  constexpr std::string_view profile_flag = "--weir_profile=";
  for (const std::string& argument : arguments)
    if (argument.starts_with(profile_flag)) s.time = profile(std::string_view(argument).substr(profile_flag.size()));
  for (const std::string& argument : arguments) {
    constexpr std::string_view prefix = "--weir_";
    if (!argument.starts_with(prefix)) {
      others.push_back(argument);
      continue;
    }
    s.any = true;
    const std::size_t equals = argument.find('=');
    const std::string flag = argument.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
    const auto refuse = [&](std::string_view id, std::string_view wanted) {
      found.add(id, flag, "\"" + value + "\": give " + std::string(wanted));
    };
    const auto take_count = [&](int least, int budget::* field) {
      const auto n = detail::number<int>(value);
      if (!n || *n < least || *n > most_iterations)
        return refuse("flags.bad_count",
                      "a whole number from " + std::to_string(least) + " to " + std::to_string(most_iterations));
      if (!s.time) s.time = profile("quick");
      (*s.time).*field = *n;
    };
    if (flag == "--weir_profile") {
      if (!profile(value)) refuse("flags.unknown_profile", "quick, standard or full");
    } else if (flag == "--weir_iterations") {
      take_count(1, &budget::iterations);
    } else if (flag == "--weir_warmup") {
      take_count(0, &budget::warmup);
    } else if (flag == "--weir_iteration_time") {
      const auto seconds = detail::number<double>(value.ends_with('s') ? value.substr(0, value.size() - 1) : value);
      if (!s.time) s.time = profile("quick");
      if (seconds && *seconds > 0 && *seconds <= longest_iteration)
        s.time->iteration_seconds = *seconds;
      else
        refuse("flags.bad_time", "seconds above 0, at most 3600");
    } else if (flag == "--weir_param") {
      const std::size_t at = value.find('=');
      if (at == std::string::npos || at == 0) {
        refuse("flags.bad_param", "NAME=VALUE");
        continue;
      }
      sweep param{value.substr(0, at), detail::split(std::string_view(value).substr(at + 1), ',')};
      if (std::any_of(s.params.begin(), s.params.end(), [&](const sweep& p) { return p.name == param.name; }))
        found.add("flags.bad_param", flag + "=" + param.name, "given twice: a list of values makes a sweep");
      job::spec any;
      any.transform.emplace();
      for (const std::string& one : param.values)
        if (const auto wrong = detail::apply(param.name, one, any))
          found.add("flags.bad_param", flag + "=" + param.name, *wrong);
      s.params.push_back(std::move(param));
    } else if (flag == "--weir_out") {
      s.out = value;
      if (value.empty()) refuse("flags.bad_folder", "a folder");
    } else if (flag == "--weir_pin") {
      if (const auto cores = detail::parse_placement(value))
        s.cores = *cores;
      else
        refuse("flags.bad_placement", "generator:CORE and lanes:CORES, as in generator:0,lanes:1-3");
    } else {
      found.add("flags.unknown", flag, "not known: --help lists weir's flags");
    }
  }
  found.raise_if_any("flags");
  arguments = std::move(others);
  return s;
}

/// Every combination of the swept parameters applied to a job, with the suffix each adds to the benchmark's name.
[[nodiscard]] inline std::vector<std::pair<std::string, job::spec>> expand(const job::spec& job,
                                                                           const std::vector<sweep>& params) {
  std::vector<std::pair<std::string, job::spec>> jobs{{"", job}};
  for (const sweep& param : params) {
    std::vector<std::pair<std::string, job::spec>> wider;
    for (const auto& [suffix, base] : jobs) {
      for (const std::string& value : param.values) {
        auto& [name, next] = wider.emplace_back(suffix, base);
        (void)detail::apply(param.name, value, next);
        if (param.values.size() > 1) name += "/" + param.name + ":" + value;
      }
    }
    jobs = std::move(wider);
  }
  return jobs;
}

}  // namespace weir::inline WEIR_ABI::gbench
