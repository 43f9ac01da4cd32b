#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The channel suite: what it costs to hand over a message of a size, by a channel, under a wait strategy.
// Temperature: cold around the jobs of channel_job.hpp.
//
//   const bool a = weir::gbench::register_channels();                  // channels/ring/pingpong/0, channels/shm/...
//   const bool b = weir::gbench::register_channel<my_queue>("mine");   // channels/mine/pingpong/0, ...
//   WEIR_MAIN()
//
// --weir_param=NAME=VALUE:
//   channel, mode, size    which rows (mode=dora: upstream's protocol, one row a channel)
//   ends                   threads or processes
//   placement              apart (two cores), same (one), free
//   wait                   spin, spin_then_park, block; unless given spin_then_park where messages lie in memory that
//                          both ends see, else block
//   full, depth            block, drop_newest, drop_oldest; messages (1000)
//   offered_rate           of mode latency; unless given 10,000 messages/s, and at most 2 GB/s
//   batch                  messages handed over together in mode throughput; unless given 16 below 64 KiB
//   port                   where tcp listens, and the one after it; unless given any that is free

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include <benchmark/benchmark.h>

#include <weir/base/config.hpp>
#include <weir/base/error.hpp>
#include <weir/base/os.hpp>
#include <weir/channel/locked_queue.hpp>
#include <weir/channel/memory.hpp>
#include <weir/channel/message.hpp>
#include <weir/channel/message_ring.hpp>
#include <weir/channel/stream.hpp>
#include <weir/clock/steady.hpp>
#include <weir/gbench/channel_job.hpp>
#include <weir/gbench/channel_peer.hpp>
#include <weir/gbench/channel_table.hpp>
#include <weir/gbench/session.hpp>
#include <weir/gbench/settings.hpp>
#include <weir/judge/percentile.hpp>
#include <weir/measure/snapshot.hpp>
#include <weir/record/run_record.hpp>
#include <weir/run/probe.hpp>
#include <weir/stats/modality.hpp>
#include <weir/stats/quantile.hpp>

namespace weir::inline WEIR_ABI::gbench {

namespace detail {

/// A channel that the suite knows.
struct channel_entry {
  std::string name;
  channel::wait_strategy wait = channel::wait_strategy::block;
  std::function<void(channel::options)> try_out;
  std::function<channel_result(const channel_job&, const channel_watch&)> between_threads;
  std::function<channel_result(const channel_job&, const channel_watch&)> between_processes;  // none: it cannot
};

[[nodiscard]] inline std::vector<channel_entry>& channel_entries() {
  static std::vector<channel_entry> all;
  return all;
}

/// The rows of this run, each where it belongs once it is final: the library calls a body with more and more
/// iterations, and only the last call of a repetition counts. Until another one begins, that may be any.
class channel_log {
 public:
  [[nodiscard]] static channel_log& instance() {
    static channel_log one;
    return one;
  }

  channel_log() = default;
  channel_log(const channel_log&) = delete;
  channel_log& operator=(const channel_log&) = delete;
  ~channel_log() {
    if (const auto failed = weir::detail::failure_of([this] { flush(); }))
      std::fprintf(stderr, "%s\n", failed->c_str());
  }

  /// Rows of a call of `benchmark` with that many iterations.
  /// Errors: channels.cannot_write.
  void add(const void* benchmark, std::uint64_t iterations, std::vector<channel_row> rows, const settings& s) {
    if (benchmark != benchmark_) {
      flush();
      repetitions_ = 0;
    } else if (iterations > iterations_) {
      pending_.clear();  // it was only to find out how many are needed
    } else {
      flush();
    }
    benchmark_ = benchmark;
    iterations_ = iterations;
    pending_ = std::move(rows);
    warmup_ = s.child ? s.budget.warmup : 0;
    keeps_ = !s.child;
    folder_ = s.out;
  }

