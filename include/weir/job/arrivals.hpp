#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Arrival laws as a job names them: a name, and what it takes after a colon, joined by plus signs, because a
// comma separates the values of a sweep. Temperature: cold.
//
//   constant                     a row every 1/offered_rate
//   poisson                      exponential gaps of that mean, other ones in each fork
//   poisson:seed=7               the same gaps in every fork: to compare systems on one sequence
//   burst:at_once=16             16 rows together
//   burst:on=10ms+off=90ms       at ten times the rate for 10 ms, then none for 90
//   ramp:from=1000+to=600000     rows/s, over the whole job
//   steps:1000x2s+5000x2s        1,000 rows/s for 2 s, then 5,000 for 2 s
//   trace:FILE, trace:FILE+gaps  a line a row: when it came, or how long after the one before it; in ns
//
//   job::problems found;
//   if (auto make = job::read_arrival("poisson:seed=7", rows, found)) plan.schedule = [=] { return make(offered); };

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include <weir/arrival/any_schedule.hpp>
#include <weir/arrival/burst.hpp>
#include <weir/arrival/poisson.hpp>
#include <weir/arrival/ramp.hpp>
#include <weir/arrival/steps.hpp>
#include <weir/arrival/trace.hpp>
#include <weir/base/config.hpp>
#include <weir/base/units.hpp>
#include <weir/job/problem.hpp>

namespace weir::inline WEIR_ABI::job {

using std::chrono::nanoseconds;

inline constexpr std::array<std::string_view, 6> arrival_laws{"constant", "poisson", "burst", "ramp", "steps", "trace"};

/// Makes a fresh schedule at the offered rate; ramp, steps and trace have rates of their own.
using schedule_maker = std::function<arrival::any_schedule(rate offered)>;

namespace detail {

[[nodiscard]] inline std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (std::size_t end = 0; end != std::string_view::npos; text.remove_prefix(std::min(end + 1, text.size()))) {
    end = text.find(at);
    parts.push_back(text.substr(0, end));
  }
  return parts;
}

[[nodiscard]] inline std::optional<std::uint64_t> whole_number(std::string_view text) noexcept {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stopped != end) return std::nullopt;
  return value;
}

