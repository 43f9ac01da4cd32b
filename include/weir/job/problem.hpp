#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Everything that is wrong with an input, said at once. Temperature: cold.
//
//   job::problems found;
//   found.add("job.rows_not_positive", "/source/rows", "0: give at least 1");
//   found.raise_if_any("job.json");

#include <string>
#include <string_view>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/base/error.hpp>

namespace weir::inline WEIR_ABI::job {

[[nodiscard]] inline std::string comma_separated(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : ", ").append(word);
  return text;
}

class problems {
 public:
  void add(std::string_view id, std::string_view where, std::string_view text) {
    lines_.push_back(error::message(id, where, text));
  }

  [[nodiscard]] bool empty() const noexcept { return lines_.empty(); }
  [[nodiscard]] const std::vector<std::string>& lines() const noexcept { return lines_; }

  /// Errors: job.refused, with every line.
  void raise_if_any(std::string_view input) const {
    if (lines_.empty()) return;
    std::string text = lines_.size() == 1 ? "1 problem" : std::to_string(lines_.size()) + " problems";
    for (const std::string& line : lines_) text.append("\n  ").append(line);
    detail::raise("job.refused", input, text);
  }

 private:
  std::vector<std::string> lines_;
};

}  // namespace weir::inline WEIR_ABI::job
