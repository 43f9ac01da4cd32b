#include <weir/codec/kafka.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>

#include <gtest/gtest.h>

#include <weir/codec/buffer.hpp>
#include <weir/codec/codec.hpp>
#include <weir/codec/fault.hpp>
#include <weir/codec/record.hpp>
#include <weir/codec/schemas.hpp>

namespace {

namespace codec = weir::codec;
using namespace std::literals;
using codec::fault;
using codec::fault_kind;
using codec::kafka;

template <class T>
struct one {
  T value{};
  static constexpr auto fields() { return std::tuple(codec::field("value", &one::value)); }
};

template <class T>
std::string encoded(T value) {
  codec::buffer out;
  kafka().serialize(one<T>{value}, out);
  one<T> back;
  EXPECT_FALSE(kafka().deserialize(out.view(), back));
  EXPECT_EQ(back.value, value);
  return std::string(out.view());
}

TEST(Kafka, WritesNumbersBigEndFirstAndTextAsItIs) {
  EXPECT_EQ(encoded(std::int64_t{0x0102030405060708}), "\1\2\3\4\5\6\7\x08"sv);
  EXPECT_EQ(encoded(std::int64_t{-2}), "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFE"sv);
  EXPECT_EQ(encoded(std::int32_t{-2}), "\xFF\xFF\xFF\xFE"sv);
  EXPECT_EQ(encoded("t\u00e9xt"s), "t\u00e9xt");
}

TEST(Kafka, SaysWhatIsWrongAndWhere) {
  one<std::int64_t> number;
  EXPECT_EQ(kafka().deserialize("1234567", number), (fault{fault_kind::truncated, 7}));
  EXPECT_EQ(kafka().deserialize("123456789", number), (fault{fault_kind::trailing_bytes, 8}));
  one<std::string> text;
  EXPECT_EQ(kafka().deserialize("ab\xFF", text), (fault{fault_kind::not_utf8, 2}));
}

TEST(Kafka, RefusesMoreThanOneColumnWithTheReason) {
  EXPECT_NE(codec::refusal_of<kafka>(codec::shape_of<codec::impressions::record>("impressions")), "");
  EXPECT_NE(codec::refusal_of<kafka>(codec::shape_of<codec::metrics::record>("metrics")), "");
  EXPECT_EQ(codec::refusal_of<kafka>(codec::shape_of<codec::single_key::record>("single-key")), "");
}

}  // namespace
