#include <weir/data/numbered_row.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include <weir/data/naive_row.hpp>
#include <weir/data/row.hpp>

namespace {

using weir::data::naive_row;
using weir::data::numbered_row;
using weir::data::row;
using weir::data::sum_of;

TEST(NumberedRow, MakesUpstreamsContent) {
  const numbered_row content(1000);
  const auto& f = content.fields();
  EXPECT_EQ(f.id, 1000);
  EXPECT_EQ(f.name, "seatunnel-row-1000");
  EXPECT_DOUBLE_EQ(f.score, 10.0);
  EXPECT_TRUE(f.enabled);
  EXPECT_EQ(f.shard, 104);
  EXPECT_EQ(f.tags[0], "tag-0");
  EXPECT_EQ(f.tags[1], "bucket-40");
  EXPECT_EQ(f.tags[2], "row-1000");
  EXPECT_EQ(f.amount, (weir::data::decimal{1'001'234, 4}));
  EXPECT_EQ(f.table, "benchmark_table_8");
  EXPECT_EQ(f.kind, weir::data::row_kind::insert);
  constexpr std::array<unsigned, 8> payload{0xE8, 0x03, 0, 0, 0x18, 0x68, 0x58, 0xB8};
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(std::to_integer<unsigned>(f.payload[i]), payload[i]) << i;
}

TEST(NumberedRow, KeepsTheSignInRemaindersAsJavaDoes) {
  const numbered_row content(-123'456'789);
  EXPECT_EQ(content.fields().shard, -21);
  EXPECT_EQ(content.fields().tags[0], "tag--5");
  EXPECT_EQ(content.fields().table, "benchmark_table_-5");
  EXPECT_EQ(content.fields().kind, weir::data::row_kind::update_after);
}

TEST(NumberedRow, WritesEveryNumberAsToStringDoes) {
  for (std::int32_t id = -20; id < 10'050; ++id) {
    const numbered_row content(id);
    ASSERT_EQ(content.fields().name, "seatunnel-row-" + std::to_string(id));
    ASSERT_EQ(content.fields().tags[2], "row-" + std::to_string(id));
  }
  const numbered_row least(std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(least.fields().name, "seatunnel-row-" + std::to_string(std::numeric_limits<std::int32_t>::min()));
}

// Golden values of upstream's own row, run under the JVM.
template <class Row>
class RowGolden : public testing::Test {};
using rows = testing::Types<row, naive_row>;
TYPED_TEST_SUITE(RowGolden, rows);

TYPED_TEST(RowGolden, SumsAndSizesEqualUpstreams) {
  std::int64_t sum = 0;
  std::uint64_t size = 0;
  for (std::int32_t id = 0; id < 1024; ++id) {
    const numbered_row content(id);
    const TypeParam r(content.fields());
    sum += sum_of(r.fields());
    size += r.bytes_size();
    ASSERT_EQ(r.bytes_size(), weir::data::bytes_size_of(content.fields()));
  }
  EXPECT_EQ(sum, 675'158);
  EXPECT_EQ(size, 105'140U);
  constexpr std::pair<std::int32_t, std::uint32_t> golden[] = {
      {0, 98}, {1, 98}, {1000, 105}, {123'456'789, 115}, {-1, 102}, {-123'456'789, 119}};
  for (const auto& [id, bytes] : golden) {
    EXPECT_EQ(TypeParam(numbered_row(id).fields()).bytes_size(), bytes) << id;
  }
}

TYPED_TEST(RowGolden, AMutatedCopyHasFourOptionsAndItsSourceThree) {
  TypeParam r(numbered_row(7).fields());
  r.set_option("source", std::string_view("benchmark"));
  r.set_option("partition", std::int32_t{7});
  r.set_option("offset", std::int64_t{700});
  TypeParam copy = r;
  copy.set_option("__st_trace_payload", numbered_row(7).fields().payload);
  EXPECT_EQ(copy.option_count(), 4U);
  EXPECT_EQ(r.option_count(), 3U);
}

TYPED_TEST(RowGolden, AProjectionKeepsFourFieldsTableAndKind) {
  const TypeParam r(numbered_row(1001).fields());
  const TypeParam p = r.project(weir::data::row_projection);
  EXPECT_EQ(p.arity(), 4U);
  EXPECT_EQ(p.bytes_size(), 8U + 18U + 1U + 8U);
  EXPECT_EQ(p.table(), "benchmark_table_9");
  EXPECT_EQ(p.kind(), weir::data::row_kind::update_after);
}

}  // namespace
