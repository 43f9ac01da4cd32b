#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Where and by what a result was made: each fact is a value, or the reason why it is missing. Never the
// name of a host. Temperature: cold, touches the OS.
//
//   const record::environment here = record::probe_environment();
//   const record::fact* governor = here.find("governor");  // value "performance", or a reason

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <unistd.h>

#include <weir/base/config.hpp>
#include <weir/base/os.hpp>

namespace weir::inline WEIR_ABI::record {

/// One thing known about the environment, or why it is not known: exactly one of value and reason says something.
struct fact {
  std::string name;
  std::optional<std::string> value;
  std::string reason;

  friend bool operator==(const fact&, const fact&) = default;
};

struct environment {
  std::vector<fact> facts;

  [[nodiscard]] const fact* find(std::string_view name) const noexcept {
    const auto at = std::ranges::find(facts, name, &fact::name);
    return at == facts.end() ? nullptr : &*at;
  }

  friend bool operator==(const environment&, const environment&) = default;
};

/// What the host did to others or to us so far; the difference of two tells what happened in between.
struct disturbance {
  std::optional<std::chrono::nanoseconds> stolen{};  // by the hypervisor, summed over cores
  std::optional<std::chrono::nanoseconds> busy{};    // user, nice and system time of every process
  std::chrono::nanoseconds own{};                  // of this process and of children that ended
  std::chrono::nanoseconds at{};
};

namespace detail {

/// A file's text without the space at its ends, or why it cannot be had.
struct reading {
  std::optional<std::string> text;
  std::string reason;
};

[[nodiscard]] inline std::string_view trim(std::string_view text) noexcept {
  constexpr std::string_view space = " \t\n\r\f\v";
  const auto first = text.find_first_not_of(space);
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(space) - first + 1);
}

[[nodiscard]] inline reading read_file(const std::string& root, const std::string& path) {
  std::FILE* file = std::fopen((root + path).c_str(), "re");
  if (file == nullptr) return {{}, path + ": " + std::error_code(errno, std::generic_category()).message()};
  std::string text;
  std::array<char, 4096> chunk;
  for (std::size_t n; (n = std::fread(chunk.data(), 1, chunk.size(), file)) > 0;) text.append(chunk.data(), n);
  std::fclose(file);
  if (trim(text).empty()) return {{}, path + ": empty"};
  return {std::string(trim(text)), {}};
}

/// Calls visit(key, value) for each `key<separator>value` line, both trimmed.
template <class Visit>
void for_each_line(std::string_view text, char separator, Visit visit) {
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (const auto cut = line.find(separator); cut != line.npos) {
      visit(trim(line.substr(0, cut)), trim(line.substr(cut + 1)));
    }
  }
}

/// The value after the first line that starts with `key<separator>`.
[[nodiscard]] inline reading field(const reading& file, std::string_view path, char separator, std::string_view key) {
  if (!file.text) return file;
  std::optional<std::string> found;
  for_each_line(*file.text, separator, [&](std::string_view name, std::string_view value) {
    if (!found && name == key) found = value;
  });
  if (found) return {found, {}};
  return {{}, std::string(path).append(": no line \"").append(key).append("\"")};
}

[[nodiscard]] inline std::optional<std::uint64_t> to_number(std::string_view text, int base = 10) noexcept {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return error == std::errc{} && end != text.data() ? std::optional(number) : std::nullopt;
}

/// The n-th word, counted from 0.
[[nodiscard]] inline std::string_view word(std::string_view text, int n) noexcept {
  text = trim(text);
  while (n-- > 0) text = trim(text.substr(std::min(text.find_first_of(" \t"), text.size())));
  return text.substr(0, text.find_first_of(" \t"));
}

/// The tightest of a control group's limits and its parents': read(directory) -> limit at that directory.
template <class Read>
[[nodiscard]] std::optional<double> tightest(const std::string& mount, std::string path, Read read) {
  std::optional<double> limit;
  for (;;) {
    while (path.ends_with('/')) path.pop_back();
    if (const std::optional<double> here = read(mount + path); here && (!limit || *here < *limit)) limit = here;
    if (path.empty()) return limit;
    path.resize(path.find_last_of('/') == path.npos ? 0 : path.find_last_of('/'));
  }
}

