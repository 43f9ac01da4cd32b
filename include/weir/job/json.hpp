#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The job file: written by a launcher, edited by people, read by the engine. Every problem of a file is
// reported at once, each with its JSON pointer. Temperature: cold.
//
//   job::spec s = job::read(text, engine.offer());

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <weir/base/config.hpp>
#include <weir/job/problem.hpp>
#include <weir/job/spec.hpp>
#include <weir/measure/trace.hpp>

namespace weir::inline WEIR_ABI::job {

[[nodiscard]] inline std::string to_text(const spec& job) {
  nlohmann::ordered_json file;
  file["job"] = {{"run_id", job.run_id}, {"scenario", job.scenario}, {"parallelism", job.parallelism}};
  file["source"] = {{"rows", job.rows},
                    {"rate_per_second", job.rate_per_second},
                    {"payload_size", job.payload_size},
                    {"arrival", job.arrival},
                    {"seed", job.seed}};
  if (job.transform) file["transform"] = {{"operations", job.transform->operations}};
  if (job.async_boundary) file["async_boundary"] = {{"capacity", job.async_boundary->capacity}};
  if (job.observability) file["observability"] = {{"sample_interval_ms", job.observability->sample_interval_ms}};
  if (job.trace) file["trace"] = {{"one_in", job.trace->one_in}, {"per_second", job.trace->per_second}};
  return file.dump(2) + "\n";
}

namespace detail {

/// Reads the fields of one object, remembering which it was asked for, so that the others are unknown.
class object_reader {
 public:
  object_reader(const nlohmann::json& object, nlohmann::json::json_pointer pointer, problems& found)
      : object_(object), pointer_(std::move(pointer)), found_(found) {}

  void read(std::string_view name, std::int64_t& to, bool required = false) {
    const nlohmann::json* value = find(name, required);
    if (value == nullptr) return;
    const bool fits = value->is_number_unsigned()
                          ? value->get<std::uint64_t>() <= std::numeric_limits<std::int64_t>::max()
                          : value->is_number_integer();
    if (fits)
      to = value->get<std::int64_t>();
    else
      wrong(name, *value, "a whole number of 64 bits");
  }

  void read(std::string_view name, std::string& to, bool required = false) {
    const nlohmann::json* value = find(name, required);
    if (value == nullptr) return;
    if (value->is_string())
      to = value->get<std::string>();
    else
      wrong(name, *value, "a string");
  }

  /// Calls fields(reader) on the object of that name, if there is one.
  bool object(std::string_view name, bool required, const std::function<void(object_reader&)>& fields) {
    const nlohmann::json* value = find(name, required);
    if (value == nullptr) return false;
    if (!value->is_object()) {
      wrong(name, *value, "an object");
      return false;
    }
    object_reader inner(*value, pointer_ / std::string(name), found_);
    fields(inner);
    inner.refuse_others();
    return true;
  }

  void refuse_others() {
    for (const auto& [name, value] : object_.items())
      if (std::find(known_.begin(), known_.end(), name) == known_.end())
        found_.add("job.unknown_field", where(name), "not known here: remove it, or check the spelling");
  }

 private:
  [[nodiscard]] std::string where(std::string_view name) const { return (pointer_ / std::string(name)).to_string(); }

  const nlohmann::json* find(std::string_view name, bool required) {
    known_.emplace_back(name);
    const auto at = object_.find(std::string(name));
    if (at != object_.end()) return &*at;
    if (required) found_.add("job.missing_field", where(name), "missing: add it");
    return nullptr;
  }

  void wrong(std::string_view name, const nlohmann::json& value, std::string_view wanted) {
    std::string shown = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    if (shown.size() > 40) shown = shown.substr(0, 37) + "...";
    found_.add("job.wrong_type", where(name), shown + ": give " + std::string(wanted));
  }

