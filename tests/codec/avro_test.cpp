#include <weir/codec/avro.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>

#include <gtest/gtest.h>

#include <weir/codec/buffer.hpp>
#include <weir/codec/codec.hpp>
#include <weir/codec/fault.hpp>
#include <weir/codec/framing.hpp>
#include <weir/codec/record.hpp>
#include <weir/codec/schemas.hpp>

namespace {

namespace codec = weir::codec;
using namespace std::string_view_literals;
using codec::avro;
using codec::fault;
using codec::fault_kind;
using codec::framing;

struct small {
  std::int32_t number = 0;
  std::string text{};
  static constexpr auto fields() {
    return std::tuple(codec::field("number", &small::number), codec::field("text", &small::text));
  }
};

static_assert(codec::codec_of<avro, small>);
static_assert(codec::codec_of<avro, codec::dynamic_record>);

fault decode(std::string_view bytes) {
  small out;
  return avro(framing::none()).deserialize(bytes, out);
}

TEST(Avro, WritesTheSpecificationsBytes) {
  codec::buffer out;
  // Zigzag of 0, -1, 1, -2, 2 is 0, 1, 2, 3, 4; 64 and -64 need two bytes and one.
  for (const std::int32_t n : {0, -1, 1, -2, 2, 64, -64}) avro(framing::none()).serialize(small{n, "foo"}, out);
  EXPECT_EQ(out.view(), "\2\0\2\6foo\2\1\2\6foo\2\2\2\6foo\2\3\2\6foo\2\4\2\6foo\2\x80\x01\2\6foo\2\x7F\2\6foo"sv);
}

TEST(Avro, GoesThereAndBackAtTheEndsOfItsRanges) {
  for (const std::int64_t n : {std::numeric_limits<std::int64_t>::min(), std::int64_t{-1}, std::int64_t{0},
                               std::numeric_limits<std::int64_t>::max()}) {
    codec::buffer out;
    avro().serialize(codec::single_key::record{n}, out);
    codec::single_key::record back;
    EXPECT_FALSE(avro().deserialize(out.view(), back));
    EXPECT_EQ(back.col0, n);
  }
  for (const std::int32_t n : {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()}) {
    codec::buffer out;
    avro().serialize(small{n, std::string(300, 'x')}, out);
    small back;
    EXPECT_FALSE(avro().deserialize(out.view(), back));
    EXPECT_EQ(back.number, n);
    EXPECT_EQ(back.text.size(), 300U);
  }
}

TEST(Avro, SaysWhatIsWrongAndWhere) {
  EXPECT_FALSE(decode("\2\0\2\2x"sv));
  EXPECT_FALSE(decode("\x82\0\0\2\2x"sv));  // the branch in two bytes
  EXPECT_EQ(decode(""), (fault{fault_kind::truncated, 0}));
  EXPECT_EQ(decode("\0\2\2x"sv), (fault{fault_kind::null_value, 0}));
  EXPECT_EQ(decode("\4\0\2\2x"sv), (fault{fault_kind::bad_branch, 0}));
  EXPECT_EQ(decode("\2\0\2\2xy"sv), (fault{fault_kind::trailing_bytes, 5}));
  EXPECT_EQ(decode("\2\0\2\3x"sv), (fault{fault_kind::bad_length, 3}));
  EXPECT_EQ(decode("\2\0\2\4x"sv), (fault{fault_kind::truncated, 3}));
  EXPECT_EQ(decode("\2\0\2\4x\xFF"sv), (fault{fault_kind::not_utf8, 5}));
}

TEST(Avro, RefusesAVarintOfMoreThan64Bits) {
  EXPECT_EQ(decode("\2\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\0\2\2x"sv), (fault{fault_kind::varint_too_long, 1}));
  EXPECT_EQ(decode("\2\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02\2\2x"sv), (fault{fault_kind::varint_too_long, 1}));
  EXPECT_EQ(decode("\2\x80\x80\x80\x80\x80\x80\x80\x80\x80"sv), (fault{fault_kind::truncated, 1}));
  // Ten bytes that mean 0: longer than needed, and still 64 bits.
  EXPECT_FALSE(decode("\2\x80\x80\x80\x80\x80\x80\x80\x80\x80\0\2\2x"sv));
}

TEST(Avro, RefusesANumberThatDoesNotFitItsField) {
  EXPECT_EQ(decode("\2\x80\x80\x80\x80\x10\2\2x"sv), (fault{fault_kind::out_of_range, 1}));  // 2^31
  EXPECT_FALSE(decode("\2\xFF\xFF\xFF\xFF\x0F\2\2x"sv));                                     // -2^31
}

TEST(Avro, RefusesALengthThatWouldAllocateTheWorld) {
  // 2^62 and 2^61 characters, of which one is there.
  EXPECT_EQ(decode("\2\0\2\x80\x80\x80\x80\x80\x80\x80\x80\x80\1x"sv), (fault{fault_kind::truncated, 3}));
  EXPECT_EQ(decode("\2\0\2\x80\x80\x80\x80\x80\x80\x80\x80\x40x"sv), (fault{fault_kind::truncated, 3}));
}

TEST(Avro, CountsTheFramingInItsOffsets) {
  small out;
  EXPECT_EQ(avro().deserialize("\0\0\0\0\1\2\0\2\3x"sv, out), (fault{fault_kind::bad_length, 8}));
  EXPECT_EQ(avro().deserialize("\0\0\0\0\2\2\0\2\2x"sv, out), (fault{fault_kind::wrong_schema_id, 1}));
}

}  // namespace
