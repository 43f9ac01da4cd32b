#include <weir/data/naive_row.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include <gtest/gtest.h>

namespace {

using namespace std::string_view_literals;
using weir::data::naive_row;

static_assert(weir::data::row_like<naive_row> && weir::data::projectable_row<naive_row> &&
              weir::data::row_with_options<naive_row> && weir::data::settable_row<naive_row>);

TEST(NaiveRow, StoresEveryKindAsItself) {
  naive_row r(9);
  r.set(0, std::int64_t{1});
  r.set(1, "text");
  r.set(2, 0.5);
  r.set(3, true);
  r.set(4, std::int32_t{2});
  r.set(5, std::array{std::byte{1}});
  r.set(6, std::array{"a"sv, "bc"sv});
  r.set(7, weir::data::decimal{1, 2});
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(r.at(i).index(), i + 1);
  EXPECT_EQ(r.at(8).index(), 0U);
  EXPECT_EQ(r.bytes_size(), 8U + 4U + 8U + 1U + 4U + 1U + 3U + 36U);
}

TEST(NaiveRow, CopiesDeeply) {
  naive_row r(1);
  r.set(0, "text that no small-string buffer holds");
  const naive_row copy = r;
  EXPECT_NE(std::get<std::string>(copy.at(0)).data(), std::get<std::string>(r.at(0)).data());
}

}  // namespace
