#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Samples, environments and whole runs as strict JSON and back, exactly: durations are whole ns, histograms
// sparse, and reading lists every problem of a document at once. Also what a fork says on the wire, both sides.
// Temperature: cold.
//
//   const nlohmann::ordered_json j = sample;
//   const std::string text = record::json_text(j);
//   const auto again = record::parse_json(text).get<record::sample>();  // or weir::error with JSON pointers

#include <algorithm>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <weir/base/config.hpp>
#include <weir/base/error.hpp>
#include <weir/base/units.hpp>
#include <weir/measure/exactly_once.hpp>
#include <weir/measure/snapshot.hpp>
#include <weir/record/capacity.hpp>
#include <weir/record/environment.hpp>
#include <weir/record/run_record.hpp>
#include <weir/record/sample.hpp>
#include <weir/record/wire.hpp>

namespace weir::inline WEIR_ABI::record {

namespace detail {

using nlohmann::ordered_json;

// Each struct's fields are listed once, for both directions.

template <class T, class Struct>
concept maybe_const = std::same_as<std::remove_const_t<T>, Struct>;

template <class Visit, maybe_const<rate> T>
void fields(T& r, Visit visit) {
  visit("events", r.events);
  visit("per_ns", r.per);
}

template <class Visit, maybe_const<measure::exactly_once::digest> T>
void fields(T& d, Visit visit) {
  visit("count", d.count);
  visit("sum", d.sum);
  visit("xored", d.xored);
}

/// What measure::snapshot is made of.
struct snapshot_parts {
  int digits = 0;
  nanoseconds min{};
  nanoseconds max{};
  nanoseconds sum{};
  std::vector<measure::bucket> buckets;
};

template <class Visit, maybe_const<snapshot_parts> T>
void fields(T& h, Visit visit) {
  visit("digits", h.digits);
  visit("min_ns", h.min);
  visit("max_ns", h.max);
  visit("sum_ns", h.sum);
  visit("buckets", h.buckets);
}

template <class Visit, maybe_const<stage_usage> T>
void fields(T& s, Visit visit) {
  visit("name", s.name);
  visit("tasks", s.tasks);
  visit("rows", s.rows);
  visit("busy_ns", s.busy);
  visit("idle_ns", s.idle);
  visit("back_pressured_ns", s.back_pressured);
  visit("wall_ns", s.wall);
  visit("cpu_ns", s.cpu);
  visit("timed_work_ns", s.timed_work);
}

template <class Visit, maybe_const<trend_point> T>
void fields(T& p, Visit visit) {
  visit("intended_ns", p.intended);
  visit("latency_ns", p.latency);
  visit("rows", p.rows);
}

template <class Visit, maybe_const<usage_point> T>
void fields(T& p, Visit visit) {
  visit("at_ns", p.at);
  visit("busy_ratio", p.busy_ratio);
  visit("queue_fill", p.queue_fill);
}

template <class Visit, maybe_const<measure::percentile> T>
void fields(T& p, Visit visit) {
  visit("numerator", p.numerator);
  visit("denominator", p.denominator);
}

template <class Visit, maybe_const<percentile_slices> T>
void fields(T& s, Visit visit) {
  visit("percentile", s.p);
  visit("half", s.half);
  visit("rows", s.rows);
  visit("below", s.below);
  visit("within", s.within);
}

template <class Visit, maybe_const<feature> T>
void fields(T& f, Visit visit) {
  visit("name", f.name);
  visit("fired", f.fired);
}

template <class Visit, maybe_const<request> T>
void fields(T& r, Visit visit) {
  visit("offered", r.offered);
  visit("rows", r.rows);
  visit("parallelism", r.parallelism);
  visit("payload_size", r.payload_size);
  visit("transform_operations", r.transform_operations);
  visit("arrival", r.arrival);
}

template <class Visit, maybe_const<sample> T>
void fields(T& s, Visit visit) {
  visit("run_id", s.run_id);
  visit("scenario", s.scenario);
  visit("asked", s.asked);
  visit("failure", s.failure);
  visit("processed_rows", s.processed_rows);
  visit("job_time_ns", s.job_time);
  visit("schedule_time_ns", s.schedule_time);
  visit("first_receipt_ns", s.first_receipt);
  visit("last_receipt_ns", s.last_receipt);
  visit("latency_first_half", s.latency_first_half);
  visit("latency_second_half", s.latency_second_half);
  visit("slices", s.slices);
  visit("residence", s.residence);
  visit("release_lag", s.release_lag);
  visit("negative_latencies", s.negative_latencies);
  visit("trend", s.trend);
  visit("longest_stall_ns", s.longest_stall);
  visit("seen", s.seen);
  visit("expected", s.expected);
  visit("checksum", s.checksum);
  visit("expected_checksum", s.expected_checksum);
  visit("checksum_by_row", s.checksum_by_row);
  visit("expected_checksum_by_row", s.expected_checksum_by_row);
  visit("corrupt_payloads", s.corrupt_payloads);
  visit("reordered_rows", s.reordered_rows);
  visit("stages", s.stages);
  visit("timeline", s.timeline);
  visit("source_blocked_ns", s.source_blocked);
  visit("sut_cpu_ns", s.sut_cpu);
  visit("sut_cpu_includes_generator", s.sut_cpu_includes_generator);
  visit("features", s.features);
  visit("clock", s.clock);
  visit("waiting", s.waiting);
  visit("placement", s.placement);
  visit("notes", s.notes);
}

template <class Visit, maybe_const<counter> T>
void fields(T& c, Visit visit) {
  visit("name", c.name);
  visit("value", c.value);
}

template <class Visit, maybe_const<iteration> T>
void fields(T& i, Visit visit) {
  visit("operations", i.operations);
  visit("real_ns", i.real_ns);
  visit("cpu_ns", i.cpu_ns);
  visit("counters", i.counters);
}

template <class Visit, maybe_const<invocation> T>
void fields(T& i, Visit visit) {
  visit("iteration", i.iteration);
  visit("sample", i.sample);
}

template <class Visit, maybe_const<fork_failure> T>
void fields(T& f, Visit visit) {
  visit("kind", f.kind);
  visit("code", f.code);
  visit("text", f.text);
  visit("last_lines", f.last_lines);
}

template <class Visit, maybe_const<fork> T>
void fields(T& f, Visit visit) {
  visit("block", f.block);
  visit("place", f.place);
  visit("host", f.host);
  visit("build", f.build);
  visit("layout_seed", f.layout_seed);
  visit("started_ns", f.started);
  visit("took_ns", f.took);
  visit("notes", f.notes);
  visit("failure", f.failure);
  visit("warmup", f.warmup);
  visit("iterations", f.iterations);
  visit("invocations", f.invocations);
}

template <class Visit, maybe_const<benchmark> T>
void fields(T& b, Visit visit) {
  visit("name", b.name);
  visit("variant", b.variant);
  visit("forks", b.forks);
}

template <class Visit, maybe_const<parameter> T>
void fields(T& p, Visit visit) {
  visit("name", p.name);
  visit("values", p.values);
}

template <class Visit, maybe_const<budget> T>
void fields(T& b, Visit visit) {
  visit("profile", b.profile);
  visit("forks", b.forks);
  visit("warmup", b.warmup);
  visit("iterations", b.iterations);
  visit("iteration_seconds", b.iteration_seconds);
}

template <class Visit, maybe_const<capacity_trial> T>
void fields(T& t, Visit visit) {
  visit("offered_per_s", t.offered_per_s);
  visit("rows", t.rows);
  visit("outcome", t.outcome);
  visit("reasons", t.reasons);
}

template <class Visit, maybe_const<percentile_figure> T>
void fields(T& p, Visit visit) {
  visit("value_ns", p.value);
  visit("low_ns", p.low);
  visit("high_ns", p.high);
  visit("open", p.open);
}

template <class Visit, maybe_const<load_point> T>
void fields(T& p, Visit visit) {
  visit("percent", p.percent);
  visit("offered_per_s", p.offered_per_s);
  visit("achieved_per_s", p.achieved_per_s);
  visit("rows", p.rows);
  visit("verdict", p.verdict);
  visit("reasons", p.reasons);
  visit("p50", p.p50);
  visit("p99", p.p99);
  visit("p999", p.p999);
}

template <class Visit, maybe_const<capacity_result> T>
void fields(T& c, Visit visit) {
  visit("benchmark", c.benchmark);
  visit("sustained_per_s", c.sustained_per_s);
  visit("failed_per_s", c.failed_per_s);
  visit("ended_by", c.ended_by);
  visit("limiting_stage", c.limiting_stage);
  visit("predicted_per_s", c.predicted_per_s);
  visit("took_ns", c.took);
  visit("trials", c.trials);
  visit("curve", c.curve);
}

template <class Visit, maybe_const<run_record> T>
void fields(T& r, Visit visit) {
  visit("program", r.program);
  visit("started", r.started);
  visit("seed", r.seed);
  visit("budget", r.budget);
  visit("threshold", r.threshold);
  visit("parameters", r.parameters);
  visit("ended_by", r.ended_by);
  visit("took_ns", r.took);
  visit("environments", r.environments);
  visit("base_environment", r.base_environment);
  visit("benchmarks", r.benchmarks);
  visit("capacities", r.capacities);
}

/// What a fork is about to measure: the first thing it says.
struct hello {
  std::string benchmark;
  std::uint64_t layout_seed = 0;
};

template <class Visit, maybe_const<hello> T>
void fields(T& h, Visit visit) {
  visit("benchmark", h.benchmark);
  visit("layout_seed", h.layout_seed);
}

/// How much it has said: the last thing.
struct totals {
  std::uint64_t iterations = 0;
  std::uint64_t invocations = 0;

