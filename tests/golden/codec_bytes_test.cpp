// The bytes of three records of each schema, seed 42, in each format: a change here changes what every benchmark
// measures. Those of Avro, Delimited and Kafka were computed by an independent implementation of generator and formats.

#include "all.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include <weir/codec/avro.hpp>
#include <weir/codec/buffer.hpp>
#include <weir/codec/record.hpp>
#include <weir/codec/schemas.hpp>

namespace {

namespace codec = weir::codec;

/// FNV-1a, 64 bits.
std::uint64_t hash(std::string_view bytes) {
  std::uint64_t h = 14695981039346656037U;
  for (const char c : bytes) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return h;
}

struct encoded {
  std::size_t size;
  std::uint64_t hash;
  friend bool operator==(const encoded&, const encoded&) = default;
  friend void PrintTo(const encoded& e, std::ostream* out) {
    *out << "{" << e.size << ", 0x" << std::hex << e.hash << std::dec << "}";
  }
};
using three = std::array<encoded, 3>;

const std::map<std::string, three, std::less<>> golden{
    {"JSON/single-key", {{{5, 0x1b3e2716d29aedc2}, {5, 0x7f7bf65e65182564}, {5, 0x3836e3f3be82ab1c}}}},
    {"JSON/impressions", {{{99, 0xaec4f29e9d7b41b4}, {99, 0xc7d2f21c07eb47bd}, {99, 0x5805a616b0e43b8}}}},
    {"JSON/metrics", {{{577, 0xc6c633411afd95f6}, {580, 0x8198f204b48a9a02}, {578, 0x9c2fbe21856d5fba}}}},
    {"JSON/metrics-asrun", {{{756, 0xaa55c5043efe4f01}, {698, 0xc22d7b1ca94a4035}, {699, 0xf4434461d0fb88ce}}}},
    {"JSON_SR/single-key", {{{10, 0x4cda24bd90572b21}, {10, 0x8fc99b1898aba57}, {10, 0x377d4c2ab524e943}}}},
    {"JSON_SR/impressions", {{{104, 0x9864f371e3218e43}, {104, 0x3b36eda14a45b586}, {104, 0xdfdbbeb175be1f4f}}}},
    {"JSON_SR/metrics", {{{582, 0x7afc8f459543aac5}, {585, 0x112fe22d4e8cb23}, {583, 0x63cd5d08c886fa53}}}},
    {"JSON_SR/metrics-asrun", {{{761, 0x50d0cf4bdd75e698}, {703, 0x60aba63af161ad08}, {704, 0xc36ac82aa0151b8d}}}},
    {"JSON-nlohmann/single-key", {{{5, 0x1b3e2716d29aedc2}, {5, 0x7f7bf65e65182564}, {5, 0x3836e3f3be82ab1c}}}},
    {"JSON-nlohmann/impressions", {{{99, 0x50ef1ecc9925f6e6}, {99, 0x3a1303b9fe070e65}, {99, 0x24e44ef9f21d275a}}}},
    {"JSON-nlohmann/metrics", {{{577, 0xb6e7380552168656}, {580, 0x862dfa7e991071aa}, {578, 0xdf2c964c85741480}}}},
    {"JSON-nlohmann/metrics-asrun",
     {{{756, 0xe3e02ee2463854c9}, {698, 0xefc498f10be0a52b}, {699, 0xfe47ddf37a49b2b6}}}},
    {"Avro/single-key", {{{9, 0x7564d421194c540b}, {9, 0xfaa00a20d356109a}, {9, 0x120d362202257914}}}},
    {"Avro/impressions", {{{44, 0xa363d4fb0569afc1}, {44, 0xcf92826e76a2185a}, {44, 0x493cd2d99e55dd5c}}}},
    {"Avro/metrics", {{{274, 0xabda418e4481df7f}, {275, 0xd3f22deb68696e17}, {275, 0xdc2152602736bc0d}}}},
    {"Avro/metrics-asrun", {{{229, 0x4008b9a29f221b75}, {217, 0x87c9e30d4652cca8}, {208, 0x574310f95cad768d}}}},
    {"Avro-c/single-key", {{{9, 0x7564d421194c540b}, {9, 0xfaa00a20d356109a}, {9, 0x120d362202257914}}}},
    {"Avro-c/impressions", {{{44, 0xa363d4fb0569afc1}, {44, 0xcf92826e76a2185a}, {44, 0x493cd2d99e55dd5c}}}},
    {"Avro-c/metrics", {{{274, 0xabda418e4481df7f}, {275, 0xd3f22deb68696e17}, {275, 0xdc2152602736bc0d}}}},
    {"Avro-c/metrics-asrun", {{{229, 0x4008b9a29f221b75}, {217, 0x87c9e30d4652cca8}, {208, 0x574310f95cad768d}}}},
    {"Protobuf/impressions", {{{45, 0xde3dcc4d0133a21c}, {45, 0xd57b89b037121eca}, {45, 0x4516a2818fe04103}}}},
    {"Protobuf/metrics", {{{277, 0x78629ea9009b004e}, {283, 0x44b62abd64bb711d}, {277, 0x7668b32e36a68259}}}},
    {"Protobuf/metrics-asrun", {{{238, 0x2df459c1cbcf5147}, {224, 0xf83d08da02ee532a}, {217, 0xc9c0bb8f506f4d22}}}},
    {"Protobuf-reflection/impressions",
     {{{45, 0xde3dcc4d0133a21c}, {45, 0xd57b89b037121eca}, {45, 0x4516a2818fe04103}}}},
    {"Protobuf-reflection/metrics",
     {{{277, 0x78629ea9009b004e}, {283, 0x44b62abd64bb711d}, {277, 0x7668b32e36a68259}}}},
    {"Protobuf-reflection/metrics-asrun",
     {{{238, 0x2df459c1cbcf5147}, {224, 0xf83d08da02ee532a}, {217, 0xc9c0bb8f506f4d22}}}},
    {"Protobuf_NoSR/impressions", {{{39, 0xc83ecb96280541e7}, {39, 0x3a019a55e811c49}, {39, 0x2f8f51bb6c69632c}}}},
    {"Protobuf_NoSR/metrics", {{{271, 0x39b1741f99fedab9}, {277, 0x31c12ca4d0c4c09a}, {271, 0xa6b888260eab7e06}}}},
    {"Protobuf_NoSR/metrics-asrun",
     {{{232, 0xb6f2a8d65b54b10a}, {218, 0x5b27a4456509e08b}, {211, 0x5cbaad9e263cec71}}}},
    {"Protobuf_NoSR-reflection/impressions",
     {{{39, 0xc83ecb96280541e7}, {39, 0x3a019a55e811c49}, {39, 0x2f8f51bb6c69632c}}}},
    {"Protobuf_NoSR-reflection/metrics",
     {{{271, 0x39b1741f99fedab9}, {277, 0x31c12ca4d0c4c09a}, {271, 0xa6b888260eab7e06}}}},
    {"Protobuf_NoSR-reflection/metrics-asrun",
     {{{232, 0xb6f2a8d65b54b10a}, {218, 0x5b27a4456509e08b}, {211, 0x5cbaad9e263cec71}}}},
    {"Delimited/single-key", {{{5, 0x1b3e2716d29aedc2}, {5, 0x7f7bf65e65182564}, {5, 0x3836e3f3be82ab1c}}}},
    {"Delimited/impressions", {{{42, 0x8f0e62482bd40fc5}, {42, 0xdff119230cd38426}, {42, 0x27d18018dc31d755}}}},
    {"Delimited-libcsv/single-key", {{{7, 0x6585eeacd3597760}, {7, 0x37c48b4abe1e99b2}, {7, 0x87ec3811ae203e1a}}}},
    {"Delimited-libcsv/impressions", {{{50, 0x5ff0b672c8c7e1b5}, {50, 0xf128c4d8d4a4c04}, {50, 0x5166562d1dff255d}}}},
    {"Delimited-streams/single-key", {{{5, 0x1b3e2716d29aedc2}, {5, 0x7f7bf65e65182564}, {5, 0x3836e3f3be82ab1c}}}},
    {"Delimited-streams/impressions", {{{42, 0x8f0e62482bd40fc5}, {42, 0xdff119230cd38426}, {42, 0x27d18018dc31d755}}}},
    {"Kafka/single-key", {{{8, 0xa08e4f322390f4a7}, {8, 0xa8033132277352ea}, {8, 0xa90bc4322853ae35}}}},
};

TEST(GoldenBytes, AreThoseOfEachFormat) {
  reference::for_each_pair([]<class Schema>(const auto& make, const codec::shape& form) {
    auto one = make(form);
    three got{};
    std::size_t i = 0;
    for (const auto& r : codec::make_records<Schema>(42, 3)) {
      codec::buffer out;
      one.serialize(r, out);
      got[i++] = {out.size(), hash(out.view())};
    }
    const std::string name = std::string(one.name()) + "/" + form.name;
    const auto wanted = golden.find(name);
    ASSERT_NE(wanted, golden.end()) << "none for {\"" << name << "\", " << testing::PrintToString(got) << "},";
    EXPECT_EQ(got, wanted->second) << name;
  });
}

// Whole, to be read beside the specification: framing, branch, zigzag varint, branch, length, characters.
TEST(GoldenBytes, ReadAsTheSpecificationHasThem) {
  using namespace std::string_view_literals;
  codec::buffer out;
  codec::avro().serialize(codec::make_records<codec::impressions>(42, 1)[0], out);
  EXPECT_EQ(out.view(),
            "\0\0\0\0\1"
            "\2\x9c\xa7\xc6\xc1\xff\x62"
            "\2\x1cimpression_223"
            "\2\x0euser_18"
            "\2\x0a"
            "ad_28"sv);
  out.clear();
  codec::avro().serialize(codec::make_records<codec::single_key>(42, 1)[0], out);
  EXPECT_EQ(out.view(), "\0\0\0\0\1\2\xd8\x86\x09"sv);
}

TEST(GoldenBytes, AreTheSameFromEveryImplementationOfAFormat) {
  for (const auto& [one, other] :
       {std::pair{"Avro", "Avro-c"}, std::pair{"Protobuf", "Protobuf-reflection"},
        std::pair{"Protobuf_NoSR", "Protobuf_NoSR-reflection"}, std::pair{"Delimited", "Delimited-streams"}})
    for (const char* schema : {"/single-key", "/impressions", "/metrics", "/metrics-asrun"}) {
      const auto a = golden.find(one + std::string(schema));
      const auto b = golden.find(other + std::string(schema));
      ASSERT_EQ(a == golden.end(), b == golden.end());
      if (a == golden.end()) continue;
      EXPECT_EQ(a->second, b->second) << one << schema;
    }
}

}  // namespace
