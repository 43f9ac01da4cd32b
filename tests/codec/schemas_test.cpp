#include <weir/codec/schemas.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace {

namespace codec = weir::codec;

static_assert(codec::schema<codec::single_key> && codec::schema<codec::impressions> && codec::schema<codec::metrics> &&
              codec::schema<codec::metrics_asrun>);

bool all_of(std::string_view text, std::string_view alphabet) {
  return text.find_first_not_of(alphabet) == std::string_view::npos;
}

// The first outputs of splitmix64 from 1234567, as its reference implementation gives them.
TEST(CodecDraws, AreSplitmix64) {
  codec::draws from(1234567);
  for (const std::uint64_t wanted :
       {6457827717110365317U, 3203168211198807973U, 9817491932198370423U, 4593380528125082431U, 16408922859458223821U})
    EXPECT_EQ(from.next(), wanted);
}

TEST(CodecDraws, StayBelowTheirBoundAndReachIt) {
  codec::draws from(1);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(from.below(10));
  EXPECT_EQ(seen.size(), 10U);
  EXPECT_EQ(*seen.rbegin(), 9U);
}

TEST(CodecSchemas, MakeTheSameRecordsFromASeedHoweverMany) {
  const auto few = codec::make_records<codec::metrics>(42, 3);
  const auto many = codec::make_records<codec::metrics>(42, 100);
  for (std::size_t i = 0; i < few.size(); ++i) EXPECT_EQ(first_difference(few[i], many[i]), "");
  EXPECT_NE(first_difference(few[0], codec::make_records<codec::metrics>(43, 1)[0]), "");
}

TEST(CodecSchemas, HaveKeysFrom0To99999) {
  for (const auto& r : codec::make_records<codec::single_key>(42, 1000)) {
    EXPECT_GE(r.col0, 0);
    EXPECT_LT(r.col0, 100'000);
  }
}

TEST(CodecSchemas, HaveImpressionsOfConstantLength) {
  for (const auto& r : codec::make_records<codec::impressions>(42, 1000)) {
    EXPECT_EQ(std::to_string(r.impresssiontime).size(), 13U);
    EXPECT_EQ(r.impressionid.size(), 14U);
    EXPECT_EQ(r.userid.size(), 7U);
    EXPECT_EQ(r.adid.size(), 5U);
    EXPECT_TRUE(r.impressionid.starts_with("impression_") && r.impressionid[11] != '0');
    EXPECT_TRUE(r.userid.starts_with("user_") && r.userid[5] != '0' && all_of(r.userid.substr(5), "0123456789"));
    EXPECT_TRUE(r.adid.starts_with("ad_") && r.adid[3] != '0' && all_of(r.adid.substr(3), "0123456789"));
  }
}

TEST(CodecSchemas, HaveMetricsOfTheLengthsAskedFor) {
  for (const auto& r : codec::make_records<codec::metrics>(42, 100)) {
    EXPECT_EQ(r.id.size(), 36U);
    EXPECT_EQ(r.source.size(), 32U);
    EXPECT_EQ(r.metric.metricname.size(), 32U);
    EXPECT_EQ(r.metric.physical_version.size(), 2U);
    EXPECT_EQ(r.metric.topic.size(), 40U);
    EXPECT_EQ(r.metric.type.size(), 5U);
    EXPECT_TRUE(all_of(r.metric.topic, "abcdefghijklmnopqrstuvwxyz0123456789-_"));
    EXPECT_LT(r.metric.instance, 100'000);
    EXPECT_GE(r.metric.instance, 0);
  }
}

TEST(CodecSchemas, HaveMetricsAsTheyWereReallyRun) {
  std::set<char> seen;
  std::size_t shortest = 99, longest = 0;
  for (const auto& r : codec::make_records<codec::metrics_asrun>(42, 200)) {
    for_each_leaf(r, [&]<class T>(const T& value) {
      if constexpr (std::same_as<T, std::string>) {
        seen.insert(value.begin(), value.end());
        shortest = std::min(shortest, value.size());
        longest = std::max(longest, value.size());
      }
    });
  }
  EXPECT_EQ(seen.size(), 128U);
  EXPECT_EQ(*seen.begin(), '\0');
  EXPECT_EQ(shortest, 8U);
  EXPECT_EQ(longest, 15U);
}

}  // namespace