  friend bool operator==(const totals&, const totals&) = default;
};

template <class Visit, maybe_const<totals> T>
void fields(T& t, Visit visit) {
  visit("iterations", t.iterations);
  visit("invocations", t.invocations);
}

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class T>
[[nodiscard]] ordered_json written(const T& value) {
  if constexpr (std::integral<T> || std::same_as<T, double> || std::same_as<T, std::string>) {
    return value;
  } else if constexpr (std::same_as<T, environment>) {
    auto out = ordered_json::object();
    for (const fact& f : value.facts)
      out[f.name] = f.value ? ordered_json(*f.value) : ordered_json{{"missing", f.reason}};
    return out;
  } else if constexpr (std::same_as<T, nanoseconds>) {
    return value.count();
  } else if constexpr (is_optional<T>) {
    return value ? written(*value) : ordered_json();
  } else if constexpr (is_vector<T>) {
    auto out = ordered_json::array();
    for (const auto& element : value) out.push_back(written(element));
    return out;
  } else if constexpr (std::same_as<T, measure::bucket>) {
    return ordered_json::array({value.index, value.count});
  } else if constexpr (std::same_as<T, measure::snapshot>) {
    return written(snapshot_parts{value.digits(), value.min(), value.max(), value.sum(), value.buckets()});
  } else {
    auto out = ordered_json::object();
    fields(value, [&out](const char* name, const auto& field) { out[name] = written(field); });
    return out;
  }
}

/// Reads a document into structs and keeps what is wrong with it, with the place of each fault.
class json_reader {
 public:
  using pointer = ordered_json::json_pointer;

