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
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/base/error.hpp>
#include <weir/base/os.hpp>
#include <weir/flow/pipeline.hpp>
#include <weir/job/problem.hpp>
#include <weir/job/spec.hpp>
#include <weir/record/run_record.hpp>
#include <weir/report/command.hpp>

namespace weir::inline WEIR_ABI::gbench {

/// More is a slip of the finger: together they bound the invocations of a pipeline to what an int counts.
inline constexpr std::uint32_t most_iterations = 10'000;
inline constexpr double longest_iteration = 3600;  // seconds

/// quick: the main job, about two minutes. standard: ten forks, from which an interval, a comparison and a warning
/// about two modes can be had. full: what SeaTunnel's suite runs, 3 forks of 3 warm-up and 5 measured iterations of
/// 10 s. ksql: what KSQL's serde benchmark runs, 3 forks of 3 warm-up and 3 measured iterations of 10 s, on the codec
/// suite with 4 threads and a fresh buffer each time.
[[nodiscard]] inline std::optional<record::budget> profile(std::string_view name) {
  const auto chosen = [&](std::uint32_t forks, std::uint32_t warmup, std::uint32_t iterations, double seconds) {
    return record::budget{.profile = std::string(name),
                          .forks = forks,
                          .warmup = warmup,
                          .iterations = iterations,
                          .iteration_seconds = seconds};
  };
  if (name == "quick") return chosen(1, 1, 5, 0.05);
  if (name == "standard") return chosen(10, 1, 3, 0.1);
  if (name == "full") return chosen(3, 3, 5, 10);
  if (name == "ksql") return chosen(3, 3, 3, 10);
  return std::nullopt;
}

/// What the harness told a child: where to write, which layout to take on.
struct child_order {
  int wire = -1;  // file descriptor
  std::uint64_t layout_seed = 0;
  std::uint64_t draws_seed = 0;  // of arrivals, say: the same on both sides of a pair
};

struct settings {
  bool any = false;  // a --weir_* flag was given: the harness runs, not Google Benchmark alone
  record::budget budget = *profile("quick");
  std::vector<record::parameter> params{};  // more than one value make a sweep
  std::filesystem::path out{};              // empty: write nothing
  flow::placement cores{};
  std::uint64_t seed = 1;  // of the order and the layouts
  std::optional<std::chrono::nanoseconds> timeout{};
  bool progress = true;

  std::optional<double> precision{};  // relative half width at which to stop
  std::uint32_t max_forks = 100;
  std::optional<std::chrono::nanoseconds> max_time{};

  std::filesystem::path against{};             // the base of a comparison
  bool aa = false;                             // compare this binary with itself
  std::vector<std::filesystem::path> builds{};  // of the same source; this binary is not one of them unless named
  double threshold = 0.02;                     // a smaller difference does not matter

  bool capacity = false;
  std::optional<child_order> child{};

  [[nodiscard]] bool compares() const noexcept { return aa || !against.empty(); }
};

namespace detail {

inline constexpr std::string_view flag_help = R"(
weir flags, besides all of Google Benchmark's. With any of them each benchmark runs in processes of
its own:
  --weir_profile=quick|standard|full   how long to measure: 1, 10 or 3 forks (processes);
                                       ksql: 3 forks, of the codec suite's own settings
  --weir_forks=N                       forks of each benchmark
  --weir_iterations=N                  measured iterations of a fork
  --weir_warmup=N                      iterations before them, run and judged but not reported
  --weir_iteration_time=SECONDS        time of an iteration
  --weir_precision=1%                  add forks until the interval is that narrow on either side
  --weir_max_forks=N                   ... but at most so many (100)
  --weir_max_time=SECONDS              stop after so long, whatever is missing
  --weir_param=NAME=V1[,V2...]         rows, offered_rate, parallelism, payload_size,
                                       transform_operations, arrival; a list is a sweep; repeatable
  --weir_against=BASE                  compare this binary with that one, the base, fork by fork
  --weir_aa                            compare this binary with itself: what noise looks like
  --weir_threshold=2%                  a smaller difference does not matter
  --weir_builds=BIN1,BIN2,...          take the forks from several builds of the same source in turn
  --weir_capacity                      search the highest rate that each pipeline sustains
  --weir_out=DIR                       write result.json, summary.md, raw.csv, exports/ and more
  --weir_csv=FILE                      append each row of a channel there, in dora's format
  --weir_seed=N                        order and memory layouts (1)
  --weir_timeout=SECONDS               a fork that takes longer is ended
  --weir_pin=generator:C,lanes:C1-C2   keep threads on cores
  --weir_progress=on|off               lines on stderr about what runs
Exit codes: 0 fine, 1 a change for the worse, 2 bad usage or input, 3 a benchmark failed or too few
samples are valid, 4 inconclusive.
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

/// As a flag takes it, without losing a short time's digits.
[[nodiscard]] inline std::string in_seconds(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.9g", seconds);
  return text.data();
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
      cores.generator = first;
    } else if (role == "lanes") {
      for (unsigned core = *first; core <= *last; ++core) cores.lanes.push_back(core);
    } else {
      return std::nullopt;
    }
  }
  return cores;
}

