#include <weir/codec/buffer.hpp>

#include <cstring>
#include <string>

#include <gtest/gtest.h>

namespace {

using weir::codec::buffer;

TEST(CodecBuffer, KeepsWhatItHasWhenItGrows) {
  buffer b;
  std::string wanted;
  for (int i = 0; i < 100; ++i) {
    const std::string part(static_cast<std::size_t>(i), static_cast<char>('a' + i % 26));
    b.append(part);
    wanted += part;
  }
  EXPECT_EQ(b.view(), wanted);
}

TEST(CodecBuffer, KeepsItsMemoryWhenCleared) {
  buffer b;
  b.append("12345678");
  const char* const before = b.view().data();
  b.clear();
  EXPECT_EQ(b.size(), 0U);
  b.append("1234");
  EXPECT_EQ(b.view().data(), before);
}

TEST(CodecBuffer, EndsWhereItIsTold) {
  buffer b;
  b.append("ab");
  char* const to = b.grow(100);
  std::memcpy(to, "cd", 2);
  b.end_at(to + 2);
  EXPECT_EQ(b.view(), "abcd");
}

}  // namespace