  template <class T>
  void read(const ordered_json& node, const pointer& at, T& out) {
    if constexpr (std::same_as<T, bool>) {
      node.is_boolean() ? void(out = node.get<bool>()) : fault(at, shown(node) + ": must be true or false");
    } else if constexpr (std::integral<T>) {
      whole_number(node, at, out);
    } else if constexpr (std::same_as<T, double>) {
      node.is_number() ? void(out = node.get<double>()) : fault(at, shown(node) + ": must be a finite number");
    } else if constexpr (std::same_as<T, std::string>) {
      node.is_string() ? void(out = node.get<std::string>()) : fault(at, shown(node) + ": must be a string");
    } else if constexpr (std::same_as<T, nanoseconds>) {
      std::int64_t count = 0;
      whole_number(node, at, count);
      out = nanoseconds(count);
    } else if constexpr (is_optional<T>) {
      if (node.is_null())
        out.reset();
      else
        read(node, at, out.emplace());
    } else if constexpr (is_vector<T>) {
      if (!node.is_array()) return fault(at, shown(node) + ": must be an array");
      out.clear();
      out.reserve(node.size());
      for (const auto& element : node) {
        const pointer place = at / out.size();
        read(element, place, out.emplace_back());
      }
    } else if constexpr (std::same_as<T, measure::bucket>) {
      if (!node.is_array() || node.size() != 2) return fault(at, "must be [index, count]");
      read(node[0], at / 0, out.index);
      read(node[1], at / 1, out.count);
    } else if constexpr (std::same_as<T, measure::snapshot>) {
      histogram(node, at, out);
    } else if constexpr (std::same_as<T, environment>) {
      facts(node, at, out);
    } else {
      object(node, at, out);
    }
  }

