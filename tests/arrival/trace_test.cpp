// SPDX-License-Identifier: Apache-2.0
#include <weir/arrival/trace.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <unistd.h>

#include <gtest/gtest.h>

#include <weir/arrival/any_schedule.hpp>

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using weir::arrival::any_schedule;
using weir::arrival::check_trace;
using weir::arrival::trace;
using weir::arrival::trace_lines;
using weir::arrival::trace_summary;
using enum weir::arrival::trace_lines;

/// A file with a text in it, gone at the end of the test.
class text_file {
 public:
  explicit text_file(std::string_view text) {
    std::string name = testing::TempDir() + "weir_trace_XXXXXX";
    const int descriptor = ::mkstemp(name.data());
    path = name;
    std::FILE* file = ::fdopen(descriptor, "w");
    EXPECT_EQ(std::fwrite(text.data(), 1, text.size(), file), text.size());
    std::fclose(file);
  }
  text_file(const text_file&) = delete;
  text_file& operator=(const text_file&) = delete;
  ~text_file() { std::remove(path.c_str()); }

  std::string path;
};

std::vector<nanoseconds> rows(const std::string& path, trace_lines kind, std::size_t n) {
  any_schedule due = trace(path, kind);
  std::vector<nanoseconds> all(n);
  due.fill(all);
  return all;
}

std::string fault(std::string_view text, trace_lines kind = times) {
  const text_file file(text);
  const trace_summary found = check_trace(file.path, kind);
  return found.fault ? found.fault->rule + ", " + found.fault->text : "sound";
}

TEST(Trace, TimesCountFromTheFirst) {
  const text_file file("1700000000000000000\n1700000000000000000\n1700000000000000005\n1700000001000000000\n");
  const trace_summary found = check_trace(file.path, times);
  EXPECT_FALSE(found.fault);
  EXPECT_EQ(found.rows, 4U);
  EXPECT_EQ(found.span, 1s);
  EXPECT_EQ(rows(file.path, times, 4), (std::vector<nanoseconds>{0ns, 0ns, 5ns, 1s}));
}

TEST(Trace, GapsAddUp) {
  const text_file file("7\n0\n100\n");
  const trace_summary found = check_trace(file.path, gaps);
  EXPECT_FALSE(found.fault);
  EXPECT_EQ(found.rows, 3U);
  EXPECT_EQ(found.span, 107ns);
  EXPECT_EQ(rows(file.path, gaps, 3), (std::vector<nanoseconds>{7ns, 7ns, 107ns}));
}

TEST(Trace, TakesLinesFromWindowsAndALastOneWithoutAnEnd) {
  const text_file file("1\r\n2\r\n4");
  EXPECT_EQ(check_trace(file.path, times).rows, 3U);
  EXPECT_EQ(rows(file.path, times, 3), (std::vector<nanoseconds>{0ns, 1ns, 3ns}));
}

TEST(Trace, NamesTheLineThatIsWrong) {
  EXPECT_EQ(fault(""), "trace_empty, no line in it: give at least one row");
  EXPECT_EQ(fault("5\n7\n5\n"), "trace_unsorted, line 3: 5 after 7: sort the file");
  EXPECT_EQ(fault("5\n-7\n"), "trace_negative, line 2: -7: give no time below 0");
  EXPECT_EQ(fault("5\n-7\n", gaps), "trace_negative, line 2: -7: give no time below 0");
  EXPECT_EQ(fault("time\n5\n"), "trace_not_a_number, line 1: time: give one whole number of ns a line");
  for (const char* line : {"", " ", "1.5", "1e3", "+1", "1 2", "0x10", "1,", " 1", "1\r\r"})
    EXPECT_EQ(fault("1\n" + std::string(line) + "\n2\n").substr(0, 28), "trace_not_a_number, line 2: ") << line;
  EXPECT_EQ(fault("9223372036854775807\n"), "sound");
  EXPECT_EQ(fault("9223372036854775808\n").substr(0, 23), "trace_too_large, line 1");
  EXPECT_EQ(fault(std::string(62, '0') + "7\n"), "sound");
  EXPECT_EQ(fault(std::string(64, '0') + "7\n").substr(0, 23), "trace_too_large, line 1");  // one row, not two
  EXPECT_EQ(fault("9223372036854775807\n0\n", gaps), "sound");
  EXPECT_EQ(fault("9223372036854775807\n1\n", gaps).substr(0, 23), "trace_too_large, line 2");
}

TEST(Trace, ShowsBinaryLinesWithoutHarmToATerminal) {
  EXPECT_EQ(fault("a\x1b[31m\n"), "trace_not_a_number, line 1: a?[31m: give one whole number of ns a line");
  EXPECT_EQ(fault(std::string(100'000, '1')).substr(0, 23), "trace_too_large, line 1");
}

TEST(Trace, RefusesGzipByNameAlsoWhenItIsCutShort) {
  using namespace std::string_view_literals;
  EXPECT_EQ(fault("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x33\xe4"sv),
            "trace_compressed, gzip: decompress the file first");
  EXPECT_EQ(fault("\x1f\x8b"sv), "trace_compressed, gzip: decompress the file first");
}

TEST(Trace, SaysWhyItCannotBeRead) {
  const trace_summary missing = check_trace("/nowhere/rows.txt", times);
  ASSERT_TRUE(missing.fault);
  EXPECT_EQ(missing.fault->rule, "trace_unreadable");
  EXPECT_EQ(missing.fault->text, "No such file or directory: give a file of ns");
  EXPECT_EQ(check_trace("/", times).fault->rule, "trace_unreadable");
}

TEST(Trace, ReadsTheSameAcrossItsBuffer) {
  std::string text;
  for (std::uint64_t n = 0; n < 50'000; ++n) text += std::to_string(n * n) + (n % 3 == 0 ? "\r\n" : "\n");
  ASSERT_GT(text.size(), 5 * weir::arrival::detail::line_reader::buffer_size);
  const text_file file(text);
  EXPECT_EQ(check_trace(file.path, times).rows, 50'000U);
  any_schedule due = trace(file.path, times);
  std::uint64_t wrong = 0;
  std::vector<nanoseconds> block(64);
  for (std::uint64_t n = 0; n < 50'000 - 64; n += 64) {
    due.fill(block);
    for (std::uint64_t i = 0; i < 64; ++i) wrong += block[i].count() != static_cast<std::int64_t>((n + i) * (n + i));
  }
  EXPECT_EQ(wrong, 0U);
}

TEST(Trace, IsDueBeforeTimeWhereItEndsOrBreaks) {
  const text_file file("3\n4\nx\n9\n");
  EXPECT_EQ(rows(file.path, times, 3), (std::vector{0ns, 1ns, -1ns}));
  EXPECT_EQ(rows(file.path, gaps, 3), (std::vector{3ns, 7ns, -1ns}));
  EXPECT_EQ(rows("/nowhere/rows.txt", times, 2), (std::vector{-1ns, -1ns}));
  const text_file short_one("3\n");
  EXPECT_EQ(rows(short_one.path, times, 3), (std::vector{0ns, -1ns, -1ns}));
}

TEST(Trace, IsFilledByTheBlock) {
  static_assert(!weir::arrival::schedule<trace>);
  static_assert(weir::arrival::block_schedule<trace>);
  static_assert(!std::is_copy_constructible_v<trace>);
}

}  // namespace
