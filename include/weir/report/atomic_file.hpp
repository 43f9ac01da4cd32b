#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// A result file is there whole or not at all. Temperature: cold.
//
//   report::write_file(out / "summary.md", text, "--weir_out");

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include <weir/base/config.hpp>
#include <weir/base/error.hpp>

namespace weir::inline WEIR_ABI::report {

/// Makes the folder, writes beside the file and renames over it, so that a reader never sees half of it. What is no
/// plain file (a device, a pipe, a link) is written through.
/// Errors: weir::error at `where`, the field that named the folder, and nothing is left behind.
inline void write_file(const std::filesystem::path& path, std::string_view text, std::string_view where) {
  const auto fail = [&](const std::filesystem::path& at, const std::error_code& error) {
    weir::detail::raise("report.cannot_write", where, at.string() + ": " + error.message());
  };
  const auto last_error = [] { return std::error_code(errno, std::generic_category()); };

  std::error_code error;
  const auto folder = path.parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) fail(folder, error);

  std::error_code ignored;
  const auto there = std::filesystem::symlink_status(path, ignored);
  const bool in_place = std::filesystem::exists(there) && !std::filesystem::is_regular_file(there);
  std::filesystem::path part = path;
  if (!in_place) part += ".part";
  std::FILE* file = std::fopen(part.c_str(), "wbe");
  if (file == nullptr) fail(part, last_error());
  if (std::fwrite(text.data(), 1, text.size(), file) != text.size()) error = last_error();
  if (std::fclose(file) != 0 && !error) error = last_error();
  if (!error && !in_place) std::filesystem::rename(part, path, error);
  if (!error) return;
  if (!in_place) std::filesystem::remove(part, ignored);
  fail(path, error);
}

}  // namespace weir::inline WEIR_ABI::report
