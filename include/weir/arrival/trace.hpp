#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Rows as a recording has them: a text file of whole nanoseconds, one row a line. Temperature: hot between
// reads, check_trace() cold.
//
//   const auto found = arrival::check_trace("rows.txt", arrival::trace_lines::times);
//   if (!found.fault) job.schedule = [] { return arrival::trace("rows.txt", arrival::trace_lines::times); };

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <weir/arrival/schedule.hpp>
#include <weir/base/config.hpp>

namespace weir::inline WEIR_ABI::arrival {

/// What a line says.
enum class trace_lines {
  times,  // when the row came, since any origin: row 0 is due at the start of the run
  gaps,   // how long after the row before it; for row 0, after the start of the run
};

namespace detail {

/// The lines of a file, LF or CRLF, through one buffer of fixed size.
class line_reader {
 public:
  static constexpr std::size_t buffer_size = 64 << 10;
  static constexpr std::size_t longest_line = 64;  // a number has 19 digits; the rest is shown in a message

  explicit line_reader(const std::string& path) : file_(std::fopen(path.c_str(), "re")) {
    if (file_)
      std::setvbuf(file_.get(), nullptr, _IONBF, 0);  // or each byte would be copied once more
    else
      error_ = errno;
    buffer_ = std::make_unique<char[]>(buffer_size);
  }

  /// None at the end of the file, or where it cannot be read. A longer line than the longest comes in pieces.
  [[nodiscard]] std::optional<std::string_view> next() noexcept {
    if (end_ - at_ < longest_line && file_) refill();
    if (at_ == end_) return std::nullopt;
    const char* const begin = buffer_.get() + at_;
    const std::size_t most = end_ - at_ < longest_line ? end_ - at_ : longest_line;
    const auto* const lf = static_cast<const char*>(std::memchr(begin, '\n', most));
    std::size_t length = lf != nullptr ? static_cast<std::size_t>(lf - begin) : most;
    at_ += length + (lf != nullptr);
    if (length > 0 && begin[length - 1] == '\r') --length;
    return std::string_view(begin, length);
  }

  /// errno of what ended the reading; 0 at the end of the file.
  [[nodiscard]] int error() const noexcept { return error_; }

 private:
  struct closer {
    void operator()(std::FILE* f) const noexcept { std::fclose(f); }
  };

  void refill() noexcept {
    std::memmove(buffer_.get(), buffer_.get() + at_, end_ - at_);
    end_ -= at_;
    at_ = 0;
    end_ += std::fread(buffer_.get() + end_, 1, buffer_size - end_, file_.get());
    if (std::ferror(file_.get()) != 0) error_ = errno;
    if (end_ < buffer_size) file_.reset();
  }

  std::unique_ptr<std::FILE, closer> file_;
  std::unique_ptr<char[]> buffer_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  int error_ = 0;
};

/// Due times from lines.
class trace_parser {
 public:
  enum class result { due, not_a_number, negative, too_large, unsorted };

  explicit trace_parser(trace_lines kind) noexcept : kind_(kind) {}

  /// Takes the next line.  Returns: due, or what is wrong with it.
  [[nodiscard]] result take(std::string_view line) noexcept {
    std::int64_t value = 0;
    const auto [stopped, error] = std::from_chars(line.data(), line.data() + line.size(), value);
    if (error == std::errc::result_out_of_range) return result::too_large;
    if (error != std::errc{} || stopped != line.data() + line.size()) return result::not_a_number;
    if (line.size() == line_reader::longest_line) return result::too_large;  // a piece: zeros, and the rest to come
    if (value < 0) return result::negative;
    if (kind_ == trace_lines::gaps) {
      if (value > std::numeric_limits<std::int64_t>::max() - last_) return result::too_large;
      last_ += value;
      return result::due;
    }
    if (first_ < 0) first_ = value;
    if (value < last_) return result::unsorted;
    last_ = value;
    return result::due;
  }

  /// When the row of the last line taken is due.
  [[nodiscard]] nanoseconds due() const noexcept {
    return nanoseconds(kind_ == trace_lines::gaps ? last_ : last_ - first_);
  }
  /// The time of the last line taken, as the file has it.
  [[nodiscard]] std::int64_t last() const noexcept { return last_; }

 private:
  trace_lines kind_;
  std::int64_t first_ = -1;
  std::int64_t last_ = 0;
};

}  // namespace detail

/// Why a file is no trace. Rules: trace_unreadable, trace_empty, trace_compressed, trace_not_a_number,
/// trace_negative, trace_too_large, trace_unsorted.
struct trace_fault {
  std::string rule;
  std::string text;  // "line 3: 5 after 7: sort the file"
};

struct trace_summary {
  std::uint64_t rows = 0;
  nanoseconds span{};  // intended time of the last row
  std::optional<trace_fault> fault{};
};

/// Reads a whole trace once, to find what is wrong with it before a run and not in its middle.
/// Cost: 22 ns a row in constant memory (3 MiB, the program included): 2.2 s for 100 million rows.  Errors: none;
/// summary.fault.
[[nodiscard]] inline trace_summary check_trace(const std::string& path, trace_lines kind) {
  using enum detail::trace_parser::result;
  detail::line_reader lines(path);
  detail::trace_parser parser(kind);
  trace_summary found;
  const auto fault = [&](std::string_view rule, std::string_view line, std::string_view what) {
    std::string text = "line " + std::to_string(found.rows + 1) + ": ";
    for (const char c : line) text.push_back(c >= ' ' && c <= '~' ? c : '?');
    found.fault = {std::string(rule), text.append(what)};
    return found;
  };
  while (const auto line = lines.next()) {
    if (found.rows == 0 && line->starts_with("\x1f\x8b")) {
      found.fault = {"trace_compressed", "gzip: decompress the file first"};
      return found;
    }
    const std::int64_t before = parser.last();
    switch (parser.take(*line)) {
      case due:
        break;
      case not_a_number:
        return fault("trace_not_a_number", *line, ": give one whole number of ns a line");
      case negative:
        return fault("trace_negative", *line, ": give no time below 0");
      case too_large:
        return fault("trace_too_large", *line, ": ends after 292 years: give ns");
      case unsorted:
        return fault("trace_unsorted", *line, " after " + std::to_string(before) + ": sort the file");
    }
    ++found.rows;
  }
  found.span = parser.due();
  if (lines.error() != 0)
    found.fault = {"trace_unreadable", std::string(std::strerror(lines.error())) + ": give a file of ns"};
  else if (found.rows == 0)
    found.fault = {"trace_empty", "no line in it: give at least one row"};
  return found;
}

/// The rows of a file that check_trace() found sound, by the block.
/// Cost: 22 ns a row; every 64 KiB a read(2), about 10 us from the page cache, where check_trace() has just put
/// the file. A file that is larger than memory makes the generator wait for the disk: its release lag says so.
/// Errors: where the file ends, or is no longer sound, rows are due at -1 ns, which no generator takes for a time.
class trace {
 public:
  trace(const std::string& path, trace_lines kind) : lines_(path), parser_(kind) {}

  void fill(std::span<nanoseconds> block) noexcept {
    for (nanoseconds& due : block) {
      const auto line = lines_.next();
      const bool sound = line && parser_.take(*line) == detail::trace_parser::result::due;
      due = sound ? parser_.due() : nanoseconds(-1);
    }
  }

 private:
  detail::line_reader lines_;
  detail::trace_parser parser_;
};

static_assert(block_schedule<trace>);

}  // namespace weir::inline WEIR_ABI::arrival