inline constexpr double no_limit = std::numeric_limits<double>::infinity();

/// Looks for a limit in both versions of control groups. A path of the outer namespace that is not
/// visible in a container falls back on its parents, and so on the mount itself.
template <class Read2, class Read1>
[[nodiscard]] reading cgroup_limit(const std::string& root, std::string_view controller, Read2 read_v2, Read1 read_v1) {
  const reading groups = read_file(root, "/proc/self/cgroup");
  if (!groups.text) return groups;
  std::optional<double> limit;
  const auto tighten = [&](std::optional<double> other) {
    if (other && (!limit || *other < *limit)) limit = other;
  };
  for_each_line(*groups.text, ':', [&](std::string_view hierarchy, std::string_view rest) {
    const auto cut = rest.find(':');
    if (cut == rest.npos) return;
    const std::string_view controllers = rest.substr(0, cut);
    const std::string path(rest.substr(cut + 1));
    if (hierarchy == "0") {
      tighten(tightest("/sys/fs/cgroup", path, read_v2));
    } else if ((',' + std::string(controllers) + ',').find(',' + std::string(controller) + ',') != std::string::npos) {
      tighten(tightest("/sys/fs/cgroup/" + std::string(controller), path, read_v1));
    }
  });
  if (!limit) return {{}, "no control group states a limit on " + std::string(controller)};
  if (*limit == no_limit) return {"none", {}};
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), *limit, std::chars_format::fixed).ptr;
  return {std::string(text.data(), end), {}};
}

[[nodiscard]] inline reading cgroup_cores(const std::string& root) {
  const auto ratio = [](std::string_view quota, std::string_view period) -> std::optional<double> {
    if (quota == "max" || quota == "-1") return no_limit;
    const auto top = to_number(quota);
    const auto bottom = to_number(period);
    if (!top || !bottom || *bottom == 0) return {};
    return static_cast<double>(*top) / static_cast<double>(*bottom);
  };
  return cgroup_limit(
      root, "cpu",
      [&](const std::string& folder) -> std::optional<double> {
        const reading max = read_file(root, folder + "/cpu.max");
        return max.text ? ratio(word(*max.text, 0), word(*max.text, 1)) : std::nullopt;
      },
      [&](const std::string& folder) -> std::optional<double> {
        const reading quota = read_file(root, folder + "/cpu.cfs_quota_us");
        const reading period = read_file(root, folder + "/cpu.cfs_period_us");
        return quota.text && period.text ? ratio(*quota.text, *period.text) : std::nullopt;
      });
}

[[nodiscard]] inline reading cgroup_memory(const std::string& root) {
  const auto bytes = [&root](const std::string& path) -> std::optional<double> {
    const reading file = read_file(root, path);
    if (!file.text) return {};
    if (*file.text == "max") return no_limit;
    const auto limit = to_number(*file.text);
    if (!limit) return {};
    // Version 1 writes "no limit" as the largest multiple of a page below 2^63.
    return *limit >= (std::uint64_t{1} << 62) ? no_limit : static_cast<double>(*limit);
  };
  return cgroup_limit(
      root, "memory", [&](const std::string& folder) { return bytes(folder + "/memory.max"); },
      [&](const std::string& folder) { return bytes(folder + "/memory.limit_in_bytes"); });
}

[[nodiscard]] inline reading turbo(const std::string& root) {
  const reading off = read_file(root, "/sys/devices/system/cpu/intel_pstate/no_turbo");
  if (off.text) return {*off.text == "0" ? "on" : "off", {}};
  const reading boost = read_file(root, "/sys/devices/system/cpu/cpufreq/boost");
  if (boost.text) return {*boost.text == "0" ? "off" : "on", {}};
  return {{}, off.reason + "; " + boost.reason};
}