/// Names of --weir_param that suites of this binary take, besides the pipelines' own, and check themselves.
[[nodiscard]] inline std::set<std::string, std::less<>>& suite_parameters() {
  static std::set<std::string, std::less<>> names;
  return names;
}

/// Sets a parameter of a job.  Returns: what is wrong with it, or nothing.
[[nodiscard]] inline std::optional<std::string> apply(std::string_view name, std::string_view value, job::spec& job) {
  if (suite_parameters().contains(name)) return std::nullopt;
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

/// Seconds, with or without their unit.
[[nodiscard]] inline std::optional<double> seconds(std::string_view text) {
  const auto value = number<double>(text.ends_with('s') ? text.substr(0, text.size() - 1) : text);
  return value && *value > 0 ? value : std::nullopt;
}

/// One pass over the flags: each takes its value into the settings, or becomes a problem.
class flag_reader {
 public:
  flag_reader(settings& to, job::problems& found) : s_(to), found_(found) {}

  void read(std::string flag, std::string value) {
    flag_ = std::move(flag);
    value_ = std::move(value);
    if (flag_ == "--weir_profile") {
      if (!profile(value_)) refuse("flags.unknown_profile", "quick, standard, full or ksql");
    } else if (flag_ == "--weir_forks") {
      take_count(1, s_.budget.forks);
    } else if (flag_ == "--weir_iterations") {
      take_count(1, s_.budget.iterations);
    } else if (flag_ == "--weir_warmup") {
      take_count(0, s_.budget.warmup);
    } else if (flag_ == "--weir_iteration_time") {
      const auto time = detail::seconds(value_);
      if (!time || *time > longest_iteration) return refuse("flags.bad_time", "seconds above 0, at most 3600");
      s_.budget.iteration_seconds = *time;
      s_.budget.profile = "custom";
    } else if (flag_ == "--weir_precision") {
      take_fraction(s_.precision);
    } else if (flag_ == "--weir_max_forks") {
      take_number(1, most_iterations, s_.max_forks);
    } else if (flag_ == "--weir_max_time") {
      take_time(s_.max_time);
    } else if (flag_ == "--weir_param") {
      take_parameter();
    } else if (flag_ == "--weir_out") {
      if (!s_.out.empty()) return refuse("flags.given_twice", "one folder");
      s_.out = value_;
      if (value_.empty()) refuse("flags.bad_folder", "a folder");
    } else if (flag_ == "--weir_csv") {  // every process of the run sees it in its environment
      if (value_.empty()) return refuse("flags.bad_value", "a file");
      ::setenv("BENCH_CSV", std::filesystem::absolute(value_).c_str(), 1);
    } else if (flag_ == "--weir_pin") {
      if (const auto cores = parse_placement(value_))
        s_.cores = *cores;
      else
        refuse("flags.bad_placement", "generator:CORE and lanes:CORES, as in generator:0,lanes:1-3");
    } else if (flag_ == "--weir_against") {
      s_.against = take_program(value_);
    } else if (flag_ == "--weir_aa") {
      s_.aa = take_switch();
    } else if (flag_ == "--weir_threshold") {
      std::optional<double> threshold;
      take_fraction(threshold);
      if (threshold) s_.threshold = *threshold;
    } else if (flag_ == "--weir_builds") {
      for (const std::string& build : split(value_, ',')) s_.builds.push_back(take_program(build));
    } else if (flag_ == "--weir_capacity") {
      s_.capacity = take_switch();
    } else if (flag_ == "--weir_seed") {
      take_number(0, std::numeric_limits<std::uint64_t>::max(), s_.seed);
    } else if (flag_ == "--weir_timeout") {
      take_time(s_.timeout);
    } else if (flag_ == "--weir_progress") {
      if (value_ != "on" && value_ != "off") return refuse("flags.bad_value", "on or off");
      s_.progress = value_ == "on";
    } else if (flag_ == "--weir_child") {
      take_child();
    } else {
      found_.add("flags.unknown", flag_, "not known: --help lists weir's flags");
    }
  }

 private:
  void refuse(std::string_view id, std::string_view wanted) {
    found_.add(id, flag_, "\"" + value_ + "\": give " + std::string(wanted));
  }

  template <class Number>
  void take_number(std::type_identity_t<Number> least, std::type_identity_t<Number> most, Number& to) {
    const auto n = number<Number>(value_);
    if (n && *n >= least && *n <= most)
      to = *n;
    else
      refuse("flags.bad_count", "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  void take_count(std::uint32_t least, std::uint32_t& to) {
    take_number(least, most_iterations, to);
    s_.budget.profile = "custom";
  }

  void take_fraction(std::optional<double>& to) {
    to = report::fraction_of(value_);
    if (!to) refuse("flags.bad_fraction", "a fraction below 1, as 2% or 0.02");
  }

  void take_time(std::optional<std::chrono::nanoseconds>& to) {
    constexpr double longest = 365 * 86'400.0;
    const auto time = detail::seconds(value_);
    if (!time || *time > longest) return refuse("flags.bad_time", "seconds above 0, at most a year of them");
    to = std::chrono::nanoseconds(static_cast<std::int64_t>(*time * 1e9));
  }

  [[nodiscard]] bool take_switch() {
    if (!value_.empty()) refuse("flags.bad_value", "the flag alone");
    return true;
  }

  [[nodiscard]] std::filesystem::path take_program(const std::string& name) {
    std::error_code ignored;
    const std::filesystem::path file = std::filesystem::absolute(name, ignored);
    if (!std::filesystem::is_regular_file(file, ignored) || !os::can_run(file.c_str()))
      found_.add("flags.no_program", flag_, "\"" + name + "\": give a binary with weir's main that can be run");
    return file;
  }

  void take_parameter() {
    const std::size_t at = value_.find('=');
    if (at == std::string::npos || at == 0) return refuse("flags.bad_param", "NAME=VALUE");
    record::parameter param{value_.substr(0, at), split(std::string_view(value_).substr(at + 1), ',')};
    const std::string where = flag_ + "=" + param.name;
    if (std::any_of(s_.params.begin(), s_.params.end(), [&](const auto& p) { return p.name == param.name; }))
      found_.add("flags.bad_param", where, "given twice: a list of values makes a sweep");
    job::spec any;
    any.transform.emplace();
    for (const std::string& one : param.values)
      if (const auto wrong = apply(param.name, one, any)) found_.add("flags.bad_param", where, *wrong);
    s_.params.push_back(std::move(param));
  }

  /// The harness writes it: FD:LAYOUT_SEED:DRAWS_SEED.
  void take_child() {
    const std::vector<std::string> parts = split(value_, ':');
    const auto wire = number<int>(parts.front());
    const auto layout_seed = parts.size() == 3 ? number<std::uint64_t>(parts[1]) : std::nullopt;
    const auto draws_seed = parts.size() == 3 ? number<std::uint64_t>(parts[2]) : std::nullopt;
    if (!wire || *wire < 0 || !layout_seed || !draws_seed)
      return refuse("flags.bad_value", "nothing: it is for the harness's own use");
    s_.child = {.wire = *wire, .layout_seed = *layout_seed, .draws_seed = *draws_seed};
  }

  settings& s_;
  job::problems& found_;
  std::string flag_;
  std::string value_;
};

}  // namespace detail

/// Takes the --weir_* flags out of `arguments`.
/// Errors: job.refused with every bad flag.
[[nodiscard]] inline settings read_flags(std::vector<std::string>& arguments) {
  constexpr std::string_view prefix = "--weir_";
  constexpr std::string_view profile_flag = "--weir_profile=";
  settings s;
  job::problems found;
  // The profile first, wherever it stands: the other flags change single fields of it.
  for (const std::string& argument : arguments)
    if (argument.starts_with(profile_flag))
      if (const auto chosen = profile(std::string_view(argument).substr(profile_flag.size()))) s.budget = *chosen;
  const bool as_ksql = s.budget.profile == "ksql";
  detail::flag_reader reader(s, found);
  std::vector<std::string> others;
  for (std::string& argument : arguments) {
    if (!argument.starts_with(prefix)) {
      others.push_back(std::move(argument));
      continue;
    }
    s.any = true;
    const std::size_t equals = std::min(argument.find('='), argument.size());
    reader.read(argument.substr(0, equals), argument.substr(std::min(equals + 1, argument.size())));
  }
  const auto given = [&](std::string_view name) {
    return std::any_of(s.params.begin(), s.params.end(), [&](const auto& p) { return p.name == name; });
  };
  if (as_ksql)
    for (const auto& [name, value] : {std::pair{"threads", "4"}, std::pair{"buffer", "fresh"}})
      if (detail::suite_parameters().contains(name) && !given(name)) s.params.push_back({name, {value}});
  if (s.aa && !s.against.empty())
    found.add("flags.contradiction", "--weir_aa", "beside --weir_against: give one of the two");
  if (s.capacity && (s.compares() || !s.builds.empty() || s.precision))
    found.add("flags.contradiction", "--weir_capacity",
              "beside --weir_against, --weir_aa, --weir_builds or --weir_precision: run them one by one");
  // Fewer tell nothing: one pair has no spread, and a build without a fork is not there.
  if (s.compares() && s.budget.forks < 2) s.budget.forks = profile("standard")->forks;
  if (s.budget.forks < s.builds.size()) s.budget.forks = static_cast<std::uint32_t>(s.builds.size());
  if (s.compares() && !s.builds.empty())
    found.add("flags.contradiction", "--weir_builds", "beside a comparison: give one of the two");
  found.raise_if_any("flags");
  arguments = std::move(others);
  return s;
}

/// Every combination of the swept parameters applied to a job, with the suffix each adds to the benchmark's name.
[[nodiscard]] inline std::vector<std::pair<std::string, job::spec>> expand(
    const job::spec& job, const std::vector<record::parameter>& params) {
  std::vector<std::pair<std::string, job::spec>> jobs{{"", job}};
  for (const record::parameter& param : params) {
    if (detail::suite_parameters().contains(param.name)) continue;
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
