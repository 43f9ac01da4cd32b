// SPDX-License-Identifier: Apache-2.0
#include <weir/record/hlog.hpp>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weir/base/error.hpp>
#include <weir/base/random.hpp>
#include <weir/measure/histogram.hpp>

namespace {

using namespace std::chrono_literals;
using namespace weir::record;
using std::chrono::nanoseconds;
using weir::measure::basic_histogram;
using weir::measure::bucket;
using weir::measure::hdr_layout;
using weir::measure::histogram;
using weir::measure::snapshot;

constexpr nanoseconds limit{static_cast<std::int64_t>(hdr_layout::limit)};

/// A lone zero bucket, counts of 1 to 3 bytes, long runs of zeros, the last bucket and the saturated one.
snapshot edges() {
  histogram h;
  h.record(0ns, 3);
  h.record(1ns);
  h.record(3ns);
  h.record(12'345ns, 300'000);
  h.record(limit - 1ns);
  h.record(limit);
  h.record(1'000 * limit);
  return h.snapshot();
}

std::string id_of_refusal(const std::string& text) {
  try {
    (void)decode(text);
  } catch (const weir::error& e) {
    return e.id();
  }
  return "accepted";
}

// Each of these was decoded by HdrHistogram_c 0.11, which found the same counts at the same indices.
TEST(Hlog, HasGoldenStrings) {
  EXPECT_EQ(encode(snapshot()), "HISTFAAAADR4AQEpANb/HISTEwAAAAEAAAAAAAAAAwAAAAAAAAABAAABAAAAAAA/8AAAAAAAAAE8xQJ9");
  EXPECT_EQ(encode(edges()),
            "HISTFAAAAEF4AQE2AMn/HISTEwAAAA4AAAAAAAAAAwAAAAAAAAABAAABAAAAAAA/8AAAAAAAAAYCAQKFSMDPJO2nAwIEe4wGsQ==");
  basic_histogram<2> coarse;
  coarse.record(10'007ns, 3);
  EXPECT_EQ(encode(coarse.snapshot()),
            "HISTFAAAADZ4AQErANT/HISTEwAAAAMAAAAAAAAAAgAAAAAAAAABAAABAAAAAAA/8AAAAAAAALcOBkQvA0g=");
}

TEST(Hlog, ReadsBackTheSameBuckets) {
  for (const snapshot& written : {snapshot(), edges()}) {
    const snapshot read = decode(encode(written));
    EXPECT_EQ(read.digits(), written.digits());
    EXPECT_EQ(read.buckets(), written.buckets());
    EXPECT_EQ(read.overflow(), written.overflow());
  }
}

TEST(Hlog, ReadsBackMinMaxAndSumWithinTheBucketWidth) {
  histogram h;
  weir::random_bits bits(6);
  for (int i = 0; i < 20'000; ++i) h.record(nanoseconds(static_cast<std::int64_t>(std::exp2(39 * bits.uniform()))));
  const snapshot written = h.snapshot();
  const snapshot read = decode(encode(written));
  EXPECT_EQ(read.buckets(), written.buckets());
  for (const auto part : {&snapshot::min, &snapshot::max, &snapshot::sum}) {
    const auto exact = static_cast<double>((written.*part)().count());
    EXPECT_NEAR(static_cast<double>((read.*part)().count()), exact, exact / 1'000);
  }
}

TEST(Hlog, SplitsLongPayloadsIntoStoredBlocks) {
  const hdr_layout layout(3);
  histogram h;
  for (std::uint32_t i = 0; i < layout.size(); ++i) {
    h.record(nanoseconds(static_cast<std::int64_t>(layout.lowest(i))), 100'000 + i);
  }
  const snapshot written = h.snapshot();
  const std::string text = encode(written);
  ASSERT_GT(text.size(), 65'535U * 4 / 3);
  EXPECT_EQ(decode(text).buckets(), written.buckets());
}

TEST(Hlog, KeepsCountsOfEveryLength) {
  std::vector<bucket> buckets;
  for (std::uint32_t bit = 0; bit < 61; ++bit) {
    buckets.push_back({2 * bit, std::uint64_t{1} << bit});
    buckets.push_back({2 * bit + 1, (std::uint64_t{1} << bit) - 1 + (bit == 0 ? 1 : 0)});
  }
  const snapshot written(3, buckets, 0ns, 121ns, 0ns);
  EXPECT_EQ(decode(encode(written)).buckets(), buckets);

  const snapshot nine_bytes(3, {{5, std::uint64_t{3} << 61}}, 5ns, 5ns, 0ns);
  EXPECT_EQ(decode(encode(nine_bytes)).buckets(), nine_bytes.buckets());
}

TEST(Hlog, RefusesEveryTruncation) {
  const std::string text = encode(edges());
  for (std::size_t n = 0; n < text.size(); ++n) {
    const std::string id = id_of_refusal(text.substr(0, n));
    EXPECT_TRUE(id == "record.hlog_corrupt" || id == "record.hlog_foreign") << n << ": " << id;
  }
  for (std::size_t n = 4; n < text.size(); n += 4) EXPECT_NE(id_of_refusal(text.substr(n)), "accepted") << n;
}

TEST(Hlog, RefusesEveryChangedCharacter) {
  const std::string text = encode(edges());
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const char c : {'A', 'B', '/', '=', '!', '\0', '\xff'}) {
      if (text[i] == c) continue;
      std::string changed = text;
      changed[i] = c;
      EXPECT_NE(id_of_refusal(changed), "accepted") << i;
    }
  }
}

TEST(Hlog, RefusesASecondSpellingOfTheSameBytes) {
  std::string text = encode(edges());
  ASSERT_TRUE(text.ends_with("Q=="));
  text[text.size() - 3] = 'R';  // differs in bits that no byte uses
  EXPECT_EQ(id_of_refusal(text), "record.hlog_corrupt");
}

/// A complete, correctly summed text around counts of our choice.
std::string text_of_counts(const std::string& counts, const std::string& trailer = "", std::uint64_t extra_length = 0) {
  std::string payload;
  detail::put_big_endian(payload, 0x1c849313, 4);
  detail::put_big_endian(payload, counts.size() + extra_length, 4);
  detail::put_big_endian(payload, 0, 4);
  detail::put_big_endian(payload, 3, 4);
  detail::put_big_endian(payload, 1, 8);
  detail::put_big_endian(payload, hdr_layout::limit, 8);
  detail::put_big_endian(payload, 0x3ff0000000000000, 8);
  const std::string stream = detail::zlib_store(payload + counts) + trailer;
  std::string out;
  detail::put_big_endian(out, 0x1c849314, 4);
  detail::put_big_endian(out, stream.size(), 4);
  return detail::base64(out + stream);
}

std::string numbers(std::initializer_list<std::int64_t> values) {
  std::string out;
  for (const std::int64_t value : values) detail::put_number(out, value);
  return out;
}

TEST(Hlog, EndsANumberAtItsNinthByte) {
  EXPECT_EQ(numbers({63, -64}), "\x7e\x7f");
  EXPECT_EQ(numbers({64}), "\x80\x01");
  EXPECT_EQ(numbers({INT64_MAX}), "\xfe\xff\xff\xff\xff\xff\xff\xff\xff");
  EXPECT_EQ(numbers({INT64_MIN}), "\xff\xff\xff\xff\xff\xff\xff\xff\xff");
}

TEST(Hlog, ChecksRunsOfZerosAgainstTheRange) {
  EXPECT_EQ(decode(text_of_counts(numbers({-31'744, 5}))).overflow(), 5U);
  EXPECT_EQ(id_of_refusal(text_of_counts(numbers({-31'745, 5}))), "record.hlog_corrupt");
  EXPECT_EQ(id_of_refusal(text_of_counts(numbers({-31'746}))), "record.hlog_corrupt");
  EXPECT_EQ(id_of_refusal(text_of_counts(numbers({-31'000, -31'000}))), "record.hlog_corrupt");
  EXPECT_EQ(id_of_refusal(text_of_counts(numbers({INT64_MIN}))), "record.hlog_corrupt");
  EXPECT_EQ(id_of_refusal(text_of_counts(numbers({INT64_MIN, INT64_MIN, 5}))), "record.hlog_corrupt");
}

TEST(Hlog, RefusesBytesAfterTheZlibStream) {
  EXPECT_EQ(id_of_refusal(text_of_counts(numbers({7}), "x")), "record.hlog_corrupt");
}

TEST(Hlog, RefusesCountsOfAnotherLengthThanDeclared) {
  EXPECT_EQ(id_of_refusal(text_of_counts(numbers({7}), "", 1)), "record.hlog_corrupt");
}

TEST(Hlog, ReadsALoneZeroAsJavaWritesIt) {
  EXPECT_EQ(decode(text_of_counts(numbers({0, 0, 7}))).buckets(), (std::vector<bucket>{{2, 7}}));
}

TEST(Hlog, ChecksThatNumbersEndAndCountsDoNotWrap) {
  EXPECT_EQ(id_of_refusal(text_of_counts("\x81")), "record.hlog_corrupt");
  EXPECT_EQ(id_of_refusal(text_of_counts(numbers({1}) + "\xff\xff\xff")), "record.hlog_corrupt");
  EXPECT_EQ(id_of_refusal(text_of_counts(numbers({INT64_MAX, INT64_MAX}))), "measure.snapshot_malformed");
}

TEST(Hlog, CallsOtherWritersForeign) {
  // The thousand values 1..1000 as HdrHistogram_c 0.11 itself writes them: deflated.
  EXPECT_EQ(id_of_refusal("HISTFAAAACV4nJNpmSzMwMD8kgECmKE0IxgBgf0HqADTKBgFo2DYAwDyCgs4"), "record.hlog_foreign");
  EXPECT_EQ(id_of_refusal("AAAAAAAAAAA="), "record.hlog_foreign");
}

TEST(HlogText, IsALogOfFormat13) {
  histogram h;
  h.record(1'500'000ns);
  h.record(2'500'000ns);
  const std::vector<hlog_line> lines = {{"", 0ns, 1s, h.snapshot()}, {"sink", 1s, 1'500us, h.snapshot()}};
  const std::string line = encode(h.snapshot());
  EXPECT_EQ(hlog_text(1'714'979'289'003ms, lines, "weir"),
            "#[weir]\n"
            "#[Histogram log format version 1.3]\n"
            "#[BaseTime: 1714979289.003 (seconds since epoch)]\n"
            "#[StartTime: 1714979289.003 (seconds since epoch), 2024-05-06T07:08:09Z]\n"
            "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n"
            "0.000,1.000,2.500," +
                line +
                "\n"
                "Tag=sink,1.000,0.001,2.500," +
                line + "\n");
}

TEST(HlogText, RefusesTagsAndCommentsThatBreakTheFormat) {
  for (const char* tag : {"a,b", "a b", "a\n", "a\tb", "\x7f"}) {
    const std::vector<hlog_line> lines = {{tag, 0ns, 1s, snapshot()}};
    EXPECT_THROW((void)hlog_text(0ms, lines), weir::error) << tag;
  }
  EXPECT_THROW((void)hlog_text(0ms, {}, "two\nlines"), weir::error);
  EXPECT_THROW((void)hlog_text(0ms, {}, std::string(101, 'x')), weir::error);
}

}  // namespace