[[nodiscard]] inline reading aslr(const std::string& root) {
  constexpr std::uint64_t addr_no_randomize = 0x0040000;  // <sys/personality.h>
  const reading personality = read_file(root, "/proc/self/personality");
  if (personality.text && (to_number(*personality.text, 16).value_or(0) & addr_no_randomize) != 0) {
    return {"off (personality of this process)", {}};
  }
  reading space = read_file(root, "/proc/sys/kernel/randomize_va_space");
  if (space.text) space.text = *space.text == "0" ? "off" : *space.text == "1" ? "on, but not the heap" : "on";
  return space;
}

[[nodiscard]] inline reading hypervisor(const reading& cpuinfo) {
  const reading flags = field(cpuinfo, "/proc/cpuinfo", ':', "flags");
  if (!flags.text) return flags;
  return {(' ' + *flags.text + ' ').find(" hypervisor ") != std::string::npos ? "yes" : "no", {}};
}

/// Whole MHz of the first core: the highest that it is made for, where the kernel tells, else those of this moment.
[[nodiscard]] inline reading megahertz(const std::string& root, const reading& cpuinfo) {
  const std::string path = "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq";
  if (const reading highest = read_file(root, path); highest.text) {
    const auto kilohertz = to_number(*highest.text);
    if (!kilohertz) return {{}, path + ": not a number: " + *highest.text};
    return {std::to_string(*kilohertz / 1000), {}};
  }
  reading now = field(cpuinfo, "/proc/cpuinfo", ':', "cpu MHz");
  if (now.text) now.text->resize(std::min(now.text->find('.'), now.text->size()));
  return now;
}

[[nodiscard]] inline reading kibibytes(const reading& meminfo, std::string_view key) {
  reading line = field(meminfo, "/proc/meminfo", ':', key);
  if (!line.text) return line;
  const auto amount = to_number(*line.text);
  if (!amount) return {{}, "/proc/meminfo: not a number: " + *line.text};
  return {std::to_string(*amount * 1024), {}};
}

[[nodiscard]] inline std::string compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

