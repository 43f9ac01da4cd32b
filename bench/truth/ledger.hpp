#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// What is claimed, what was measured, and whether it holds: the program's table and its JSON.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <weir/base/os.hpp>
#include <weir/gbench/progress.hpp>

namespace truth {

/// Unclear: the host disturbed it by more than would let a fault be told from the disturbance. Shown: for comparison,
/// nothing is claimed.
enum class standing { holds, fails, unclear, shown };

[[nodiscard]] constexpr std::string_view to_string(standing s) noexcept {
  constexpr std::string_view names[] = {"holds", "FAILS", "unclear", ""};
  return names[static_cast<std::size_t>(s)];
}

[[nodiscard]] constexpr standing holds_if(bool it_does) noexcept { return it_does ? standing::holds : standing::fails; }

/// What is going on and how long it may still take, for whoever waits: a line on a terminal, now and then one in a log.
class progress_line {
 public:
  void begin_part(std::size_t number, std::size_t of, std::chrono::seconds part, std::chrono::seconds after) {
    number_ = number;
    of_ = of;
    ends_ = weir::os::monotonic_now() + part;
    after_ = after;
  }
  void show(const std::string& what) {
    const auto now = weir::os::monotonic_now();
    line_.show(number_, of_, what, std::max(std::chrono::nanoseconds(0), ends_ - now) + after_, now);
  }
  /// Makes room for a line of the table.
  void clear() { line_.clear(); }

 private:
  using where = weir::gbench::progress::where;
  weir::gbench::progress line_{weir::os::stderr_is_terminal() ? where::terminal : where::log};
  std::size_t number_ = 1;
  std::size_t of_ = 1;
  std::chrono::nanoseconds ends_{};
  std::chrono::nanoseconds after_{};
};

inline progress_line& waiting() {
  static progress_line line;
  return line;
}
inline void progress(const std::string& what) { waiting().show(what); }
inline void clear_progress() { waiting().clear(); }

/// One line. Texts are as shown, `measured` perhaps of several lines; `figures` are the numbers behind them, in the
/// unit that their names tell.
struct claim {
  std::string what;
  std::string expected;
  std::string measured;
  std::string tolerance;
  standing stands = standing::shown;
  nlohmann::ordered_json figures = nlohmann::ordered_json::object();
};

/// Claims in the order in which they were made, under headings.
class ledger {
 public:
  void begin(std::string_view name) {
    sections_.push_back({.name = std::string(name), .claims = {}});
    clear_progress();
    fmt::print("\n");
    print(name, "expected", "measured", "tolerance", "");
  }

  void add(claim c) {
    std::string_view rest = c.measured;
    const auto next_line = [&rest] {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      return line;
    };
    clear_progress();
    print(c.what, c.expected, next_line(), c.tolerance, to_string(c.stands));
    while (!rest.empty()) print("", "", next_line(), "", "");
    sections_.back().claims.push_back(std::move(c));
  }

  [[nodiscard]] std::size_t count(standing wanted) const {
    std::size_t n = 0;
    for (const section& s : sections_)
      for (const claim& c : s.claims) n += c.stands == wanted;
    return n;
  }

  [[nodiscard]] nlohmann::ordered_json json() const {
    auto all = nlohmann::ordered_json::array();
    for (const section& s : sections_)
      for (const claim& c : s.claims)
        all.push_back({{"section", s.name},
                       {"what", c.what},
                       {"expected", c.expected},
                       {"measured", c.measured},
                       {"tolerance", c.tolerance},
                       {"holds", verdict(c.stands)},
                       {"unclear", c.stands == standing::unclear},
                       {"figures", c.figures}});
    return all;
  }

 private:
  /// true, false, or null where nothing is said.
  static nlohmann::ordered_json verdict(standing s) {
    return s == standing::holds || s == standing::fails ? nlohmann::ordered_json(s == standing::holds) : nullptr;
  }

  /// 100 columns.
  static void print(std::string_view what, std::string_view expected, std::string_view measured,
                    std::string_view tolerance, std::string_view verdict) {
    std::string line = fmt::format("{:<33} {:>21} {:>22} {:>13} {}", what, expected, measured, tolerance, verdict);
    line.erase(line.find_last_not_of(' ') + 1);
    fmt::print("{}\n", line);
    std::fflush(stdout);
  }

  struct section {
    std::string name;
    std::vector<claim> claims;
  };
  std::vector<section> sections_;
};

/// How much to run.
struct effort {
  bool quick = false;

  template <class T>
  [[nodiscard]] T of(T full, T in_short) const {
    return quick ? in_short : full;
  }
};

}  // namespace truth