  const nlohmann::json& object_;
  nlohmann::json::json_pointer pointer_;
  problems& found_;
  std::vector<std::string> known_;
};

/// Adds a problem for each field that is there twice: JSON allows it, and the last one would win unseen.
/// Errors: job.malformed.
[[nodiscard]] inline nlohmann::json parse(std::string_view text, problems& found) {
  using event = nlohmann::json::parse_event_t;
  struct level {
    nlohmann::json::json_pointer at;
    std::set<std::string> names{};
  };
  std::vector<level> open;
  nlohmann::json::json_pointer at;
  const auto watch = [&](int, event what, nlohmann::json& name) {
    if (what == event::object_start) open.push_back({at});
    if (what == event::object_end) open.pop_back();
    if (what == event::key) {
      at = open.back().at / name.get<std::string>();
      if (!open.back().names.insert(name.get<std::string>()).second)
        found.add("job.duplicate_field", at.to_string(), "there twice: keep one");
    }
    return true;
  };
  try {
    return nlohmann::json::parse(text, watch);
  } catch (const nlohmann::json::parse_error& e) {
    weir::detail::raise("job.malformed", "job.json",
                        "no JSON at byte " + std::to_string(e.byte) + ": correct the file");
  } catch (const nlohmann::json::out_of_range&) {
    weir::detail::raise("job.malformed", "job.json", "a number beyond 1.8e308: correct the file");
  }
}

}  // namespace detail

/// Reads a job file and checks it against what the engine offers.
/// Errors: job.malformed (no JSON), job.refused (all other problems, at once).
[[nodiscard]] inline spec read(std::string_view text, const offer& engine) {
  problems found;
  const nlohmann::json file = detail::parse(text, found);
  spec job;
  if (!file.is_object()) {
    found.add("job.wrong_type", "/", "the file must hold one object");
    found.raise_if_any("job.json");
  }
  detail::object_reader top(file, nlohmann::json::json_pointer(), found);
  using reader = detail::object_reader;
  top.object("job", true, [&](reader& r) {
    r.read("run_id", job.run_id, true);
    r.read("scenario", job.scenario, true);
    r.read("parallelism", job.parallelism);
  });
  top.object("source", true, [&](reader& r) {
    r.read("rows", job.rows, true);
    r.read("rate_per_second", job.rate_per_second, true);
    r.read("payload_size", job.payload_size);
    r.read("arrival", job.arrival);
    r.read("seed", job.seed);
  });
  top.object("transform", false, [&](reader& r) { r.read("operations", job.transform.emplace().operations); });
  top.object("async_boundary", false, [&](reader& r) { r.read("capacity", job.async_boundary.emplace().capacity); });
  top.object("observability", false,
             [&](reader& r) { r.read("sample_interval_ms", job.observability.emplace().sample_interval_ms); });
  top.object("trace", false, [&](reader& r) {
    r.read("one_in", job.trace.emplace().one_in);
    r.read("per_second", job.trace->per_second);
  });
  top.refuse_others();
  check(job, engine, found);
  found.raise_if_any("job.json");
  return job;
}

/// One stained row as a line of JSON: id, sequence, and the ns at which it passed each stage.
[[nodiscard]] inline std::string to_line(const measure::trace& t) {
  static constexpr std::array<const char*, 7> names{
      "", "source_emit", "queue_in", "queue_out", "transform_in", "transform_out", "sink_write_done"};
  nlohmann::ordered_json line{{"trace_id", t.id()}, {"sequence", t.sequence()}};
  nlohmann::ordered_json stamps = nlohmann::ordered_json::array();
  for (const measure::trace_entry& e : t.entries())
    stamps.push_back({{"stage", names[static_cast<std::size_t>(e.stage)]},
                      {"stage_code", static_cast<int>(e.stage)},
                      {"task", e.task},
                      {"at_ns", e.at.count()}});
  line["stamps"] = std::move(stamps);
  line["truncated"] = t.truncated();
  return line.dump() + "\n";
}

}  // namespace weir::inline WEIR_ABI::job