/// Time in the given columns of the first line of /proc/stat, which counts ticks since the host started.
[[nodiscard]] inline std::optional<std::chrono::nanoseconds> host_time(const reading& stat,
                                                                       std::initializer_list<int> columns) {
  if (!stat.text || !stat.text->starts_with("cpu ")) return {};
  const std::string_view line = std::string_view(*stat.text).substr(0, stat.text->find('\n'));
  std::uint64_t ticks = 0;
  for (const int column : columns) {
    const auto value = to_number(word(line, column));
    if (!value) return {};
    ticks += *value;
  }
  const long per_second = ::sysconf(_SC_CLK_TCK);
  return std::chrono::nanoseconds(static_cast<std::int64_t>(ticks) *
                                  (1'000'000'000 / (per_second > 0 ? per_second : 100)));
}

}  // namespace detail

/// Asks the compiler, the build and the OS. Errors: none; what cannot be had is a reason.
/// The build tells its own part through two macros, the same in every translation unit:
/// WEIR_GIT_COMMIT and WEIR_CXX_FLAGS, each a string.
/// `root` is put before every path, so that tests can show another machine's /proc and /sys.
[[nodiscard]] inline environment probe_environment(const std::string& root = "") {
  environment found;
  const auto add = [&](std::string name, detail::reading what) {
    found.facts.push_back({std::move(name), std::move(what.text), std::move(what.reason)});
  };
  const auto add_file = [&](std::string name, const std::string& path) {
    add(std::move(name), detail::read_file(root, path));
  };

#if defined(WEIR_GIT_COMMIT)
  add("commit", {WEIR_GIT_COMMIT, {}});
#else
  add("commit", {{}, "the build did not define WEIR_GIT_COMMIT"});
#endif
  add("compiler", {detail::compiler(), {}});
#if defined(WEIR_CXX_FLAGS)
  add("cxx_flags", {WEIR_CXX_FLAGS, {}});
#else
  add("cxx_flags", {{}, "the build did not define WEIR_CXX_FLAGS"});
#endif
#if defined(__OPTIMIZE__)
  add("optimized", {"yes", {}});
#else
  add("optimized", {"no", {}});
#endif
#if defined(NDEBUG)
  add("assertions", {"off (NDEBUG)", {}});
#else
  add("assertions", {"on", {}});
#endif
  add("checks", {WEIR_CHECKS ? "on" : "off", {}});

  const detail::reading cpuinfo = detail::read_file(root, "/proc/cpuinfo");
  add("cpu_model", detail::field(cpuinfo, "/proc/cpuinfo", ':', "model name"));
  add("cpu_mhz", detail::megahertz(root, cpuinfo));
  add("cores_usable", {std::to_string(os::usable_cores()), {}});
  add_file("cores_online", "/sys/devices/system/cpu/online");
  add_file("smt", "/sys/devices/system/cpu/smt/active");
  add_file("governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  add("turbo", detail::turbo(root));
  add_file("numa_nodes", "/sys/devices/system/node/online");
  add("hypervisor", detail::hypervisor(cpuinfo));
  add("cgroup_cpu_limit_cores", detail::cgroup_cores(root));
  add("cgroup_memory_limit_bytes", detail::cgroup_memory(root));

  const detail::reading meminfo = detail::read_file(root, "/proc/meminfo");
  add("memory_total_bytes", detail::kibibytes(meminfo, "MemTotal"));
  add("memory_available_bytes", detail::kibibytes(meminfo, "MemAvailable"));

  add_file("kernel", "/proc/sys/kernel/osrelease");
  add("aslr", detail::aslr(root));
  add_file("clock_source", "/sys/devices/system/clocksource/clocksource0/current_clocksource");
  add_file("timer_slack_ns", "/proc/self/timerslack_ns");
  detail::reading load = detail::read_file(root, "/proc/loadavg");
  if (load.text)
    load.text->resize(std::min(load.text->find('/'), load.text->size()));  // LOAD1 LOAD5 LOAD15 RUNNING/TASKS PID
  if (load.text) load.text->resize(std::min(load.text->rfind(' '), load.text->size()));
  add("load_average", std::move(load));
  const auto stolen = detail::host_time(detail::read_file(root, "/proc/stat"), {8});
  add("steal_since_boot_ns", stolen ? detail::reading{std::to_string(stolen->count()), {}}
                                    : detail::reading{{}, "/proc/stat: no steal column"});
  return found;
}

/// Cost: one small file and two clocks, about 20 us: for before and after a sample, not within.
[[nodiscard]] inline disturbance probe_disturbance(const std::string& root = "") {
  const detail::reading stat = detail::read_file(root, "/proc/stat");
  return {.stolen = detail::host_time(stat, {8}),
          .busy = detail::host_time(stat, {1, 2, 3}),
          .own = os::family_cpu_time(),
          .at = os::monotonic_now()};
}

/// What a sample's notes should say about the time between two probes; empty when nothing was seen.
/// The host counts in ticks of 10 ms, so other processes are named from 50 ms and 5 % of a core up.
[[nodiscard]] inline std::vector<std::string> disturbances(const disturbance& before, const disturbance& after) {
  using std::chrono::nanoseconds;
  std::vector<std::string> notes;
  const nanoseconds wall = after.at - before.at;
  const auto milliseconds = [](nanoseconds t) { return std::to_string(t.count() / 1'000'000) + " ms"; };
  if (before.stolen && after.stolen && *after.stolen > *before.stolen) {
    notes.push_back("steal: the hypervisor took " + milliseconds(*after.stolen - *before.stolen) + " of " +
                    milliseconds(wall));
  }
  if (before.busy && after.busy) {
    const nanoseconds others = (*after.busy - *before.busy) - (after.own - before.own);
    if (others >= std::chrono::milliseconds(50) && others * 20 >= wall) {
      notes.push_back("neighbours: other processes used " + milliseconds(others) + " of CPU in " + milliseconds(wall));
    }
  }
  return notes;
}

}  // namespace weir::inline WEIR_ABI::record
