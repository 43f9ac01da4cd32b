#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// What runs now and how long the rest takes, on stderr: one line that rewrites itself for a person, a plain line now
// and then for a log. Temperature: cold.
//
//   progress lines(progress::where::log);  lines.show(3, 60, "rows/row/copyPlainRow", 40s);

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>

#include <weir/base/config.hpp>

namespace weir::inline WEIR_ABI::gbench {

class progress {
 public:
  enum class where { nowhere, terminal, log };

  explicit progress(where shown) noexcept : where_(shown) {}
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress() { clear(); }

  /// Step `step` of `steps`, counted from 1, is about to run, at `now` on any clock that goes on. A log gets the first
  /// step and then one line in ten seconds.
  void show(std::size_t step, std::size_t steps, const std::string& what, std::chrono::nanoseconds left,
            std::chrono::nanoseconds now) {
    constexpr std::chrono::seconds between(10);
    if (where_ == where::nowhere || (where_ == where::log && shown_ && now - last_ < between)) return;
    const auto seconds = static_cast<long long>(std::ceil(std::chrono::duration<double>(left).count()));
    const bool terminal = where_ == where::terminal;
    std::fprintf(stderr, "%s[%zu/%zu] %s, about %lld s left%s", terminal ? "\r\033[K" : "", step, steps, what.c_str(),
                 seconds, terminal ? " " : "\n");
    shown_ = true;
    last_ = now;
  }

  /// One line about step `step` of `steps`, in a log each of them.
  void say(std::size_t step, std::size_t steps, const std::string& line) {
    if (where_ == where::nowhere) return;
    const bool terminal = where_ == where::terminal;
    std::fprintf(stderr, "%s[%zu/%zu] %s%s", terminal ? "\r\033[K" : "", step, steps, line.c_str(),
                 terminal ? " " : "\n");
    shown_ = true;
  }

  /// Makes room for other lines.
  void clear() {
    if (where_ == where::terminal && shown_) std::fputs("\r\033[K", stderr);
    shown_ = shown_ && where_ == where::log;
  }

 private:
  where where_;
  bool shown_ = false;
  std::chrono::nanoseconds last_{};
};

}  // namespace weir::inline WEIR_ABI::gbench
