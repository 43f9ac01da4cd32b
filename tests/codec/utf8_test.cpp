#include <weir/codec/utf8.hpp>

#include <cstddef>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace {

using weir::codec::utf8_prefix;

static_assert(utf8_prefix("") == 0);
static_assert(utf8_prefix("a\u00e9\u20ac\U0001F600") == 10);

TEST(Utf8Prefix, TakesAllOfWellFormedTextAtAnyLength) {
  std::string text;
  for (std::size_t n = 0; n < 40; ++n) {
    EXPECT_EQ(utf8_prefix(text), n);
    text += n % 3 == 0 ? '\0' : 'x';
  }
}

TEST(Utf8Prefix, FindsTheOneBadByteWhereverItIs) {
  for (std::size_t n = 1; n < 40; ++n)
    for (std::size_t bad = 0; bad < n; ++bad) {
      std::string text(n, 'x');
      text[bad] = '\x80';
      EXPECT_EQ(utf8_prefix(text), bad) << n;
    }
}

TEST(Utf8Prefix, StopsAtOverlongFormsSurrogatesAndWhatIsCutOff) {
  using namespace std::string_view_literals;
  for (const std::string_view bad :
       {"\xC0\x80"sv, "\xC1\xBF"sv, "\xE0\x9F\xBF"sv, "\xED\xA0\x80"sv, "\xF0\x8F\xBF\xBF"sv, "\xF4\x90\x80\x80"sv,
        "\xF5\x80\x80\x80"sv, "\xC3"sv, "\xE2\x82"sv, "\xF0\x9F\x98"sv, "\xE2\x28\xA1"sv, "\xF0\x9F\x28\x80"sv,
        "\xFF"sv, "\xBF"sv}) {
    EXPECT_EQ(utf8_prefix(bad), 0U);
    EXPECT_EQ(utf8_prefix("\u20ac" + std::string(bad)), 3U);
  }
  for (const std::string_view good :
       {"\xC2\x80"sv, "\xE0\xA0\x80"sv, "\xED\x9F\xBF"sv, "\xEE\x80\x80"sv, "\xF0\x90\x80\x80"sv, "\xF4\x8F\xBF\xBF"sv})
    EXPECT_EQ(utf8_prefix(good), good.size());
}

}  // namespace