  /// Errors: weir::error that names every fault, its `where` the first one's place.
  void raise_faults() const {
    if (faults_.empty()) return;
    std::string text = faults_.front().text;
    for (std::size_t i = 1; i < faults_.size(); ++i) text += "; " + faults_[i].where + ": " + faults_[i].text;
    weir::detail::raise("record.json_malformed", faults_.front().where, text);
  }

 private:
  struct place_and_text {
    std::string where;
    std::string text;
  };

  void fault(const pointer& at, std::string text) {
    faults_.push_back({at.empty() ? "document" : at.to_string(), std::move(text)});
  }

  [[nodiscard]] static std::string shown(const ordered_json& node) {
    return node.is_structured() ? node.type_name() : node.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  }

  template <class T>
  void whole_number(const ordered_json& node, const pointer& at, T& out) {
    if (node.is_number_unsigned() && std::in_range<T>(node.get<std::uint64_t>())) {
      out = static_cast<T>(node.get<std::uint64_t>());
    } else if (node.is_number_integer() && !node.is_number_unsigned() && std::in_range<T>(node.get<std::int64_t>())) {
      out = static_cast<T>(node.get<std::int64_t>());
    } else {
      fault(at, shown(node) + ": must be a whole number from " + std::to_string(std::numeric_limits<T>::min()) +
                    " to " + std::to_string(std::numeric_limits<T>::max()));
    }
  }

  template <class T>
  void object(const ordered_json& node, const pointer& at, T& out) {
    if (!node.is_object()) return fault(at, shown(node) + ": must be an object");
    std::vector<std::string_view> known;
    fields(out, [&](const char* name, auto& field) {
      known.push_back(name);
      const auto found = node.find(name);
      found == node.end() ? fault(at / name, "missing") : read(*found, at / name, field);
    });
    for (const auto& [name, value] : node.items()) {
      if (std::ranges::find(known, name) == known.end()) fault(at / name, "unknown field");
    }
    if constexpr (std::same_as<T, rate>) {
      if (out.per.count() <= 0) fault(at / "per_ns", std::to_string(out.per.count()) + ": must be above 0");
    }
    if constexpr (std::same_as<T, benchmark>) {  // it names a folder
      if (!out.variant.empty() && out.variant != "base" && out.variant != "candidate")
        fault(at / "variant", '"' + out.variant + "\": must be empty, base or candidate");
    }
  }

