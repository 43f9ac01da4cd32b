#include <weir/codec/delimited.hpp>

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
using namespace std::string_literals;
using codec::delimited;
using codec::fault;
using codec::fault_kind;

struct line {
  std::string first{};
  std::int32_t number = 0;
  std::string last{};
  static constexpr auto fields() {
    return std::tuple(codec::field("first", &line::first), codec::field("number", &line::number),
                      codec::field("last", &line::last));
  }
};

std::string encoded(const line& l) {
  codec::buffer out;
  delimited().serialize(l, out);
  return std::string(out.view());
}

fault decode(std::string_view bytes) {
  line out;
  return delimited().deserialize(bytes, out);
}

TEST(Delimited, QuotesOnlyWhatItMust) {
  EXPECT_EQ(encoded({"plain", -7, "with space"}), "plain,-7,with space");
  EXPECT_EQ(encoded({"a,b", 0, "say \"x\""}), "\"a,b\",0,\"say \"\"x\"\"\"");
  EXPECT_EQ(encoded({"two\nlines", 1, "cr\r"}), "\"two\nlines\",1,\"cr\r\"");
  EXPECT_EQ(encoded({"", 1, ""}), "\"\",1,\"\"");  // not null
}

TEST(Delimited, GoesThereAndBack) {
  for (const line& l : {line{"plain", -2'147'483'648, "x"}, line{"", 2'147'483'647, ","}, line{"\"\"", 0, "\r\n,\"\0"s},
                        line{"\u20ac", 5, std::string(3, '"')}}) {
    line back;
    EXPECT_FALSE(delimited().deserialize(encoded(l), back)) << encoded(l);
    EXPECT_EQ(codec::first_difference(l, back), "");
  }
}

TEST(Delimited, SaysWhatIsWrongAndWhere) {
  EXPECT_FALSE(decode("a,1,b"));
  EXPECT_EQ(decode(""), (fault{fault_kind::null_value, 0}));
  EXPECT_EQ(decode("a,,b"), (fault{fault_kind::null_value, 2}));
  EXPECT_EQ(decode("a,1"), (fault{fault_kind::missing_field, 3}));
  EXPECT_EQ(decode("a,1,b,c"), (fault{fault_kind::trailing_bytes, 5}));
  EXPECT_EQ(decode("a,1,b\r\n"), (fault{fault_kind::trailing_bytes, 5}));
  EXPECT_EQ(decode("a,x,b"), (fault{fault_kind::wrong_type, 2}));
  EXPECT_EQ(decode("a,1x,b"), (fault{fault_kind::wrong_type, 2}));
  EXPECT_EQ(decode("a,3000000000,b"), (fault{fault_kind::out_of_range, 2}));
  EXPECT_EQ(decode("a,1,\"b"), (fault{fault_kind::truncated, 4}));
  EXPECT_EQ(decode("\"a\"x,1,b"), (fault{fault_kind::bad_syntax, 3}));
  EXPECT_FALSE(decode("a,\"1\",b"));
  EXPECT_EQ(decode("a,\"1"), (fault{fault_kind::truncated, 3}));
  EXPECT_EQ(decode("a,\"1,\",b"), (fault{fault_kind::bad_syntax, 4}));
  EXPECT_EQ(decode("a,\"\",b"), (fault{fault_kind::wrong_type, 3}));
  EXPECT_EQ(decode("a\"x,1,b"), (fault{fault_kind::bad_syntax, 1}));
  EXPECT_EQ(decode("a,1,b\xFF"), (fault{fault_kind::not_utf8, 5}));
  EXPECT_EQ(decode("\"a\xC3\",1,b"), (fault{fault_kind::not_utf8, 2}));
}

TEST(Delimited, RefusesNestedRecordsWithTheReason) {
  EXPECT_NE(codec::refusal_of<delimited>(codec::shape_of<codec::metrics::record>("metrics")), "");
  EXPECT_EQ(codec::refusal_of<delimited>(codec::shape_of<codec::impressions::record>("impressions")), "");
}

}  // namespace
