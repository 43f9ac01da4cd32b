#include <weir/data/row.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/data/numbered_row.hpp>

namespace {

using namespace std::string_view_literals;
using weir::data::decimal;
using weir::data::int128;
using weir::data::numbered_row;
using weir::data::row;
using weir::data::row_kind;
using weir::data::value;

static_assert(weir::data::row_like<row> && weir::data::projectable_row<row> && weir::data::row_with_options<row> &&
              weir::data::settable_row<row>);
static_assert(std::is_nothrow_copy_constructible_v<row> && std::is_nothrow_move_constructible_v<row>);
static_assert(sizeof(row) == 24);

constexpr std::array some_bytes{std::byte{1}, std::byte{2}, std::byte{3}};
constexpr std::array some_texts{"a"sv, ""sv, "\u00e9\u00e9"sv};
constexpr decimal wide{(int128{1} << 80) + 7, 4};

row one_of_each() {
  row r(9);
  r.set(0, std::int64_t{-5});
  r.set(1, "text");
  r.set(2, 0.25);
  r.set(3, true);
  r.set(4, std::int32_t{-7});
  r.set(5, some_bytes);
  r.set(6, some_texts);
  r.set(7, decimal{12'345, 4});
  return r;  // field 8 stays null
}

TEST(Row, GivesBackEveryKind) {
  const row r = one_of_each();
  EXPECT_EQ(r.arity(), 9U);
  EXPECT_EQ(r.at(0).as_int64(), -5);
  EXPECT_EQ(r.at(1).as_string(), "text");
  EXPECT_EQ(r.at(2).as_double(), 0.25);
  EXPECT_TRUE(r.at(3).as_bool());
  EXPECT_EQ(r.at(4).as_int32(), -7);
  ASSERT_EQ(r.at(5).as_bytes().size(), 3U);
  EXPECT_EQ(r.at(5).as_bytes()[2], std::byte{3});
  const auto list = r.at(6).as_strings();
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(list[0], "a");
  EXPECT_EQ(list[1], "");
  EXPECT_EQ(list[2], "\u00e9\u00e9");
  EXPECT_EQ(r.at(7).as_decimal(), (decimal{12'345, 4}));
  EXPECT_TRUE(r.at(8).is_null());
}

TEST(Row, SizesEveryKindByUpstreamsRules) {
  const row r = one_of_each();
  constexpr std::array<std::uint32_t, 9> sizes{8, 4, 8, 1, 4, 3, 3, 36, 0};
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    EXPECT_EQ(r.at(i).bytes_size(), sizes[i]) << i;
    sum += sizes[i];
  }
  EXPECT_EQ(r.bytes_size(), sum);
}

TEST(Row, CountsTextInUtf16Units) {
  row r(2);
  r.set(0, "\u4e2d\u6587\U0001F600");  // 10 bytes of UTF-8
  r.set(1, std::string(700, 'x') + "\u00e9");
  EXPECT_EQ(r.bytes_size(), 4U + 701U);
}

TEST(Row, LeavesTableKindAndOptionsOutOfItsSize) {
  row r(1);
  r.set(0, std::int32_t{1});
  r.set_table("a table");
  r.set_option("name", "value");
  EXPECT_EQ(r.bytes_size(), 4U);
}

TEST(Row, KeepsTheSizeOnceComputedAndComputesAnewForACopy) {
  row r(1);
  EXPECT_EQ(r.bytes_size(), 0U);  // all null: not kept
  r.set(0, std::int64_t{1});
  EXPECT_EQ(r.bytes_size(), 8U);
  r.set(0, "longer than eight");
  EXPECT_EQ(r.bytes_size(), 8U);
  EXPECT_EQ(row(r).bytes_size(), 17U);
  row moved = std::move(r);
  EXPECT_EQ(moved.bytes_size(), 8U);
}

TEST(Row, CopiesFieldsTableKindAndOptions) {
  row r = one_of_each();
  r.set_table("database.table");
  r.set_kind(row_kind::update_after);
  r.set_option("source", "benchmark");
  const row copy = r;
  EXPECT_EQ(copy, r);
  EXPECT_EQ(copy.table(), "database.table");
  EXPECT_EQ(copy.kind(), row_kind::update_after);
  EXPECT_EQ(copy.option("source").as_string(), "benchmark");
}

TEST(Row, ComparesTableKindAndFieldsButNotOptions) {
  const row r = one_of_each();
  row other = r;
  other.set_option("only here", true);
  EXPECT_EQ(other, r);
  other.set_table("t");
  EXPECT_NE(other, r);
  other = r;
  other.set_kind(row_kind::remove);
  EXPECT_NE(other, r);
  for (std::size_t i = 0; i < 8; ++i) {
    other = r;
    other.set_null(i);
    EXPECT_NE(other, r) << i;
  }
  other = r;
  other.set(1, "texT");
  EXPECT_NE(other, r);
  other = r;
  other.set(6, std::array{"ab"sv, ""sv, "\u00e9"sv});
  EXPECT_NE(other, r);
  other = r;
  other.set(4, std::int64_t{-7});
  EXPECT_NE(other, r);
  other = r;
  other.set(7, decimal{12'345, 5});
  EXPECT_NE(other, r);
}

TEST(Row, IsEmptyWhenMovedFromAndCanBeUsedAgain) {
  row r = one_of_each();
  const row taken = std::move(r);
  EXPECT_EQ(r.arity(), 0U);  // NOLINT(bugprone-use-after-move): the point of the test
  EXPECT_EQ(r.table(), "");
  EXPECT_EQ(r.option_count(), 0U);
  EXPECT_EQ(row(r).arity(), 0U);
  EXPECT_EQ(r.project({}).arity(), 0U);
  r.set_option("name", true);
  EXPECT_EQ(r.option_count(), 1U);
  r = taken;
  EXPECT_EQ(r, taken);
}

TEST(Row, KeepsASetAfterACopyToItself) {
  const row r = one_of_each();
  row copy = r;
  for (int turn = 0; turn < 100; ++turn) {
    copy.set(1, "turn " + std::to_string(turn));
    copy.set(5, std::array{std::byte{9}});
    ASSERT_EQ(copy.at(1).as_string(), "turn " + std::to_string(turn));
  }
  EXPECT_EQ(r, one_of_each());
  EXPECT_EQ(copy.at(6).as_strings()[2], "\u00e9\u00e9");
}

TEST(Row, StoresAValueThatLiesInTheVeryRow) {
  row r(3, 0);
  r.set(0, std::string(60, 'a'));
  for (int turn = 0; turn < 20; ++turn) {  // each turn may replace the block under the view
    r.set(1, r.at(0).as_string());
    r.set(2, r.at(1));
    r.set(0, r.at(2).as_string());
    ASSERT_EQ(r.at(0).as_string(), std::string(60, 'a'));
  }
  r.set(0, std::string(5000, 'b'));
  r.set(1, r.at(0));
  r.set(0, r.at(0).as_string());
  r.set(0, r.at(0));
  EXPECT_EQ(r.at(0).as_string(), std::string(5000, 'b'));
  EXPECT_EQ(r.at(1), r.at(0));
}

TEST(Row, ProjectsInTheOrderAskedFor) {
  row r = one_of_each();
  r.set_table("database.table");
  r.set_kind(row_kind::update_before);
  r.set_option("source", "benchmark");
  const row p = r.project(std::array<std::uint32_t, 5>{6, 1, 8, 0, 1});
  ASSERT_EQ(p.arity(), 5U);
  EXPECT_EQ(p.at(0), r.at(6));
  EXPECT_EQ(p.at(1).as_string(), "text");
  EXPECT_TRUE(p.at(2).is_null());
  EXPECT_EQ(p.at(3).as_int64(), -5);
  EXPECT_EQ(p.at(4), p.at(1));
  EXPECT_EQ(p.table(), "database.table");
  EXPECT_EQ(p.kind(), row_kind::update_before);
  EXPECT_EQ(p.option("source").as_string(), "benchmark");
}

TEST(Row, ProjectsAFieldTwiceIntoTwoThatChangeApart) {
  row p = one_of_each().project(std::array<std::uint32_t, 2>{1, 1});
  p.set(0, "other");
  EXPECT_EQ(p.at(0).as_string(), "other");
  EXPECT_EQ(p.at(1).as_string(), "text");
}

TEST(Row, ProjectsNothing) {
  const row p = one_of_each().project({});
  EXPECT_EQ(p.arity(), 0U);
  EXPECT_EQ(p.bytes_size(), 0U);
}

TEST(Row, ProjectsLongContentsAndManyShortOnes) {
  row r(40);
  for (std::size_t i = 0; i < 39; ++i) r.set(i, "field " + std::to_string(i));
  r.set(39, std::string(3000, 'z'));
  const row p = r.project(std::array<std::uint32_t, 3>{38, 39, 2});
  EXPECT_EQ(p.at(0).as_string(), "field 38");
  EXPECT_EQ(p.at(1).as_string(), std::string(3000, 'z'));
  EXPECT_EQ(p.at(1).as_string().data(), r.at(39).as_string().data()) << "long contents are shared";
  EXPECT_EQ(p.at(2).as_string(), "field 2");
}

TEST(Row, TakesDecimalsBeyond64Bits) {
  row r(2, 0);
  r.set(0, wide);
  r.set(1, decimal{-wide.unscaled, 20});
  row copy = r;
  EXPECT_EQ(copy.at(0).as_decimal(), wide);
  EXPECT_EQ(copy.at(1).as_decimal(), (decimal{-wide.unscaled, 20}));
  EXPECT_EQ(copy.bytes_size(), 72U);
  EXPECT_EQ(copy, r);
  copy.set(0, decimal{1, 4});
  EXPECT_NE(copy, r);
  const auto least = std::numeric_limits<std::int64_t>::min();
  copy.set(0, decimal{least, 0});
  EXPECT_EQ(copy.at(0).as_decimal().unscaled, least);
  copy.set(0, decimal{int128{least} - 1, 0});
  EXPECT_EQ(copy.at(0).as_decimal().unscaled, int128{least} - 1);
}

TEST(Row, HoldsAThousandFields) {
  row r(1000);
  for (std::size_t i = 0; i < 1000; ++i) {
    if (i % 2 == 0) {
      r.set(i, "wide row, field " + std::to_string(i));
    } else {
      r.set(i, static_cast<std::int64_t>(i));
    }
  }
  row copy = r;
  copy.set(0, "changed");
  copy.set(1, std::int64_t{-1});
  EXPECT_EQ(r.at(0).as_string(), "wide row, field 0");
  EXPECT_EQ(r.at(1).as_int64(), 1);
  EXPECT_EQ(copy.at(0).as_string(), "changed");
  for (std::size_t i = 2; i < 1000; ++i) ASSERT_EQ(copy.at(i), r.at(i)) << i;
}

TEST(Row, SharesALargeBlockUntilTheFirstWrite) {
  row r(1000);
  r.set(7, "seven");
  row copy = r;
  EXPECT_EQ(copy.at(7).as_string().data(), r.at(7).as_string().data());
  r.set(8, "the source may be the one that writes");
  EXPECT_TRUE(copy.at(8).is_null());
  EXPECT_NE(copy.at(7).as_string().data(), r.at(7).as_string().data());
  r = row();
  EXPECT_EQ(copy.at(7).as_string(), "seven");
}

TEST(Row, SharesLongContentsAndFreesThemWithTheLastRow) {  // leaks and double frees: the asan workflow
  row r(3);
  r.set(0, std::vector<std::byte>(100'000, std::byte{5}));
  r.set(1, std::string(513, 's'));
  r.set(2, std::vector<std::string_view>(200, "long list"sv));
  row copy = r;
  EXPECT_EQ(copy.at(0).as_bytes().data(), r.at(0).as_bytes().data());
  EXPECT_EQ(copy.bytes_size(), 100'000U + 513U + 1800U);
  copy.set(0, "short");
  copy.set_null(1);
  EXPECT_EQ(r.at(0).as_bytes().size(), 100'000U);
  EXPECT_EQ(r.at(1).as_string().size(), 513U);
  r = row(1);
  EXPECT_EQ(copy.at(2).as_strings()[199], "long list");
  copy.set(2, std::string(600, 't'));
  EXPECT_EQ(copy.at(2).as_string(), std::string(600, 't'));
}

TEST(Row, StoresContentsOfEveryLengthRoundTheLimits) {
  for (std::size_t n = 0; n <= 1100; n += (n > 480 && n < 540) || (n > 990 && n < 1030) ? 1 : 29) {
    row r(2, 0);
    r.set(0, std::string(n, 'a'));
    r.set(1, std::vector<std::byte>(n, std::byte{7}));
    const row copy = r;
    ASSERT_EQ(copy.at(0).as_string(), std::string(n, 'a')) << n;
    ASSERT_EQ(copy.at(1).as_bytes().size(), n);
    ASSERT_EQ(copy.bytes_size(), 2 * n);
  }
}

TEST(RowOptions, StayApartAfterACopy) {
  row r(1);
  r.set_option("source", "benchmark");
  r.set_option("partition", std::int32_t{3});
  r.set_option("offset", std::int64_t{100});
  row copy = r;
  copy.set_option("__st_trace_payload", some_bytes);
  EXPECT_EQ(copy.option_count(), 4U);
  EXPECT_EQ(r.option_count(), 3U);
  EXPECT_TRUE(r.option("__st_trace_payload").is_null());
  r.set_option("partition", std::int32_t{4});
  EXPECT_EQ(copy.option("partition").as_int32(), 3);
  EXPECT_EQ(copy.option("offset").as_int64(), 100);
}

TEST(RowOptions, AreReplacedByName) {
  row r(0);
  r.set_option("a", std::int32_t{1});
  r.set_option("ab", std::int32_t{2});
  r.set_option("a", "now text");
  EXPECT_EQ(r.option_count(), 2U);
  EXPECT_EQ(r.option("a").as_string(), "now text");
  EXPECT_EQ(r.option("ab").as_int32(), 2);
  EXPECT_TRUE(r.option("").is_null());
}

TEST(RowOptions, GrowBeyondAnyFixedTable) {
  row r(1);
  for (int i = 0; i < 500; ++i) r.set_option("option " + std::to_string(i), static_cast<std::int64_t>(i));
  row copy = r;
  copy.set_option("option 7", "replaced");
  copy.set_option("one more", true);
  ASSERT_EQ(r.option_count(), 500U);
  ASSERT_EQ(copy.option_count(), 501U);
  for (int i = 0; i < 500; ++i) ASSERT_EQ(r.option("option " + std::to_string(i)).as_int64(), i);
  EXPECT_EQ(copy.option("option 7").as_string(), "replaced");
  EXPECT_EQ(copy.option("option 499").as_int64(), 499);
}

TEST(RowOptions, TakeNameAndValueFromTheSameRow) {
  row r(0);
  r.set_option("first", "name of another option, and long enough to be moved with its block");
  for (int i = 0; i < 100; ++i) {
    const std::string name = "copy " + std::to_string(i);
    r.set_option(name, r.option("first"));
    r.set_option(r.option(name).as_string(), r.option(name).as_string());
    ASSERT_EQ(r.option(name), r.option("first"));
  }
  EXPECT_EQ(r.option_count(), 102U);
}

TEST(RowThreads, ARowEndsOnAnotherThreadThanItsCopies) {
  std::vector<row> rows;
  for (std::int32_t id = 0; id < 600; ++id) {
    const numbered_row content(id);
    rows.emplace_back(content.fields()).set_option("source", "benchmark");
    rows.back().set_option("long", std::string(2000, 'x'));
  }
  std::vector<row> copies = rows;
  std::thread consumer([moved = std::move(rows)]() mutable {
    for (row& r : moved) {
      const row again = r;
      r.set(1, "changed on the other thread");
      r.set_option("more", std::int64_t{1});
      EXPECT_EQ(again.option_count(), 2U);
    }
    moved.clear();
  });
  for (std::int32_t id = 0; id < 600; ++id) {
    const numbered_row content(id);
    row& copy = copies[static_cast<std::size_t>(id)];
    EXPECT_EQ(copy, row(content.fields()));
    copy = copy.project(weir::data::row_projection);
  }
  consumer.join();
  EXPECT_EQ(copies.back().option("long").as_string(), std::string(2000, 'x'));
}

TEST(RowThreads, ReadersAndCopiersShareOneRow) {
  row wide_row(500);
  wide_row.set(3, std::string(1000, 'w'));
  wide_row.set(4, "four");
  const row& shared = wide_row;
  const auto read = [&] {
    for (int turn = 0; turn < 200; ++turn) {
      row mine = shared;
      EXPECT_EQ(mine.bytes_size(), 1004U);
      EXPECT_EQ(shared.bytes_size(), 1004U);
      mine.set(4, "mine");
      EXPECT_EQ(shared.at(4).as_string(), "four");
      EXPECT_EQ(mine.at(3), shared.at(3));
    }
  };
  std::thread one(read);
  std::thread two(read);
  one.join();
  two.join();
}

row of_static_storage;  // ends after the main thread's lists are closed

TEST(RowThreads, ARowOfStaticStorageOutlivesItsThreadsLists) {
  of_static_storage = one_of_each();
  EXPECT_EQ(of_static_storage, one_of_each());
}

#if WEIR_CHECKS
TEST(RowDeathTest, ChecksIndexAndKind) {
  const row r = one_of_each();
  EXPECT_DEATH(static_cast<void>(r.at(9)), "weir.expects");
  EXPECT_DEATH(static_cast<void>(r.at(0).as_string()), "weir.expects");
  EXPECT_DEATH(static_cast<void>(r.project(std::array<std::uint32_t, 1>{9})), "weir.expects");
}
#endif

}  // namespace
