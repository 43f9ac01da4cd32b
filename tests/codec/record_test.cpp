#include <weir/codec/record.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <weir/codec/row.hpp>
#include <weir/codec/schemas.hpp>
#include <weir/data/row.hpp>

namespace {

namespace codec = weir::codec;
using codec::metrics;

TEST(CodecShape, DescribesAStruct) {
  const codec::shape s = codec::shape_of<metrics::record>("metrics");
  ASSERT_EQ(s.columns.size(), 4U);
  EXPECT_EQ(s.columns[0].name, "id");
  EXPECT_EQ(s.columns[3].type, codec::shape::kind::int32);
  ASSERT_EQ(s.columns[2].nested.size(), 1U);
  EXPECT_EQ(s.columns[2].nested[0].columns.size(), 13U);
  EXPECT_EQ(s.columns[2].nested[0].columns[0].name, "_metricname");
  EXPECT_FALSE(s.is_flat());
  EXPECT_FALSE(s.unwrapped);
  EXPECT_TRUE(codec::shape_of<codec::single_key::record>("k").unwrapped);
  EXPECT_TRUE(codec::shape_of<codec::impressions::record>("i").is_flat());
}

TEST(CodecRecord, VisitsFieldsInOrderUntilToldToStop) {
  const codec::impressions::record r;
  std::vector<std::string_view> names;
  EXPECT_TRUE(for_each_field(r, [&](std::string_view name, const auto&) { return names.push_back(name), true; }));
  EXPECT_EQ(names, (std::vector<std::string_view>{"impresssiontime", "impressionid", "userid", "adid"}));
  int visited = 0;
  EXPECT_FALSE(for_each_field(r, [&](std::string_view, const auto&) { return ++visited < 2; }));
  EXPECT_EQ(visited, 2);
}

TEST(CodecRecord, FindsWhereTwoDiffer) {
  const auto records = codec::make_records<metrics>(42, 1);
  metrics::record other = records[0];
  EXPECT_EQ(first_difference(records[0], other), "");
  other.metric.topic += "x";
  EXPECT_EQ(first_difference(records[0], other), "metric.topic");
  other.source.clear();
  EXPECT_EQ(first_difference(records[0], other), "source");
  EXPECT_EQ(first_difference(records[0], codec::dynamic_record()), "the number of fields");
}

TEST(CodecRecord, IsTheSameThroughADynamicOneAndARow) {
  const codec::shape s = codec::shape_of<metrics::record>("metrics");
  for (const auto& r : codec::make_records<codec::metrics_asrun>(7, 20)) {
    EXPECT_EQ(first_difference(r, to_dynamic(r, s)), "");
    metrics::record back;
    const weir::data::row row = codec::to_row(r);
    EXPECT_EQ(row.arity(), 16U);
    codec::from_row(row, back);
    EXPECT_EQ(first_difference(r, back), "");
  }
}

TEST(CodecRecord, StartsAsZeroWithTheTypesOfItsShape) {
  const codec::shape s = codec::shape_of<metrics::record>("metrics");
  EXPECT_EQ(first_difference(codec::dynamic_record(s), metrics::record()), "");
}

}  // namespace
