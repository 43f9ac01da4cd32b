#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Wrong input, said once and clearly: which rule, which field, which value, what to do. Temperature: cold.
//
//   detail::raise("job.rate_not_positive", "/source/rate", "-3: give a rate above 0");
//   // what(): [weir.job.rate_not_positive] /source/rate: -3: give a rate above 0

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include <weir/base/config.hpp>

namespace weir::inline WEIR_ABI {

/// Input that weir cannot use. what() is stable and searchable: `[weir.<id>] <where>: <text>`.
class error : public std::runtime_error {
 public:
  error(std::string_view id, std::string_view where, std::string_view text)
      : std::runtime_error(message(id, where, text)), id_(id), where_(where) {}

  /// The broken rule, `<room>.<rule>`; never changes for the same mistake.
  [[nodiscard]] const std::string& id() const noexcept { return id_; }
  /// The field: a flag, a path's role or a JSON pointer.
  [[nodiscard]] const std::string& where() const noexcept { return where_; }

  [[nodiscard]] static std::string message(std::string_view id, std::string_view where, std::string_view text) {
    std::string line = "[weir.";
    line.append(id).append("] ").append(where).append(": ").append(text);
    return line;
  }

 private:
  std::string id_;
  std::string where_;
};

namespace detail {

/// The one place that throws. Without exceptions it prints the same text and aborts.
[[noreturn]] inline void raise(std::string_view id, std::string_view where, std::string_view text) {
#if defined(__cpp_exceptions)
  throw error(id, where, text);
#else
  std::fprintf(stderr, "%s\n", error::message(id, where, text).c_str());
  std::abort();
#endif
}

/// Runs body.  Returns: the message of what it threw, if it threw. The one place that catches what users' code throws.
template <class Body>
[[nodiscard]] std::optional<std::string> failure_of(Body&& body) {
#if defined(__cpp_exceptions)
  try {
    body();
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
#else
  body();
#endif
  return std::nullopt;
}

}  // namespace detail
}  // namespace weir::inline WEIR_ABI
