#include <weir/codec/framing.hpp>

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include <weir/codec/fault.hpp>

namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;
using weir::codec::fault;
using weir::codec::fault_kind;
using weir::codec::framing;

std::string written(const framing& f) {
  std::string bytes(f.size(), 'x');
  f.write(bytes.data());
  return bytes;
}

TEST(CodecFraming, WritesMagicSchemaIdAndMessageIndex) {
  EXPECT_EQ(written(framing::none()), "");
  EXPECT_EQ(written(framing::schema(0x01020384)), "\0\x01\x02\x03\x84"sv);
  EXPECT_EQ(written(framing::first_message(1)), "\0\0\0\0\1\0"sv);
}

TEST(CodecFraming, SaysWhatIsWrongAndWhere) {
  const framing f = framing::first_message(1);
  for (const std::string behind : {"", "x", "xy", "xyz"}) {
    EXPECT_FALSE(f.check("\0\0\0\0\1\0"s + behind));
    EXPECT_FALSE(framing::schema(1).check("\0\0\0\0\1"s + behind));
    EXPECT_EQ(f.check("\1\0\0\0\1\0"s + behind), (fault{fault_kind::wrong_framing, 0}));
    EXPECT_EQ(f.check("\0\0\0\0\2\0"s + behind), (fault{fault_kind::wrong_schema_id, 1}));
    EXPECT_EQ(f.check("\0\0\0\0\1\1"s + behind), (fault{fault_kind::wrong_framing, 5}));
  }
  EXPECT_EQ(f.check("\0\0\0"sv), (fault{fault_kind::truncated, 3}));
  EXPECT_EQ(f.check(""), (fault{fault_kind::truncated, 0}));
  EXPECT_FALSE(framing::none().check(""));
}

TEST(CodecFault, ReadsAsASentence) {
  EXPECT_EQ(to_text(fault{fault_kind::not_utf8, 17}), "byte 17: text is not UTF-8");
  EXPECT_EQ(to_text(fault{fault_kind::bad_syntax, 0}), "byte 0: not this format");
}

}  // namespace