/// "10ms".  At most a day, so that no product of two overflows.
[[nodiscard]] inline std::optional<nanoseconds> time_span(std::string_view text) noexcept {
  constexpr nanoseconds most = std::chrono::hours(24);
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 4> units{
      {{"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}}};
  for (const auto& [unit, ns] : units) {
    if (!text.ends_with(unit)) continue;
    const auto value = whole_number(text.substr(0, text.size() - unit.size()));
    if (!value) continue;  // "10ms" ends with "s" too
    if (*value > static_cast<std::uint64_t>(most.count() / ns)) return std::nullopt;
    return nanoseconds(static_cast<std::int64_t>(*value) * ns);
  }
  return std::nullopt;
}

/// The parts of one arrival, and what is wrong with them.
class arrival_reader {
 public:
  arrival_reader(std::string_view text, std::int64_t rows, problems& found, std::int64_t seed)
      : rows_(rows), seed_(seed), found_(found) {
    const std::size_t colon = text.find(':');
    name_ = text.substr(0, colon);
    if (colon != std::string_view::npos) text_ = text.substr(colon + 1);
  }

  [[nodiscard]] schedule_maker read() {
    if (name_ == "constant") take({});
    if (name_ == "poisson") return poisson();
    if (name_ == "burst") return burst();
    if (name_ == "ramp") return ramp();
    if (name_ == "steps") return steps();
    if (name_ == "trace") return trace();
    return {};
  }

 private:
  static constexpr std::uint64_t fastest = 1'000'000'000;  // rows a second

  void wrong(std::string_view id, std::string text) {
    sound_ = false;
    found_.add(id, "/source/arrival",
               "\"" + std::string(name_) + (text_ ? ":" + std::string(*text_) : "") + "\": " + text);
  }

  /// The values of `key=value+key=value`, in the order of the keys; those not given are none.
  std::vector<std::optional<std::string_view>> take(const std::vector<std::string_view>& keys) {
    std::vector<std::optional<std::string_view>> values(keys.size());
    if (!text_) return values;
    std::string known;
    for (const std::string_view key : keys) known.append(known.empty() ? "give " : ", ").append(key);
    for (const std::string_view part : split(*text_, '+')) {
      const std::string_view key = part.substr(0, part.find('='));
      const auto at = static_cast<std::size_t>(std::find(keys.begin(), keys.end(), key) - keys.begin());
      if (at == keys.size())
        wrong("job.arrival_parameter_unknown",
              "\"" + std::string(key) + "\" is not known here: " + (known.empty() ? "it takes none" : known));
      else if (values[at])
        wrong("job.arrival_parameter_twice", std::string(key) + " is there twice: keep one");
      else
        values[at] = part.substr(std::min(key.size() + 1, part.size()));
    }
    return values;
  }

  std::uint64_t number(std::string_view what, std::string_view text, std::uint64_t least, std::uint64_t most) {
    const auto value = whole_number(text);
    if (value && *value >= least && *value <= most) return *value;
    wrong("job.arrival_number_wrong", std::string(what) + " is \"" + std::string(text) + "\": give a whole number, " +
                                          std::to_string(least) + " to " + std::to_string(most));
    return most;
  }

  nanoseconds time(std::string_view what, std::string_view text) {
    const auto value = time_span(text);
    if (value && value->count() > 0) return *value;
    wrong("job.arrival_time_wrong", std::string(what) + " is \"" + std::string(text) +
                                        "\": give a whole number of ns, us, ms or s, up to a day, as in 10ms");
    return nanoseconds(1);
  }

  schedule_maker poisson() {
    const auto values = take({"seed"});
    const std::uint64_t seed =
        values[0] ? number("seed", *values[0], 0, ~std::uint64_t{0}) : static_cast<std::uint64_t>(seed_);
    return made([seed](rate offered) { return arrival::poisson(offered, seed); });
  }

  schedule_maker burst() {
    const auto values = take({"at_once", "on", "off"});
    const bool cycle = values[1] && values[2];
    if (cycle == values[0].has_value() || cycle != (values[1] || values[2])) {
      wrong("job.arrival_parameter_missing", "give either at_once=ROWS, or on=TIME and off=TIME");
      return {};
    }
    if (!cycle) {
      const std::uint64_t size = number("at_once", *values[0], 1, fastest);
      return made([size](rate offered) { return arrival::groups(offered, size); });
    }
    const arrival::on_off_times times{.on = time("on", *values[1]), .off = time("off", *values[2])};
    return made([times](rate offered) { return arrival::on_off(offered, times); });
  }

  schedule_maker ramp() {
    const auto values = take({"from", "to"});
    if (!values[0] || !values[1]) {
      wrong("job.arrival_parameter_missing", "give from=ROWS and to=ROWS, a second");
      return {};
    }
    const std::uint64_t from = number("from", *values[0], 0, fastest);
    const std::uint64_t to = number("to", *values[1], 0, fastest);
    if (from == 0 && to == 0) wrong("job.arrival_number_wrong", "no row is ever due: give a rate above 0");
    const arrival::ramp_rates rates{.from = from, .to = to, .rows = static_cast<std::uint64_t>(rows_)};
    return made([rates](rate) { return arrival::ramp(rates); });
  }

  schedule_maker steps() {
    std::vector<arrival::step> all;
    if (text_) {
      for (const std::string_view part : split(*text_, '+')) {
        const std::size_t x = std::min(part.find('x'), part.size());
        const std::uint64_t per_second = number("a rate", part.substr(0, x), 0, fastest);
        all.push_back({per_second, time("a time", part.substr(std::min(x + 1, part.size())))});
      }
    } else {
      wrong("job.arrival_parameter_missing", "give rates and times, as in steps:1000x2s+5000x2s");
    }
    if (!sound_) return {};
    const std::uint64_t before = arrival::rows_within(std::span(all).first(all.size() - 1));
    const std::uint64_t held = arrival::rows_within(all);
    check_rows(held);
    if (rows_ > 0 && static_cast<std::uint64_t>(rows_) <= before)
      wrong("job.arrival_step_unreached", std::to_string(rows_) + " rows end before the last step begins: ask for " +
                                              std::to_string(before + 1) + " to " + std::to_string(held) + " rows");
    return made([all](rate) { return arrival::steps(all); });
  }

  schedule_maker trace() {
    std::string path(text_.value_or(""));
    auto kind = arrival::trace_lines::times;
    if (constexpr std::string_view suffix = "+gaps"; path.ends_with(suffix)) {
      kind = arrival::trace_lines::gaps;
      path.resize(path.size() - suffix.size());
    }
    if (path.empty()) {
      wrong("job.arrival_parameter_missing", "give a file, as in trace:rows.txt");
      return {};
    }
    const arrival::trace_summary found = checked(path, kind);
    if (found.fault)
      wrong("job.arrival_" + found.fault->rule, found.fault->text);
    else
      check_rows(found.rows);
    return made([path, kind](rate) { return arrival::trace(path, kind); });
  }

  /// As arrival::check_trace(). A file that was found sound is not read again until it changes: a check is part of
  /// every job.
  static arrival::trace_summary checked(const std::string& path, arrival::trace_lines kind) {
    using stamp = std::tuple<std::string, arrival::trace_lines, std::uintmax_t, std::filesystem::file_time_type>;
    static std::mutex mutex;
    static std::map<stamp, arrival::trace_summary> sound;
    std::error_code failed;
    if (!std::filesystem::is_regular_file(path, failed))
      return {.fault = arrival::trace_fault{"trace_unreadable", "there is no such file, or it is not a plain one"}};
    const stamp now{path, kind, std::filesystem::file_size(path, failed),
                    std::filesystem::last_write_time(path, failed)};
    const std::lock_guard lock(mutex);
    if (const auto known = sound.find(now); known != sound.end()) return known->second;
    arrival::trace_summary found = arrival::check_trace(path, kind);
    if (!found.fault) sound.emplace(now, found);
    return found;
  }

  void check_rows(std::uint64_t held) {
    if (rows_ > 0 && static_cast<std::uint64_t>(rows_) > held)
      wrong("job.arrival_too_short", "it holds " + std::to_string(held) + " rows and the job asks for " +
                                         std::to_string(rows_) + ": ask for fewer rows");
  }

  template <class Make>
  schedule_maker made(Make make) const {
    if (!sound_) return {};
    return [make](rate offered) { return arrival::any_schedule(make(offered)); };
  }

  std::int64_t rows_;
  std::int64_t seed_;
  problems& found_;
  std::string_view name_;
  std::optional<std::string_view> text_;
  bool sound_ = true;
};

}  // namespace detail

/// Reads an arrival and adds all that is wrong with it for a job of so many rows. `seed` is that of a law which draws
/// by chance and was given none. Returns: how to make its schedule; empty when something is wrong, and for constant,
/// which a rate is enough for. Cost: a trace is read once from end to end.
[[nodiscard]] inline schedule_maker read_arrival(std::string_view text, std::int64_t rows, problems& found,
                                                 std::int64_t seed = 1) {
  return detail::arrival_reader(text, rows, found, seed).read();
}

/// Adds all that is wrong with an arrival, where these names are known: weir's own, and the user's schedules.
inline void check_arrival(std::string_view text, std::int64_t rows, const std::vector<std::string>& known,
                          problems& found) {
  const std::string_view name = text.substr(0, text.find(':'));
  const auto wrong = [&](std::string_view id, const std::string& what) {
    found.add(id, "/source/arrival", "\"" + std::string(text) + "\": " + what);
  };
  const auto times = std::count(known.begin(), known.end(), name);
  if (times == 0)
    wrong("job.unknown_arrival", "give one of " + comma_separated(known));
  else if (times > 1)
    wrong("job.arrival_name_taken", "weir has a law of that name: call the schedule of yours something else");
  else if (std::find(arrival_laws.begin(), arrival_laws.end(), name) != arrival_laws.end())
    (void)read_arrival(text, rows, found);
  else if (name.size() < text.size())
    wrong("job.arrival_parameter_unknown", "a schedule of yours takes no parameters: give " + std::string(name));
}

}  // namespace weir::inline WEIR_ABI::job
