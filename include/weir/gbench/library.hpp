#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Google Benchmark's own flags, seen from outside: what they will be, which benchmarks they select, and refusals
// that end with weir's exit codes instead of the library's. Temperature: cold.
//
//   const std::vector<std::string> names = detail::selected_benchmarks(argv[0]);

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <weir/base/config.hpp>
#include <weir/base/error.hpp>
#include <weir/base/os.hpp>
#include <weir/gbench/reporters.hpp>

namespace weir::inline WEIR_ABI::gbench::detail {

/// argv for Google Benchmark, which takes what it knows out of it.
class argument_vector {
 public:
  explicit argument_vector(std::vector<std::string> arguments) : texts_(std::move(arguments)) {
    for (std::string& text : texts_) pointers_.push_back(text.data());
    pointers_.push_back(nullptr);
    count_ = static_cast<int>(texts_.size());
  }
  int& count() noexcept { return count_; }
  char** data() noexcept { return pointers_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
  int count_ = 0;
};

[[nodiscard]] inline bool mentions(const std::vector<std::string>& arguments, std::string_view flag) {
  return std::any_of(arguments.begin(), arguments.end(), [&](const std::string& a) { return a.starts_with(flag); });
}

/// What --benchmark_<name> will be: its last mention, or its environment variable. "true" for a bare mention.
[[nodiscard]] inline std::string library_flag(const std::vector<std::string>& arguments, std::string_view name,
                                              std::string value) {
  std::string variable = "BENCHMARK_";
  for (const char c : name) variable += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  if (const char* preset = std::getenv(variable.c_str())) value = preset;
  const std::string flag = "--benchmark_" + std::string(name);
  for (const std::string& a : arguments) {
    if (a == flag) value = "true";
    if (a.starts_with(flag + "=")) value = a.substr(flag.size() + 1);
  }
  return value;
}

/// --benchmark_list_tests, by the library's own reading of a truth value.
[[nodiscard]] inline bool listing_wanted(const std::vector<std::string>& arguments) {
  const std::string value = library_flag(arguments, "list_tests", "false");
  const std::array<std::string_view, 6> no{"false", "0", "no", "off", "f", "n"};
  return std::find(no.begin(), no.end(), value) == no.end();
}

/// The library calls this for a flag whose value it does not know, and would end with 0 afterwards.
[[noreturn]] inline void refuse_value() {
  weir::detail::raise("flags.bad_value",
                      "--benchmark_format, --benchmark_out_format, --benchmark_color or --benchmark_time_unit",
                      "a value that Google Benchmark does not know; --help lists them");
}

/// The library would end with 1, which here means a regression.
inline void check_out_file(const std::string& file) {
  if (file.empty()) return;
  std::error_code ignored;
  const bool there = std::filesystem::exists(file, ignored);
  const std::filesystem::path folder = std::filesystem::absolute(file, ignored).parent_path();
  if (std::filesystem::is_directory(file, ignored) || !std::filesystem::is_directory(folder, ignored) ||
      !os::can_write(there ? file.c_str() : folder.c_str()))
    weir::detail::raise("flags.cannot_write", "--benchmark_out", file + ": give a file that can be written");
}

/// The names that the filter selects, in the order in which they would run.
/// Errors: flags.nothing_selected.  Requires: `program` outlives every report, in which the library names it.
[[nodiscard]] inline std::vector<std::string> selected_benchmarks(char* program) {
  const auto listing = [&](std::string flag) {
    std::array<char*, 3> argv{program, flag.data(), nullptr};
    int argc = 2;
    benchmark::Initialize(&argc, argv.data());
  };
  std::stringstream names;
  std::stringstream errors;
  name_collector collector(names, errors);
  listing("--benchmark_list_tests=true");
  benchmark::RunSpecifiedBenchmarks(&collector);
  listing("--benchmark_list_tests=false");
  std::vector<std::string> all;
  for (std::string line; std::getline(names, line);) all.push_back(line);
  if (all.empty()) {
    std::string why = "no benchmark is registered";
    std::getline(errors, why);
    weir::detail::raise("flags.nothing_selected", "--benchmark_filter",
                        why + "; --benchmark_list_tests names them all");
  }
  return all;
}

/// What the library was asked to write.
struct output {
  std::string format;
  std::string file;  // empty: none
  std::string file_format;
};

[[nodiscard]] inline output output_of(const std::vector<std::string>& arguments) {
  return {.format = library_flag(arguments, "format", "console"),
          .file = library_flag(arguments, "out", ""),
          .file_format = library_flag(arguments, "out_format", "json")};
}

}  // namespace weir::inline WEIR_ABI::gbench::detail
