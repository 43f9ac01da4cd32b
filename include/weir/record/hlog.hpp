#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Histograms as HdrHistogram V2 text: what its C, Java and JavaScript readers and plotters take.
// Temperature: cold.
//
//   std::string text = record::encode(sample.latency());  // "HISTFAAA..."
//   measure::snapshot back = record::decode(text);

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/base/error.hpp>
#include <weir/base/units.hpp>
#include <weir/measure/hdr_layout.hpp>
#include <weir/measure/snapshot.hpp>

namespace weir::inline WEIR_ABI::record {

using std::chrono::nanoseconds;

namespace detail {

// "V2 encoding" and "V2 compressed encoding", with the 0x10 that says: counts are ZigZag LEB128-64b9B.
inline constexpr std::uint32_t payload_cookie = 0x1c849313;
inline constexpr std::uint32_t zlib_cookie = 0x1c849314;

inline constexpr std::string_view base64_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

[[noreturn]] inline void corrupt(std::string_view text) {
  weir::detail::raise("record.hlog_corrupt", "histogram", text);
}
[[noreturn]] inline void foreign(std::string_view text) {
  weir::detail::raise("record.hlog_foreign", "histogram", text);
}

[[nodiscard]] constexpr unsigned byte_of(char c) noexcept { return static_cast<unsigned char>(c); }

inline void put_big_endian(std::string& out, std::uint64_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(value >> (8 * i) & 0xff);
}

/// ZigZag, then groups of 7 bits, lowest first; a ninth byte carries 8 bits and ends the number.
inline void put_number(std::string& out, std::int64_t value) {
  auto rest = (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
  for (int i = 0; i < 8 && rest > 0x7f; ++i, rest >>= 7) out += static_cast<char>((rest & 0x7f) | 0x80);
  out += static_cast<char>(rest);
}

/// Source: RFC 1950, 8.2.
[[nodiscard]] inline std::uint32_t adler32(std::string_view bytes) noexcept {
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  for (const char c : bytes) {
    a = (a + byte_of(c)) % 65'521;
    b = (b + a) % 65'521;
  }
  return b << 16 | a;
}

/// A zlib stream of stored blocks: legal for every reader, and needs no compressor. Source: RFC 1950, 1951.
[[nodiscard]] inline std::string zlib_store(std::string_view bytes) {
  constexpr std::size_t longest = 65'535;
  std::string out = "\x78\x01";
  for (std::string_view rest = bytes; !rest.empty();) {
    const std::string_view block = rest.substr(0, longest);
    rest.remove_prefix(block.size());
    out += rest.empty() ? '\x01' : '\x00';  // final block or not; type stored
    for (const std::size_t length : {block.size(), ~block.size()}) {
      out += static_cast<char>(length & 0xff);
      out += static_cast<char>(length >> 8 & 0xff);
    }
    out += block;
  }
  put_big_endian(out, adler32(bytes), 4);
  return out;
}

[[nodiscard]] inline std::string base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (; !bytes.empty(); bytes.remove_prefix(std::min<std::size_t>(3, bytes.size()))) {
    unsigned group = 0;
    for (std::size_t i = 0; i < 3; ++i) group = group << 8 | (i < bytes.size() ? byte_of(bytes[i]) : 0);
    for (std::size_t i = 0; i < 4; ++i) {
      out += i <= bytes.size() ? base64_digits[group >> (18 - 6 * i) & 0x3f] : '=';
    }
  }
  return out;
}

[[nodiscard]] inline std::string from_base64(std::string_view text) {
  if (text.size() % 4 != 0) corrupt("base64 is cut off: its length is no multiple of 4");
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  text.remove_suffix(padding);
  std::string out;
  unsigned bits = 0;
  int held = 0;
  for (const char c : text) {
    const std::size_t digit = base64_digits.find(c);
    if (digit == std::string_view::npos) corrupt("a character that is not base64");
    bits = (bits << 6 | static_cast<unsigned>(digit)) & 0xffff;
    held += 6;
    if (held >= 8) out += static_cast<char>(bits >> (held -= 8) & 0xff);
  }
  if ((bits & ((1U << held) - 1)) != 0) corrupt("bits after the last byte");
  return out;
}

/// Takes bytes off the front of a text; raises instead of running past its end.
class byte_reader {
 public:
  explicit byte_reader(std::string_view bytes) noexcept : rest_(bytes) {}

  [[nodiscard]] bool empty() const noexcept { return rest_.empty(); }
  [[nodiscard]] std::size_t left() const noexcept { return rest_.size(); }

  [[nodiscard]] std::string_view take(std::size_t n) {
    if (n > rest_.size()) corrupt("truncated");
    const std::string_view bytes = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return bytes;
  }

  [[nodiscard]] std::uint64_t big_endian(std::size_t bytes) {
    std::uint64_t value = 0;
    for (const char c : take(bytes)) value = value << 8 | byte_of(c);
    return value;
  }

