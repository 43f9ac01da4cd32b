// Every codec that this build has, on every schema that it does: there and back, and whatever bytes.

#include "all.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/base/random.hpp>
#include <weir/codec/buffer.hpp>
#include <weir/codec/codec.hpp>
#include <weir/codec/fault.hpp>
#include <weir/codec/framing.hpp>
#include <weir/codec/record.hpp>
#include <weir/codec/schemas.hpp>

// avro-c 1.11 loses the block of a text that is cut off; sanitizers ask by this name.
extern "C" const char* __lsan_default_suppressions() { return "leak:libavro"; }  // NOLINT(bugprone-reserved-identifier)

namespace {

namespace codec = weir::codec;
using codec::fault;
using codec::fault_kind;

/// One codec on one schema, without its types.
struct subject {
  std::string name;
  std::size_t frame = 0;
  std::vector<std::string> wire{};  // some records, encoded
  std::function<std::string()> there_and_back{};  // what went wrong
  std::function<fault(std::string_view)> decode{};  // into a fresh struct
  std::function<fault(std::string_view)> decode_dynamic{};  // into a dynamic record, where the codec can
};

template <class Schema, class Make>
subject subject_of(const Make& make, const codec::shape& form) {
  using record = typename Schema::record;
  using made = decltype(make(form));
  const std::shared_ptr<made> one(new made(make(form)));  // some do not move
  subject s{.name = std::string(one->name()) + "/" + std::string(Schema::name), .frame = one->frame().size()};
  const auto records = codec::make_records<Schema>(42, 64);
  for (std::size_t i = 0; i < 2; ++i) {
    codec::buffer out;
    one->serialize(records[i], out);
    s.wire.emplace_back(out.view());
  }
  s.there_and_back = [&, one, records]() -> std::string {
    for (const auto& r : records) {
      codec::buffer out;
      out.append("before");
      one->serialize(r, out);
      const std::string_view bytes = out.view().substr(6);
      record back;
      if (const fault f = one->deserialize(bytes, back)) return to_text(f);
      if (const std::string lost = codec::first_difference(r, back); !lost.empty()) return lost;
      if constexpr (codec::codec_of<made, codec::dynamic_record>) {
        codec::buffer same;
        one->serialize(to_dynamic(r, form), same);
        if (same.view() != bytes) return "other bytes from a dynamic record";
        codec::dynamic_record d(form);
        if (const fault f = one->deserialize(bytes, d)) return to_text(f);
        if (const std::string lost = codec::first_difference(r, d); !lost.empty()) return "dynamic: " + lost;
      }
    }
    return {};
  };
  s.decode = [one](std::string_view bytes) {
    record out;
    return one->deserialize(bytes, out);
  };
  if constexpr (codec::codec_of<made, codec::dynamic_record>)
    s.decode_dynamic = [one, &form](std::string_view bytes) {
      codec::dynamic_record out(form);
      return one->deserialize(bytes, out);
    };
  return s;
}

const std::vector<subject>& subjects() {
  static const std::vector<subject> all = [] {
    std::vector<subject> some;
    reference::for_each_pair([&]<class Schema>(const auto& make, const codec::shape& form) {
      some.push_back(subject_of<Schema>(make, form));
    });
    return some;
  }();
  return all;
}

/// Bytes of its own, so that a sanitizer sees a step beyond their end.  Returns: the fault.
fault decode(const subject& s, std::string_view bytes) {
  const std::vector<char> exact(bytes.begin(), bytes.end());
  const std::string_view view(exact.data(), exact.size());
  if (s.decode_dynamic) {
    EXPECT_LE(s.decode_dynamic(view).at, bytes.size()) << s.name;
  }
  const fault f = s.decode(view);
  EXPECT_LE(f.at, bytes.size()) << s.name << " " << to_text(f);
  return f;
}

/// A missing field is a zero and one more field is nobody's business.
bool is_protobuf(const subject& s) { return s.name.starts_with("Protobuf"); }

TEST(EveryCodec, GivesBackWhatItWasGiven) {
  EXPECT_GE(subjects().size(), 11U);
  for (const subject& s : subjects()) EXPECT_EQ(s.there_and_back(), "") << s.name;
}

TEST(EveryCodec, RefusesBytesThatAreCutOffAnywhere) {
  for (const subject& s : subjects())
    for (std::size_t n = 0; n < s.wire[0].size(); ++n) {
      const fault f = decode(s, std::string_view(s.wire[0]).substr(0, n));
      if (is_protobuf(s) && n >= s.frame) continue;
      // A number cut short is a number, and so is a text.
      const bool still_whole = s.name.ends_with("single-key") || s.name.starts_with("Delimited");
      EXPECT_TRUE(bool(f) || still_whole) << s.name << " cut to " << n;
    }
}

TEST(EveryCodec, RefusesWhatFollowsTheRecord) {
  for (const subject& s : subjects()) {
    if (s.name.starts_with("Delimited")) {
      EXPECT_TRUE(decode(s, s.wire[0] + ",1")) << s.name;
    } else {
      EXPECT_TRUE(decode(s, s.wire[0] + std::string(1, '\0'))) << s.name;
      EXPECT_TRUE(decode(s, s.wire[0] + "\"")) << s.name;
    }
  }
}

TEST(EveryCodec, RefusesAnotherFramingAndAnotherSchema) {
  for (const subject& s : subjects()) {
    if (s.frame == 0) continue;
    std::string bytes = s.wire[0];
    bytes[0] = 1;
    EXPECT_EQ(decode(s, bytes), (fault{fault_kind::wrong_framing, 0})) << s.name;
    bytes = s.wire[0];
    bytes[4] = 2;
    EXPECT_EQ(decode(s, bytes), (fault{fault_kind::wrong_schema_id, 1})) << s.name;
    if (s.frame < 6) continue;
    bytes = s.wire[0];
    bytes[5] = 2;
    EXPECT_EQ(decode(s, bytes), (fault{fault_kind::wrong_framing, 5})) << s.name;
  }
}

TEST(EveryCodec, RefusesTextThatIsNotUtf8AtItsByte) {
  for (const subject& s : subjects()) {
    if (!s.name.ends_with("impressions")) continue;
    std::string bytes = s.wire[0];
    const std::size_t at = bytes.find("impression_") + 5;
    bytes[at] = '\xFF';
    EXPECT_EQ(decode(s, bytes), (fault{fault_kind::not_utf8, at})) << s.name;
  }
}

TEST(EveryCodec, SurvivesChangedBytes) {
  weir::random_bits bits(20240601);
  for (const subject& s : subjects())
    for (int round = 0; round < 400; ++round) {
      std::string bytes = s.wire[static_cast<std::size_t>(round) % s.wire.size()];
      const std::uint64_t changes = 1 + bits() % 4;
      for (std::uint64_t i = 0; i < changes; ++i) {
        const std::size_t at = bits() % bytes.size();
        switch (bits() % 4) {
          case 0:
            bytes[at] = static_cast<char>(bits());
            break;
          case 1:
            bytes[at] = static_cast<char>(bytes[at] ^ 1 << bits() % 8);
            break;
          case 2:
            bytes.insert(at, bits() % 12, static_cast<char>(bits()));
            break;
          default:
            bytes.erase(at, bits() % 8);
        }
        if (bytes.empty()) bytes = "x";
      }
      static_cast<void>(decode(s, bytes));
    }
}

TEST(EveryCodec, SurvivesNoise) {
  weir::random_bits bits(7);
  for (const subject& s : subjects())
    for (std::size_t n = 0; n < 200; ++n) {
      std::string bytes = s.wire[0].substr(0, s.frame);
      for (std::size_t i = 0; i < n; ++i) bytes += static_cast<char>(bits());
      static_cast<void>(decode(s, bytes));
    }
}

TEST(EveryCodec, RefusesDeepNesting) {
  for (const subject& s : subjects()) {
    if (!s.name.starts_with("JSON")) continue;
    for (const char* open : {"[", "{\"metric\":", "{\"x\":[", "{\"id\":{"}) {
      std::string bytes = s.wire[0].substr(0, s.frame);
      for (int depth = 0; depth < 4'000; ++depth) bytes += open;
      EXPECT_TRUE(decode(s, bytes)) << s.name << " " << open;
    }
  }
  // Protobuf: a field of bytes within a field of bytes, as deep as its lengths allow.
  for (const subject& s : subjects()) {
    if (!is_protobuf(s) || !s.name.ends_with("metrics")) continue;
    std::string bytes;
    for (int depth = 0; depth < 2'000; ++depth) {
      std::string around = "\x1A";
      for (std::size_t n = bytes.size(); around.size() == 1 || n != 0; n >>= 7)
        around += static_cast<char>((n & 0x7F) | (n >= 0x80 ? 0x80 : 0));
      bytes = around + bytes;
    }
    static_cast<void>(decode(s, s.wire[0].substr(0, s.frame) + bytes));
    // Groups, which may nest without lengths.
    static_cast<void>(decode(s, s.wire[0].substr(0, s.frame) + std::string(100'000, '\x23')));
  }
}

TEST(EveryCodec, RefusesOverlongVarints) {
  for (const subject& s : subjects()) {
    if (!s.name.starts_with("Avro") && !is_protobuf(s)) continue;
    std::string bytes = s.wire[0].substr(0, s.frame);
    if (is_protobuf(s)) bytes += '\x08';
    bytes += std::string(11, '\x80') + '\1';
    EXPECT_TRUE(decode(s, bytes)) << s.name;
  }
}

/// The other fields as they were, one of them another text.
TEST(EveryCodec, JsonSaysWhatIsWrongWithAField) {
  const auto with = [](const subject& s, std::string_view from, std::string_view to) {
    std::string bytes = s.wire[0];
    const std::size_t at = bytes.find(from);
    EXPECT_NE(at, std::string::npos) << s.name << " " << bytes;
    bytes.replace(at, from.size(), to);
    return decode(s, bytes).kind;
  };
  for (const subject& s : subjects()) {
    if (!s.name.starts_with("JSON") || !s.name.ends_with("/metrics")) continue;
    EXPECT_EQ(with(s, "\"topic\":", "\"topik\":"),
              s.name.starts_with("JSON-") ? fault_kind::missing_field : fault_kind::unknown_field);
    EXPECT_EQ(with(s, "\"value\":", "\"value\":null,\"y\":"), fault_kind::null_value) << s.name;
    EXPECT_EQ(with(s, "\"value\":", "\"value\":\"x\",\"y\":"), fault_kind::wrong_type) << s.name;
    EXPECT_EQ(with(s, "\"value\":", "\"value\":3000000000,\"y\":"), fault_kind::out_of_range) << s.name;
    EXPECT_EQ(with(s, "{", "{\"extra\":1,"), fault_kind::unknown_field) << s.name;
    EXPECT_EQ(with(s, "{", "{ \t\r\n"), fault_kind::none) << s.name;
    EXPECT_EQ(with(s, "\"id\":\"", "\"id\":\"\\u20ac\\n"), fault_kind::none) << s.name;
  }
}

TEST(EveryCodec, ReadsJsonFieldsInAnyOrder) {
  for (const subject& s : subjects()) {
    if (!s.name.starts_with("JSON") || !s.name.ends_with("/impressions")) continue;
    const std::string frame = s.wire[0].substr(0, s.frame);
    EXPECT_EQ(decode(s, frame + R"({"adid":"a","userid":"u","impresssiontime":1,"impressionid":"i"})").kind,
              fault_kind::none)
        << s.name;
    const std::string twice = R"({"adid":"a","adid":"b","userid":"u","impresssiontime":1,"impressionid":"i"})";
    EXPECT_EQ(decode(s, frame + twice).kind,
              s.name.starts_with("JSON-") ? fault_kind::none : fault_kind::repeated_field)
        << s.name;
    EXPECT_EQ(decode(s, frame + R"({"adid":"a","userid":"u","impresssiontime":1})").kind, fault_kind::missing_field)
        << s.name;
  }
}

}  // namespace