  /// Errors: channels.cannot_write.
  void flush() {
    const std::vector<channel_row> rows = std::exchange(pending_, {});
    if (rows.empty() || repetitions_++ < warmup_) return;
    for (const channel_row& row : rows) {
      if (const char* file = std::getenv("BENCH_CSV"); file != nullptr && *file != '\0')
        append_csv(file, channel_csv_row(row));
      if (!folder_.empty()) {
        std::error_code ignored;
        std::filesystem::create_directories(folder_, ignored);
        append_csv(folder_ / "channels.csv", channel_full_csv_row(row), channel_csv_header);
      }
      if (keeps_) kept_.push_back(row);
      if (const char* file = std::getenv(gathering); file != nullptr && !keeps_)  // on another host there is none
        static_cast<void>(weir::detail::failure_of([&] { append_csv(file, channel_full_csv_row(row)); }));
    }
  }

  /// The benchmark failed: what it had measured on the way there is no row.
  void discard() noexcept { pending_.clear(); }

  /// From here on forks of this process put their rows where table() finds them.
  void gather() {
    rows_ = channel::descriptor(::memfd_create("weir-channel-rows", MFD_CLOEXEC));
    if (rows_)
      ::setenv(gathering, ("/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(rows_.get())).c_str(), 1);
  }

  /// For people, after all.
  [[nodiscard]] std::string table() {
    flush();
    if (rows_) {
      std::ifstream gathered("/proc/self/fd/" + std::to_string(rows_.get()));
      for (std::string line; std::getline(gathered, line);)
        if (const auto row = channel_row_of(line)) kept_.push_back(*row);
    }
    return channel_table(kept_);
  }

 private:
  static constexpr const char* gathering = "WEIR_CHANNEL_ROWS";

  channel::descriptor rows_;
  const void* benchmark_ = nullptr;
  std::uint64_t iterations_ = 0;
  std::vector<channel_row> pending_;
  std::uint32_t repetitions_ = 0;
  std::uint32_t warmup_ = 0;
  bool keeps_ = true;
  std::filesystem::path folder_;
  std::vector<channel_row> kept_;
};

/// One value of each parameter, and what the name says of those that were swept.
struct channel_setting {
  bool processes = false;
  std::string placement;  // empty: apart if there are two cores
  std::optional<channel::wait_strategy> wait{};
  channel::full_policy full = channel::full_policy::block;
  std::size_t depth = 1000;
  std::uint64_t rate = 0;
  std::uint32_t batch = 0;
  std::uint16_t port = 0;
  std::string suffix;
};

struct channel_choice {
  std::optional<std::vector<std::string>> channels{};
  std::vector<channel_mode> modes{channel_mode::pingpong, channel_mode::latency, channel_mode::throughput};
  std::vector<std::uint64_t> sizes{dora_sizes.begin(), dora_sizes.end()};
  std::vector<channel_setting> settings{channel_setting{}};
};

/// Errors: channels.bad_param.
class channel_parameters {
 public:
  static constexpr std::array<const char*, 10> names{"channel", "mode", "size",  "ends",  "placement",
                                                     "wait",    "full", "depth", "batch", "port"};

  [[nodiscard]] static channel_choice read(const std::vector<record::parameter>& params) {
    channel_parameters all;
    for (const record::parameter& p : params) all.read_one(p);
    return std::move(all.chosen_);
  }

 private:
  void read_one(const record::parameter& p) {
    where_ = "--weir_param=" + p.name;
    if (p.name == "channel") {
      chosen_.channels = p.values;
    } else if (p.name == "mode") {
      chosen_.modes.clear();
      for (const std::string& v : p.values)
        chosen_.modes.push_back(static_cast<channel_mode>(one_of(v, channel_mode_names)));
    } else if (p.name == "size") {
      chosen_.sizes.clear();
      for (const std::string& v : p.values)
        chosen_.sizes.push_back(whole(v, 0, channel::largest_message - sizeof(channel_header)));
    } else if (p.name == "ends") {
      sweep(p, [](channel_setting& s, const std::string& v) {
        s.processes = one_of(v, std::array<std::string_view, 2>{"threads", "processes"}) == 1;
      });
    } else if (p.name == "placement") {
      sweep(p, [](channel_setting& s, const std::string& v) {
        (void)one_of(v, std::array<std::string_view, 3>{"same", "apart", "free"});
        s.placement = v;
      });
    } else if (p.name == "wait") {
      sweep(p, [](channel_setting& s, const std::string& v) {
        s.wait = static_cast<channel::wait_strategy>(one_of(v, channel::wait_names));
      });
    } else if (p.name == "full") {
      sweep(p, [](channel_setting& s, const std::string& v) {
        s.full = static_cast<channel::full_policy>(one_of(v, channel::full_names));
      });
    } else if (p.name == "depth") {
      sweep(p, [](channel_setting& s, const std::string& v) { s.depth = whole(v, 1, channel::deepest); });
    } else if (p.name == "offered_rate") {
      sweep(p, [](channel_setting& s, const std::string& v) { s.rate = whole(v, 1, 1'000'000'000); });
    } else if (p.name == "batch") {
      sweep(p, [](channel_setting& s, const std::string& v) {
        s.batch = static_cast<std::uint32_t>(whole(v, 1, channel::deepest));
      });
    } else if (p.name == "port") {
      sweep(p,
            [](channel_setting& s, const std::string& v) { s.port = static_cast<std::uint16_t>(whole(v, 0, 65534)); });
    }
  }

  template <class Set>
  void sweep(const record::parameter& p, Set set) {
    std::vector<channel_setting> wider;
    for (const channel_setting& base : chosen_.settings) {
      for (const std::string& value : p.values) {
        channel_setting& next = wider.emplace_back(base);
        set(next, value);
        if (p.values.size() > 1) next.suffix += "/" + p.name + ":" + value;
      }
    }
    chosen_.settings = std::move(wider);
  }

  template <std::size_t N>
  [[nodiscard]] static std::size_t one_of(const std::string& value, const std::array<std::string_view, N>& known) {
    const auto at = std::find(known.begin(), known.end(), value);
    if (at != known.end()) return static_cast<std::size_t>(at - known.begin());
    std::string wanted;
    for (const std::string_view name : known) wanted.append(wanted.empty() ? "" : ", ").append(name);
    refuse(value, "one of " + wanted);
  }

  [[nodiscard]] static std::uint64_t whole(const std::string& value, std::uint64_t least, std::uint64_t most) {
    const auto n = number<std::uint64_t>(value);
    if (!n || *n < least || *n > most)
      refuse(value, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    return *n;
  }

  [[noreturn]] static void refuse(const std::string& value, const std::string& wanted) {
    weir::detail::raise("channels.bad_param", where_, "\"" + value + "\": give " + wanted);
  }

  inline static thread_local std::string where_;
  channel_choice chosen_;
};

/// What nothing can be cheaper than, on this host and in this run. Units: ns.
struct channel_floors {
  double clock = 0;    // to read it once
  double memcpy = 0;   // of the payload
  double handoff = 0;  // of a cache line to another core; 0: not known
};

/// Median time of f over so many calls as 3 ms hold, in groups that are long enough to be timed.
template <class F>
[[nodiscard]] double ns_of(F f) {
  std::vector<double> ns;
  int group = 1;
  const nanoseconds deadline = clock::steady::now() + std::chrono::milliseconds(3);
  do {
    const nanoseconds began = clock::steady::now();
    for (int i = 0; i < group; ++i) f();
    const nanoseconds took = clock::steady::now() - began;
    if (took < std::chrono::microseconds(5)) {
      group *= 2;
      continue;
    }
    ns.push_back(static_cast<double>(took.count()) / group);
  } while (ns.size() < 5 || clock::steady::now() < deadline);
  return stats::median(std::move(ns));
}

/// A sender that never waits writes one message while the receiver has another: its copies go to two places in turn. At
/// 4 MB that takes 10 to 15 % longer than to one.
[[nodiscard]] inline const channel_floors& floors_of(std::uint64_t size, bool saturated) {
  static std::map<std::pair<std::uint64_t, bool>, channel_floors> known;
  const auto [at, fresh] = known.try_emplace({size, saturated});
  if (!fresh) return at->second;
  channel_floors& f = at->second;
  f.clock = ns_of([] { benchmark::DoNotOptimize(clock::steady::now()); });
  if (size != 0) {
    const std::vector<std::byte> from = channel_payload(size);
    std::array<std::vector<std::byte>, 2> to{std::vector<std::byte>(size),
                                             std::vector<std::byte>(saturated ? size : 0)};
    std::size_t turn = 0;
    f.memcpy = ns_of([&] {
      std::byte* const here = to[saturated ? turn++ % 2 : 0].data();
      std::memcpy(here, from.data(), size);
      benchmark::DoNotOptimize(here);
      benchmark::ClobberMemory();
    });
  }
  if (const auto round_trip = run::core_round_trip()) f.handoff = static_cast<double>(round_trip->count()) / 2;
  return f;
}

/// The first and the last core of this process.
[[nodiscard]] inline std::pair<int, int> two_cores() {
  std::pair<int, int> found{-1, -1};
  for (int core = 0; core < 4096; ++core) {
    if (!os::core_usable(static_cast<unsigned>(core))) continue;
    if (found.first < 0) found.first = core;
    found.second = core;
  }
  return found;
}

/// The body of one benchmark: a job of as many messages as the library wants iterations.
class channel_benchmark {
 public:
  channel_benchmark(const session& s, channel_entry entry, channel_setting setting, channel_job job)
      : session_(&s), entry_(std::move(entry)), setting_(std::move(setting)), job_(job) {}

  void operator()(benchmark::State& state) {
    while (state.KeepRunningBatch(state.max_iterations)) {
      state.PauseTiming();
      channel_floors floors;
      channel_result r;
      std::vector<channel_row> rows;
      const auto failed = weir::detail::failure_of([&] {
        floors = floors_of(job_.mode == channel_mode::dora ? 0 : job_.size, job_.mode == channel_mode::throughput);
        channel_job job = job_;
        job.count = static_cast<std::uint64_t>(state.max_iterations);
        r = (setting_.processes ? entry_.between_processes : entry_.between_threads)(
            job, {.begin = [&] { state.ResumeTiming(); }, .end = [&] { state.PauseTiming(); }});
        if (r.failure.empty()) {
          rows = job_.mode == channel_mode::dora ? dora_rows(r) : std::vector{row(r, floors)};
          channel_log::instance().add(this, job.count, rows, session_->chosen());
        }
      });
      if (failed || !r.failure.empty()) {
        channel_log::instance().discard();
        state.SkipWithError((failed ? *failed : r.failure).c_str());
        return;
      }
      set_counters(state, r, floors, rows);
      state.ResumeTiming();
    }
  }

 private:
  [[nodiscard]] static double median_of(const std::vector<double>& values) {
    return values.empty() ? 0 : stats::median(values);
  }

  [[nodiscard]] channel_row described(std::string_view mode, std::uint64_t bytes) const {
    channel_row row;
    row.channel = entry_.name + setting_.suffix;
    row.ends = setting_.processes ? "processes" : "threads";
    row.placement = setting_.placement;
    row.wait = name_of(job_.options.wait);
    row.mode = mode;
    row.bytes = bytes;
    return row;
  }

  [[nodiscard]] channel_row row(const channel_result& r, const channel_floors& floors) const {
    channel_row row = described(channel_mode_names[static_cast<std::size_t>(job_.mode)], job_.size);
    const bool rate = job_.mode == channel_mode::throughput;
    row.n = rate ? r.messages : r.times.count();
    row.dropped = r.dropped;
    row.memcpy_ns = floors.memcpy;
    constexpr std::array asked{measure::p50, measure::p95, measure::p99, measure::p999};
    for (std::size_t i = 0; i < asked.size(); ++i)
      if (row.n >= judge::rows_needed(asked[i]) && !rate)
        row.p50_p95_p99_p999[i] = static_cast<double>(r.times.at(asked[i]).value.count());
    row.min = static_cast<double>(r.times.min().count());
    row.max = static_cast<double>(r.times.max().count());
    row.average = static_cast<double>(r.times.mean().count());
    const double seconds = std::chrono::duration<double>(r.elapsed).count();
    row.msg_per_s = seconds > 0 ? static_cast<double>(r.messages) / seconds : 0;
    // All that were received, those before the measured part included: CPU time covers them too.
    const std::uint64_t all = r.far.received * (job_.mode == channel_mode::pingpong ? 2 : 1);
    row.cpu_ns = all != 0 ? static_cast<double>(r.cpu.count()) / static_cast<double>(all) : 0;
    if (const auto two = stats::find_two_modes(r.slices); two && two->high >= 1.5 * two->low)
      row.note = formatted("bimodal: %.4g and %.4g ns a message", two->low, two->high);
    if (job_.mode == channel_mode::latency && late(r)) row.note = "the sender fell behind its schedule";
    return row;
  }

  /// Whether the sender could not keep its own pace: what it then shows is its own delay.
  [[nodiscard]] bool late(const channel_result& r) const {
    return r.release_lag.at(measure::p50).value > std::chrono::nanoseconds(std::chrono::seconds(1)) / job_.rate;
  }

  [[nodiscard]] std::vector<channel_row> dora_rows(const channel_result& r) const {
    std::vector<channel_row> rows;
    for (const dora_row& d : r.far.dora) {
      channel_row& row = rows.emplace_back(described(d.throughput != 0 ? "throughput" : "latency", d.bytes));
      row.n = d.n;
      (d.throughput != 0 ? row.msg_per_s : row.average) = d.average;
      for (std::size_t i = 0; i < row.p50_p95_p99_p999.size(); ++i)
        row.p50_p95_p99_p999[i] = d.p50_p95_p99_p999_min_max[i];
      row.min = d.p50_p95_p99_p999_min_max[4];
      row.max = d.p50_p95_p99_p999_min_max[5];
      if (d.n < 100) row.note = std::to_string(100 - d.n) + " of 100 never came";
    }
    return rows;
  }

  void set_counters(benchmark::State& state, const channel_result& r, const channel_floors& floors,
                    const std::vector<channel_row>& rows) const {
    const auto set = [&](const std::string& name, double value) { state.counters[name] = value; };
    set("sent", static_cast<double>(r.sent));
    set("received", static_cast<double>(r.far.received));
    set("dropped", static_cast<double>(r.dropped));
    set("parks", static_cast<double>(r.parks));
    set("floor_clock_ns", floors.clock);
    if (floors.handoff > 0) set("floor_handoff_ns", floors.handoff);
    if (job_.mode == channel_mode::dora) {
      for (const channel_row& row : rows) {
        const bool rate = row.mode == "throughput";
        set("bytes_" + std::to_string(row.bytes) + (rate ? "_messages_per_second" : "_avg_ns"),
            rate ? row.msg_per_s : row.average);
      }
      return;
    }
    const channel_row& row = rows.front();
    set("n", static_cast<double>(row.n));
    set("messages_per_second", row.msg_per_s);
    set("gigabytes_per_second", row.msg_per_s * static_cast<double>(row.bytes) / 1e9);
    set("cpu_ns_per_message", row.cpu_ns);
    if (job_.size != 0) set("floor_memcpy_ns", floors.memcpy);
    if (row.note.starts_with("bimodal")) set("bimodal", 1);
    if (!row.note.empty()) state.SetLabel(row.note);
    if (job_.mode == channel_mode::throughput) {
      set("batch", job_.batch);
      return;
    }
    constexpr std::array<const char*, 4> names{"p50_ns", "p95_ns", "p99_ns", "p999_ns"};
    for (std::size_t i = 0; i < names.size(); ++i)
      if (row.p50_p95_p99_p999[i]) set(names[i], *row.p50_p95_p99_p999[i]);
    set("min_ns", row.min);
    set("max_ns", row.max);
    set("avg_ns", row.average);
    if (!r.loan.empty()) {
      set("loan_ns", median_of(r.loan));
      set("fill_ns", median_of(r.fill));
    }
    if (!r.far.visible.empty()) {
      set("visible_ns", median_of(r.far.visible));
      set("consume_ns", median_of(r.far.consume));
    }
    if (job_.mode == channel_mode::latency) {
      set("offered_per_s", static_cast<double>(job_.rate));
      set("release_lag_p50_ns", static_cast<double>(r.release_lag.at(measure::p50).value.count()));
      set("release_lag_p99_ns", static_cast<double>(r.release_lag.at(measure::p99).value.count()));
    }
  }

  const session* session_;
  channel_entry entry_;
  channel_setting setting_;
  channel_job job_;
};

/// Where the two ends run.
/// Errors: channels.one_core.
inline void place(channel_setting& setting, channel_job& job) {
  const auto [first, last] = two_cores();
  if (setting.placement.empty()) setting.placement = first == last ? "free" : "apart";
  if (setting.placement == "free") return;
  if (setting.placement == "apart" && first == last)
    weir::detail::raise("channels.one_core", "--weir_param=placement",
                        "apart: this process may use one core: give same or free");
  job.lead_core = first;
  job.peer_core = setting.placement == "same" ? first : last;
  job.options.one_core = job.lead_core == job.peer_core;
}

[[nodiscard]] inline channel_job job_of(const channel_entry& entry, channel_setting& setting, channel_mode mode,
                                        std::uint64_t size) {
  channel_job job{.mode = mode, .size = size, .options = {}};
  job.options.depth = setting.depth;
  job.options.full = setting.full;
  job.options.wait = setting.wait.value_or(entry.wait);
  job.options.port = setting.port;
  constexpr std::uint64_t bytes_per_s = 2'000'000'000;
  job.rate = setting.rate != 0 ? setting.rate
                               : std::min<std::uint64_t>(10'000, bytes_per_s / std::max<std::uint64_t>(1, size));
  job.batch = setting.batch != 0 ? setting.batch : size < 65536 ? 16 : 1;
  place(setting, job);
  return job;
}

/// The largest message of what was chosen, with its header.
[[nodiscard]] inline std::size_t largest_of(const channel_choice& chosen) {
  std::uint64_t largest = 0;
  for (const channel_mode mode : chosen.modes)
    for (const std::uint64_t size : mode == channel_mode::dora ? std::vector{dora_sizes.back()} : chosen.sizes)
      largest = std::max(largest, size);
  return sizeof(channel_header) + largest;
}

/// A job's own memory: payload and room of both ends, each in both directions. Taken, but not touched.
/// Errors: channels.no_memory.
inline void try_out_buffers(std::size_t largest) {
  const auto cannot = weir::detail::failure_of([&] {
    std::vector<std::byte> all;
    all.reserve(8 * largest);
    benchmark::DoNotOptimize(all.data());
  });
  if (cannot)
    weir::detail::raise("channels.no_memory", "--weir_param=size",
                        std::to_string(largest) + " bytes, eight times: give a smaller size");
}

/// Registers what was chosen of the channels that this binary knows.
/// Errors: channels.bad_param, channels.unknown_channel, channels.ends_not_possible, channels.one_core,
/// channels.no_memory, channels.other_columns; channels.not_possible when one that was named cannot be made here, or
/// none can. One that was not named is then left out, and said so.
inline void add_channels(session& s) {
  const channel_choice chosen = channel_parameters::read(s.chosen().params);
  if (s.chosen().any && !s.chosen().child && !s.chosen().compares()) channel_log::instance().gather();
  if (chosen.modes == std::vector{channel_mode::dora} && s.chosen().budget.profile == "quick")
    s.set_budget({.profile = "dora", .forks = 1, .warmup = 0, .iterations = 1, .iteration_seconds = 28});
  // The largest of all is tried out once, before anything is measured.
  const std::size_t largest = s.chosen().child ? sizeof(channel_header) : largest_of(chosen);
  try_out_buffers(largest);
  if (!s.chosen().child && !s.chosen().out.empty()) check_csv(s.chosen().out / "channels.csv", channel_csv_header);
  std::string all;
  for (const channel_entry& e : channel_entries()) all.append(all.empty() ? "" : ", ").append(e.name);
  for (const std::string& name : chosen.channels.value_or(std::vector<std::string>{}))
    if (std::none_of(channel_entries().begin(), channel_entries().end(), [&](const auto& e) { return e.name == name; }))
      weir::detail::raise("channels.unknown_channel", "--weir_param=channel", "\"" + name + "\": give one of " + all);
  bool any = false;
  std::string why;
  for (const channel_entry& entry : channel_entries()) {
    const bool named = chosen.channels && std::find(chosen.channels->begin(), chosen.channels->end(), entry.name) !=
                                              chosen.channels->end();
    if (chosen.channels && !named) continue;
    for (channel_setting setting : chosen.settings) {
      if (setting.processes && !entry.between_processes) {
        if (named)
          weir::detail::raise("channels.ends_not_possible", "--weir_param=ends",
                              "processes: " + entry.name + " is between threads alone");
        continue;
      }
      const auto cannot = weir::detail::failure_of([&] {
        entry.try_out({.depth = setting.depth, .largest = largest, .full = setting.full, .port = setting.port});
      });
      if (cannot && (named || setting.port != 0))
        weir::detail::raise("channels.not_possible", "--weir_param=channel", entry.name + ": " + *cannot);
      if (cannot) {
        std::fprintf(stderr, "left out: channels/%s: %s\n", entry.name.c_str(), cannot->c_str());
        why = *cannot;
        continue;
      }
      any = true;
      for (const channel_mode mode : chosen.modes) {
        for (const std::uint64_t size : mode == channel_mode::dora ? std::vector<std::uint64_t>{0} : chosen.sizes) {
          const channel_job job = job_of(entry, setting, mode, size);
          std::string name =
              "channels/" + entry.name + "/" + std::string(channel_mode_names[static_cast<std::size_t>(mode)]);
          if (mode != channel_mode::dora) name += "/" + std::to_string(size);
          const auto body = std::make_shared<channel_benchmark>(s, entry, setting, job);
          auto* const made = benchmark::RegisterBenchmark((name + setting.suffix).c_str(),
                                                          [body](benchmark::State& state) { (*body)(state); });
          if (mode == channel_mode::dora) made->Iterations(1);  // whatever its CPU time
        }
      }
    }
  }
  if (!any && !why.empty()) weir::detail::raise("channels.not_possible", "--weir_param", "any channel: " + why);
}

inline bool add_entry(channel_entry entry) {
  if (channel_entries().empty()) {
    registrars().emplace_back(add_channels);
    other_mains().emplace_back([](std::span<const std::string> arguments) { return run_peer(arguments); });
    last_words().emplace_back([] { return channel_log::instance().table(); });
    for (const char* name : channel_parameters::names) suite_parameters().insert(name);
  }
  channel_entries().push_back(std::move(entry));
  return true;
}

}  // namespace detail

/// A channel of the user's, made by C(options): channels/<name>/... One whose ends can be in two processes is also
/// measured so.
template <channel::message_channel C>
bool register_channel(std::string name) {
  detail::channel_entry entry{
      .name = name,
      .wait = channel::zero_copy_channel<C> ? channel::wait_strategy::spin_then_park : channel::wait_strategy::block,
      .try_out =
          [](channel::options o) {  // the two of a job
            C first(o);
            if (o.port != 0) ++o.port;
            C second(o);
          },
      .between_threads = [](const channel_job& job,
                            const channel_watch& watch) { return detail::between_threads<C>(job, watch); },
      .between_processes = {}};
  if constexpr (channel::shareable_channel<C>) {
    detail::peer_runners()[name] = detail::run_as_peer<C>;
    entry.between_processes = [name](const channel_job& job, const channel_watch& watch) {
      return detail::between_processes<C>(name, job, watch);
    };
  }
  return detail::add_entry(std::move(entry));
}

/// weir's own channels.
inline bool register_channels() {
  register_channel<channel::in_process_ring>("ring");
  register_channel<channel::shared_memory_ring>("shm");
  register_channel<channel::locked_queue>("locked");
  register_channel<channel::unix_socket>("unix");
  register_channel<channel::tcp_socket>("tcp");
  return register_channel<channel::pipe_channel>("pipe");
}

}  // namespace weir::inline WEIR_ABI::gbench