  [[nodiscard]] std::size_t little_endian_16() {
    const std::string_view bytes = take(2);
    return byte_of(bytes[0]) | byte_of(bytes[1]) << 8;
  }

  [[nodiscard]] std::int64_t number() {
    std::uint64_t bits = 0;
    for (int i = 0; i < 9; ++i) {
      const std::uint64_t byte = big_endian(1);
      bits |= (i < 8 ? byte & 0x7f : byte) << (7 * i);
      if (byte < 0x80) break;
    }
    return static_cast<std::int64_t>(bits >> 1) ^ -static_cast<std::int64_t>(bits & 1);
  }

 private:
  std::string_view rest_;
};

[[nodiscard]] inline std::string zlib_unstore(std::string_view stream) {
  byte_reader in(stream);
  const std::uint64_t header = in.big_endian(2);
  if ((header & 0x0f20) != 0x0800 || header % 31 != 0) corrupt("no zlib stream");
  std::string out;
  for (bool final = false; !final;) {
    const std::uint64_t block = in.big_endian(1);
    if (block > 1) foreign("compressed by another writer: only stored blocks are read");
    final = block == 1;
    const std::size_t length = in.little_endian_16();
    if (in.little_endian_16() != (~length & 0xffff)) corrupt("a block's length and its complement differ");
    out += in.take(length);
  }
  if (in.big_endian(4) != adler32(out)) corrupt("checksum differs");
  if (!in.empty()) corrupt("bytes after the zlib stream");
  return out;
}

}  // namespace detail

/// The histogram as HdrHistogram V2, zlib, base64: one line that starts with HISTFAAA.
/// Rows above the limit become rows of its last bucket, at 2^40 ns; exact min, max and sum have no place
/// in the format.
[[nodiscard]] inline std::string encode(const measure::snapshot& histogram) {
  std::string counts;
  std::uint32_t next = 0;
  for (const measure::bucket& b : histogram.buckets()) {
    if (b.index > next) detail::put_number(counts, -static_cast<std::int64_t>(b.index - next));
    detail::put_number(counts, static_cast<std::int64_t>(b.count));
    next = b.index + 1;
  }
  if (histogram.empty()) detail::put_number(counts, -1);

  std::string payload;
  detail::put_big_endian(payload, detail::payload_cookie, 4);
  detail::put_big_endian(payload, counts.size(), 4);
  detail::put_big_endian(payload, 0, 4);  // normalizing index offset
  detail::put_big_endian(payload, static_cast<std::uint64_t>(histogram.digits()), 4);
  detail::put_big_endian(payload, 1, 8);  // lowest value
  detail::put_big_endian(payload, measure::hdr_layout::limit, 8);
  detail::put_big_endian(payload, std::bit_cast<std::uint64_t>(1.0), 8);  // integer to double ratio
  payload += counts;

  const std::string stream = detail::zlib_store(payload);
  std::string out;
  detail::put_big_endian(out, detail::zlib_cookie, 4);
  detail::put_big_endian(out, stream.size(), 4);
  out += stream;
  return detail::base64(out);
}

/// Reads what encode() wrote: the same buckets; min, max and sum only as near as the buckets tell.
/// Errors: weir::error, record.hlog_corrupt or record.hlog_foreign (another range, or compressed by another
/// writer), measure.snapshot_malformed.
[[nodiscard]] inline measure::snapshot decode(std::string_view text) {
  const std::string bytes = detail::from_base64(text);
  detail::byte_reader outer(bytes);
  if (outer.big_endian(4) != detail::zlib_cookie) detail::foreign("no compressed V2 histogram");
  if (outer.big_endian(4) != outer.left()) detail::corrupt("truncated, or bytes after its end");
  const std::string payload = detail::zlib_unstore(outer.take(outer.left()));

  detail::byte_reader in(payload);
  if (in.big_endian(4) != detail::payload_cookie) detail::foreign("no V2 histogram");
  const std::uint64_t length = in.big_endian(4);
  if (in.big_endian(4) != 0) detail::foreign("shifted index");
  const std::uint64_t digits = in.big_endian(4);
  if (digits < 1 || digits > 5) detail::corrupt("digits must be 1 to 5");
  if (in.big_endian(8) != 1 || in.big_endian(8) != measure::hdr_layout::limit) {
    detail::foreign("its range is not 1 to 2^40");
  }
  if (in.big_endian(8) != std::bit_cast<std::uint64_t>(1.0)) detail::foreign("its values are scaled");
  if (length != in.left()) detail::corrupt("truncated, or bytes after its counts");

  const measure::hdr_layout layout(static_cast<int>(digits));
  std::vector<measure::bucket> buckets;
  uint128 sum = 0;
  for (std::uint64_t index = 0; !in.empty();) {
    const std::int64_t number = in.number();
    const std::uint64_t room = layout.size() - index;
    if (number > 0) {
      if (room == 0) detail::corrupt("more buckets than its range has");
      const auto count = static_cast<std::uint64_t>(number);
      const auto at = static_cast<std::uint32_t>(index++);
      buckets.push_back({at, count});
      sum += static_cast<uint128>(count) * (layout.lowest(at) + (layout.highest(at) - layout.lowest(at)) / 2);
    } else {
      const std::uint64_t run = number == 0 ? 1 : ~static_cast<std::uint64_t>(number) + 1;  // Java writes one as 0
      if (run > room) detail::corrupt("a run of zeros beyond its last bucket");
      index += run;
    }
  }
  if (buckets.empty()) return {static_cast<int>(digits), {}, {}, {}, {}};
  const auto time = [](std::uint64_t ns) { return nanoseconds(static_cast<std::int64_t>(ns)); };
  const nanoseconds min = time(layout.lowest(buckets.front().index));
  const nanoseconds max = time(layout.highest(buckets.back().index));
  const auto sum_or_all = static_cast<std::uint64_t>(std::min<uint128>(sum, nanoseconds::max().count()));
  return {static_cast<int>(digits), std::move(buckets), min, max, time(sum_or_all)};
}

/// One interval of one tag in a log.
struct hlog_line {
  std::string tag;      // "" for none; a stage or kind of latency otherwise
  nanoseconds start{};  // since the start of the log
  nanoseconds length{};
  measure::snapshot histogram;
};

namespace detail {

/// Thousandths, with a point whatever the locale: hlog readers know no comma.  Requires: value >= 0.
[[nodiscard]] inline std::string thousandths(std::int64_t value) {
  const std::string digits = std::to_string(value);
  const std::string padded = std::string(digits.size() < 4 ? 4 - digits.size() : 0, '0') + digits;
  return padded.substr(0, padded.size() - 3) + '.' + padded.substr(padded.size() - 3);
}

/// "2024-05-06T07:08:09Z"
[[nodiscard]] inline std::string utc_text(std::chrono::milliseconds since_epoch) {
  const auto two = [](auto value) {
    const std::string digits = std::to_string(value);
    return digits.size() < 2 ? "0" + digits : digits;
  };
  const auto days = std::chrono::floor<std::chrono::days>(since_epoch);
  const std::chrono::year_month_day date{std::chrono::sys_days(days)};
  const std::chrono::hh_mm_ss time{std::chrono::floor<std::chrono::seconds>(since_epoch - days)};
  return std::to_string(static_cast<int>(date.year())) + '-' + two(static_cast<unsigned>(date.month())) + '-' +
         two(static_cast<unsigned>(date.day())) + 'T' + two(time.hours().count()) + ':' + two(time.minutes().count()) +
         ':' + two(time.seconds().count()) + 'Z';
}

}  // namespace detail

/// A log in HdrHistogram's text format 1.3, for HistogramLogAnalyzer and its kin. Interval_Max is in ms.
/// Errors: weir::error when a tag holds a comma, white space or a control character, or the comment more
/// than one short line (the C reader takes 127 characters).
/// Requires: times >= 0.
[[nodiscard]] inline std::string hlog_text(std::chrono::milliseconds started_since_epoch,
                                           std::span<const hlog_line> lines, std::string_view comment = "") {
  if (comment.size() > 100 || comment.find_first_of("\r\n") != std::string_view::npos) {
    weir::detail::raise("record.hlog_comment", "comment", "give one line of at most 100 characters");
  }
  const std::string start = detail::thousandths(started_since_epoch.count());
  std::string out;
  if (!comment.empty()) out.append("#[").append(comment).append("]\n");
  out += "#[Histogram log format version 1.3]\n";
  out += "#[BaseTime: " + start + " (seconds since epoch)]\n";
  out += "#[StartTime: " + start + " (seconds since epoch), " + detail::utc_text(started_since_epoch) + "]\n";
  out += "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n";
  for (const hlog_line& line : lines) {
    const bool plain = std::all_of(line.tag.begin(), line.tag.end(),
                                   [](char c) { return detail::byte_of(c) > ' ' && c != ',' && c != '\x7f'; });
    if (!plain) weir::detail::raise("record.hlog_tag", "tag", line.tag + ": no comma, space or line end in a tag");
    if (!line.tag.empty()) out += "Tag=" + line.tag + ',';
    out += detail::thousandths(line.start.count() / 1'000'000) + ',';
    out += detail::thousandths(line.length.count() / 1'000'000) + ',';
    out += detail::thousandths(line.histogram.max().count() / 1'000) + ',';
    out += encode(line.histogram) + '\n';
  }
  return out;
}

}  // namespace weir::inline WEIR_ABI::record
