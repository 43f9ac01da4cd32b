#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// What is claimed, what was measured, and whether it holds: the program's table and its JSON.

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace truth {

/// One line. Texts are as shown, `measured` perhaps of several lines; `figures` are the numbers behind them, in the
/// unit that their names tell.
struct claim {
  std::string what;
  std::string expected;
  std::string measured;
  std::string tolerance;
  std::optional<bool> holds;  // none: shown for comparison, nothing is claimed
  nlohmann::ordered_json figures = nlohmann::ordered_json::object();
};

/// Claims in the order in which they were made, under headings.
class ledger {
 public:
  void begin(std::string_view name) {
    sections_.push_back({.name = std::string(name), .claims = {}});
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
    print(c.what, c.expected, next_line(), c.tolerance, !c.holds ? "" : *c.holds ? "holds" : "FAILS");
    while (!rest.empty()) print("", "", next_line(), "", "");
    sections_.back().claims.push_back(std::move(c));
  }

  [[nodiscard]] std::size_t failures() const {
    std::size_t n = 0;
    for (const section& s : sections_)
      for (const claim& c : s.claims) n += c.holds == false;
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
                       {"holds", c.holds ? nlohmann::ordered_json(*c.holds) : nlohmann::ordered_json()},
                       {"figures", c.figures}});
    return all;
  }

 private:
  /// 100 columns.
  static void print(std::string_view what, std::string_view expected, std::string_view measured,
                    std::string_view tolerance, std::string_view verdict) {
    std::string line = fmt::format("{:<33} {:>21} {:>22} {:>15} {}", what, expected, measured, tolerance, verdict);
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

/// What is going on, for whoever waits.
inline void progress(std::string_view what) { fmt::print(stderr, "truth: {}\n", what); }

}  // namespace truth
