#include <weir/data/text.hpp>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

using weir::data::utf16_units;

TEST(Utf16Units, CountOneACodePointAndTwoBeyondTheFirstPlane) {
  EXPECT_EQ(utf16_units(""), 0U);
  EXPECT_EQ(utf16_units("row"), 3U);
  EXPECT_EQ(utf16_units("\u00e9"), 1U);       // é
  EXPECT_EQ(utf16_units("\u4e2d\u6587"), 2U);  // 中文
  EXPECT_EQ(utf16_units("\U0001F600"), 2U);    // a surrogate pair
  static_assert(utf16_units("a\u00e9\U0001F600") == 4);
}

// Every length that takes another path, and the non-ASCII character at every place of it.
TEST(CopyText, CopiesAndCountsAtEveryLength) {
  for (std::size_t n = 0; n <= 40; ++n) {
    const std::string ascii = std::string("abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH").substr(0, n);
    for (std::size_t at = 0; at <= n; ++at) {
      std::string text = ascii;
      std::size_t units = n;
      if (at < n) {
        text.replace(at, 1, "\u00e9");
        units = n;
      }
      std::vector<std::byte> to(text.size() + 1, std::byte{0x5A});
      EXPECT_EQ(weir::data::detail::copy_text(to.data(), text), units) << text;
      EXPECT_EQ(utf16_units(text), units) << text;
      EXPECT_EQ(std::memcmp(to.data(), text.data(), text.size()), 0) << text;
      EXPECT_EQ(to.back(), std::byte{0x5A}) << "wrote beyond " << n;
    }
  }
}

}  // namespace
