#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Samples and environments as strict JSON and back, exactly: durations are whole ns, histograms sparse,
// and reading lists every problem of a document at once. Temperature: cold.
//
//   const nlohmann::ordered_json j = sample;
//   const std::string text = record::json_text(j);
//   const auto again = record::parse_json(text).get<record::sample>();  // or weir::error with JSON pointers

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
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
#include <weir/record/environment.hpp>
#include <weir/record/sample.hpp>

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
}

template <class Visit, maybe_const<trend_point> T>
void fields(T& p, Visit visit) {
  visit("intended_ns", p.intended);
  visit("latency_ns", p.latency);
  visit("rows", p.rows);
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
  visit("residence", s.residence);
  visit("release_lag", s.release_lag);
  visit("negative_latencies", s.negative_latencies);
  visit("trend", s.trend);
  visit("seen", s.seen);
  visit("expected", s.expected);
  visit("checksum", s.checksum);
  visit("expected_checksum", s.expected_checksum);
  visit("corrupt_payloads", s.corrupt_payloads);
  visit("stages", s.stages);
  visit("source_blocked_ns", s.source_blocked);
  visit("sut_cpu_ns", s.sut_cpu);
  visit("sut_cpu_includes_generator", s.sut_cpu_includes_generator);
  visit("features", s.features);
  visit("clock", s.clock);
  visit("waiting", s.waiting);
  visit("placement", s.placement);
  visit("notes", s.notes);
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
  if constexpr (std::integral<T> || std::same_as<T, std::string>) {
    return value;
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

/// Errors: weir::error that names the byte at which the text stops being JSON.
[[nodiscard]] inline nlohmann::ordered_json parse_json(std::string_view text) {
  try {
    return nlohmann::ordered_json::parse(text);
  } catch (const nlohmann::ordered_json::parse_error& e) {
    weir::detail::raise("record.json_malformed", "byte " + std::to_string(e.byte), e.what());
  }
}

inline void to_json(nlohmann::ordered_json& out, const sample& s) { out = detail::written(s); }

/// Errors: weir::error with the JSON pointer of every missing, unknown or wrong field; `s` is then untouched.
inline void from_json(const nlohmann::ordered_json& in, sample& s) { s = detail::read_whole<sample>(in); }

/// Each fact is its value, or {"missing": reason}.
inline void to_json(nlohmann::ordered_json& out, const environment& e) {
  out = nlohmann::ordered_json::object();
  for (const fact& f : e.facts) {
    out[f.name] = f.value ? nlohmann::ordered_json(*f.value) : nlohmann::ordered_json{{"missing", f.reason}};
  }
}

inline void from_json(const nlohmann::ordered_json& in, environment& e) { e = detail::read_whole<environment>(in); }

}  // namespace weir::inline WEIR_ABI::record