  void histogram(const ordered_json& node, const pointer& at, measure::snapshot& out) {
    const std::size_t before = faults_.size();
    snapshot_parts parts;
    object(node, at, parts);
    if (faults_.size() != before) return;
    try {
      out = measure::snapshot(parts.digits, std::move(parts.buckets), parts.min, parts.max, parts.sum);
    } catch (const error& e) {
      fault(at, e.what());
    }
  }

  void facts(const ordered_json& node, const pointer& at, environment& out) {
    if (!node.is_object()) return fault(at, shown(node) + ": must be an object");
    for (const auto& [name, value] : node.items()) {
      fact& read_fact = out.facts.emplace_back(fact{.name = name, .value = {}, .reason = {}});
      if (value.is_string()) {
        read_fact.value = value.template get<std::string>();
      } else if (value.is_object() && value.size() == 1 && value.contains("missing") && value["missing"].is_string()) {
        read_fact.reason = value["missing"].template get<std::string>();
      } else {
        fault(at / name, "must be a string or {\"missing\": reason}");
      }
    }
  }

  std::vector<place_and_text> faults_;
};

template <class T>
[[nodiscard]] T read_whole(const ordered_json& document) {
  T out;
  json_reader reader;
  reader.read(document, json_reader::pointer(), out);
  reader.raise_faults();
  return out;
}

}  // namespace detail

/// Text with two spaces of indent and a closing newline. Always valid: NaN and infinities become null,
/// bytes that are not UTF-8 (a task's exception may hold any) the replacement character.
[[nodiscard]] inline std::string json_text(const nlohmann::ordered_json& document) {
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

/// Errors: weir::error that names the byte at which the text stops being JSON, or the number that no double holds.
[[nodiscard]] inline nlohmann::ordered_json parse_json(std::string_view text) {
  try {
    return nlohmann::ordered_json::parse(text);
  } catch (const nlohmann::ordered_json::parse_error& e) {
    weir::detail::raise("record.json_malformed", "byte " + std::to_string(e.byte), e.what());
  } catch (const nlohmann::ordered_json::out_of_range& e) {
    weir::detail::raise("record.json_malformed", "document", e.what());
  }
}

inline void to_json(nlohmann::ordered_json& out, const sample& s) { out = detail::written(s); }

/// Errors: weir::error with the JSON pointer of every missing, unknown or wrong field; `s` is then untouched.
inline void from_json(const nlohmann::ordered_json& in, sample& s) { s = detail::read_whole<sample>(in); }

/// Each fact is its value, or {"missing": reason}.
inline void to_json(nlohmann::ordered_json& out, const environment& e) { out = detail::written(e); }

inline void from_json(const nlohmann::ordered_json& in, environment& e) { e = detail::read_whole<environment>(in); }

/// A figure that is not finite becomes null in text, which is refused when read: leave it out of the record.
inline void to_json(nlohmann::ordered_json& out, const run_record& r) { out = detail::written(r); }

/// Errors: as for a sample.
inline void from_json(const nlohmann::ordered_json& in, run_record& r) { r = detail::read_whole<run_record>(in); }

/// A fork's side of the wire. Each call: false when nobody listens any more, and the fork may end itself.
///
///   record::fork_voice voice(run::wire_fd);
///   voice.hello("rows/row/copyPlainRow", seed);
///   voice.iteration({.operations = n, .real_ns = t, .cpu_ns = c, .counters = {}});
///   voice.done();
///
/// Cost: about 10 us an iteration, 10 ms a sample with four wide histograms: between measurements, never in one.
class fork_voice {
 public:
  explicit fork_voice(int fd) noexcept : out_(fd) {}

  bool hello(std::string benchmark, std::uint64_t layout_seed) {
    return say(wire_kind::hello, detail::hello{.benchmark = std::move(benchmark), .layout_seed = layout_seed});
  }
  bool iteration(const record::iteration& i) {
    ++said_.iterations;
    return say(wire_kind::iteration, i);
  }
  bool invocation(const record::invocation& i) {
    ++said_.invocations;
    return say(wire_kind::invocation, i);
  }
  /// The benchmark reported an error, or threw. What it measured until then may still be said.
  bool failure(const std::string& text) { return say(wire_kind::failure, text); }
  bool done() { return say(wire_kind::done, said_); }
  /// Only when it was asked what it is.
  bool facts(const environment& e) { return say(wire_kind::facts, e); }

 private:
  template <class T>
  bool say(wire_kind kind, const T& what) {
    return out_.send(kind, detail::written(what).dump(-1, ' ', false, detail::ordered_json::error_handler_t::replace));
  }

  wire_writer out_;
  detail::totals said_;
};

/// The benchmarks that a binary says it has, when it was asked to list them instead of running one: each a hello.
/// Errors: as for a sample.
[[nodiscard]] inline std::vector<std::string> names_heard(std::span<const wire_message> messages) {
  std::vector<std::string> names;
  for (const wire_message& m : messages)
    if (m.kind == wire_kind::hello) names.push_back(detail::read_whole<detail::hello>(parse_json(m.payload)).benchmark);
  return names;
}

/// How a binary that lists its benchmarks was built; no facts when it does not say.
/// Errors: as for a sample.
[[nodiscard]] inline environment facts_heard(std::span<const wire_message> messages) {
  for (const wire_message& m : messages)
    if (m.kind == wire_kind::facts) return detail::read_whole<environment>(parse_json(m.payload));
  return {};
}

/// What a fork has said, as its record: iterations, invocations and, when it failed or what it said is not
/// whole, a failure of kind "benchmark" or "protocol". What came before a fault is kept.
/// `benchmark` and `layout_seed` are what it was told to run; `fault` is the wire's, if it broke.
[[nodiscard]] inline fork assemble(std::span<const wire_message> messages, std::optional<wire_fault> fault,
                                   std::string_view benchmark, std::uint64_t layout_seed) {
  fork out;
  out.layout_seed = layout_seed;
  bool greeted = false;
  std::optional<detail::totals> announced;
  const auto require = [](bool held, const std::string& otherwise) {
    if (!held) weir::detail::raise("record.protocol", "wire", otherwise);
  };
  const auto take = [&](const wire_message& m) {
    require(!announced, "the fork went on after its end");
    require(greeted == (m.kind != wire_kind::hello),
            greeted ? "the fork began twice" : "the fork did not say what it runs");
    const auto payload = parse_json(m.payload);
    switch (m.kind) {
      case wire_kind::hello: {
        const auto said = detail::read_whole<detail::hello>(payload);
        require(said.benchmark == benchmark, "the fork ran \"" + said.benchmark + "\"");
        require(said.layout_seed == layout_seed, "the fork's layout seed is " + std::to_string(said.layout_seed));
        greeted = true;
        break;
      }
      case wire_kind::iteration:
        out.iterations.push_back(detail::read_whole<iteration>(payload));
        break;
      case wire_kind::invocation:
        out.invocations.push_back(detail::read_whole<invocation>(payload));
        break;
      case wire_kind::failure:
        out.failure = {
            .kind = "benchmark", .code = 0, .text = detail::read_whole<std::string>(payload), .last_lines = {}};
        break;
      case wire_kind::done:
        announced = detail::read_whole<detail::totals>(payload);
        break;
      case wire_kind::facts:
        require(false, "the fork told how it was built, and was not asked");
        break;
    }
  };
  const auto broken = weir::detail::failure_of([&] {
    std::ranges::for_each(messages, take);
    require(!fault, fault ? text(*fault) : "");
    const detail::totals came{.iterations = out.iterations.size(), .invocations = out.invocations.size()};
    require(announced || out.failure, "the fork ended before it was done");
    require(!announced || announced == came, "the fork announced other counts than came");
  });
  if (broken && !out.failure) out.failure = {.kind = "protocol", .code = 0, .text = *broken, .last_lines = {}};
  return out;
}

}  // namespace weir::inline WEIR_ABI::record
