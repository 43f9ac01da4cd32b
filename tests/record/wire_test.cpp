// SPDX-License-Identifier: Apache-2.0
#include <weir/record/wire.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sys/socket.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <weir/base/random.hpp>

namespace {

using weir::record::wire_fault;
using weir::record::wire_kind;
using weir::record::wire_message;
using weir::record::wire_reader;
using weir::record::wire_writer;
using weir::record::detail::wire_header;

struct socket_pair {
  std::array<int, 2> ends{-1, -1};
  socket_pair() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0); }
  ~socket_pair() {
    close(0);
    close(1);
  }
  void close(std::size_t end) {
    if (ends[end] >= 0) ::close(ends[end]);
    ends[end] = -1;
  }
  [[nodiscard]] std::string read_all() const {
    std::string all;
    std::array<char, 4096> chunk;
    for (ssize_t n; (n = ::read(ends[1], chunk.data(), chunk.size())) > 0;)
      all.append(chunk.data(), static_cast<std::size_t>(n));
    return all;
  }
};

const std::vector<wire_message>& conversation() {
  static const std::vector<wire_message> messages{{wire_kind::hello, "{\"benchmark\":\"x\"}"},
                                                  {wire_kind::iteration, ""},
                                                  {wire_kind::invocation, std::string(10'000, '\0')},
                                                  {wire_kind::failure, "WEIRWEIR"},
                                                  {wire_kind::done, "{}"}};
  return messages;
}

std::string bytes_of(const std::vector<wire_message>& messages) {
  socket_pair sockets;
  wire_writer out(sockets.ends[0]);
  for (const auto& m : messages) EXPECT_TRUE(out.send(m.kind, m.payload));
  sockets.close(0);
  return sockets.read_all();
}

wire_header header_at(const std::string& bytes, std::size_t at) {
  wire_header h;
  std::memcpy(&h, bytes.data() + at, sizeof h);
  return h;
}

/// What a reader makes of bytes whose first header was changed.
template <class Change>
std::optional<wire_fault> fault_after(Change change) {
  std::string bytes = bytes_of(conversation());
  wire_header h = header_at(bytes, 0);
  change(h);
  std::memcpy(bytes.data(), &h, sizeof h);
  wire_reader in;
  EXPECT_TRUE(in.feed(bytes).empty());
  return in.fault();
}

TEST(Wire, MessagesArriveWholeHoweverTheyAreCut) {
  const std::string bytes = bytes_of(conversation());
  weir::random_bits bits(1);
  for (std::size_t most : {std::size_t{1}, std::size_t{7}, std::size_t{24}, std::size_t{5'000}, bytes.size()}) {
    wire_reader in;
    std::vector<wire_message> heard;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t n = std::min(bytes.size() - at, 1 + bits() % most);
      for (auto& m : in.feed(std::string_view(bytes).substr(at, n))) heard.push_back(std::move(m));
      at += n;
    }
    in.end();
    EXPECT_EQ(in.fault(), std::nullopt);
    EXPECT_EQ(heard, conversation());
  }
}

TEST(Wire, EachFaultHasItsName) {
  EXPECT_EQ(fault_after([](wire_header& h) { h.magic[3] = 'D'; }), wire_fault::foreign_bytes);
  EXPECT_EQ(fault_after([](wire_header& h) { h.version = 2; }), wire_fault::other_version);
  EXPECT_EQ(fault_after([](wire_header& h) { h.kind = 0; }), wire_fault::unknown_kind);
  EXPECT_EQ(fault_after([](wire_header& h) { h.kind = 7; }), wire_fault::unknown_kind);
  EXPECT_EQ(fault_after([](wire_header& h) { h.length = (256U << 20) + 1; }), wire_fault::too_long);
  EXPECT_EQ(fault_after([](wire_header& h) { h.length = ~std::uint64_t{0}; }), wire_fault::too_long);
  EXPECT_EQ(fault_after([](wire_header& h) { h.length -= 1; }), wire_fault::bad_checksum);
  EXPECT_EQ(fault_after([](wire_header& h) { h.kind = 2; }), wire_fault::bad_checksum);
  EXPECT_EQ(fault_after([](wire_header& h) { h.checksum ^= 1; }), wire_fault::bad_checksum);
  for (int f = 0; f <= static_cast<int>(wire_fault::cut_off); ++f)
    EXPECT_FALSE(text(static_cast<wire_fault>(f)).empty());
}

TEST(Wire, ForeignBytesAreKnownByTheFirst) {
  wire_reader in;
  EXPECT_TRUE(in.feed("h").empty());
  EXPECT_EQ(in.fault(), wire_fault::foreign_bytes);
}

TEST(Wire, ALengthThatIsAnnouncedIsNotBelievedBeforeItCame) {
  std::string bytes = bytes_of({{wire_kind::done, ""}});
  wire_header h = header_at(bytes, 0);
  h.length = 256U << 20;
  std::memcpy(bytes.data(), &h, sizeof h);
  wire_reader in;
  EXPECT_TRUE(in.feed(bytes).empty());
  EXPECT_EQ(in.fault(), std::nullopt);
  in.end();
  EXPECT_EQ(in.fault(), wire_fault::cut_off);
}

TEST(Wire, WhatCameBeforeAFaultIsHeardAndNothingAfterIt) {
  std::string bytes = bytes_of(conversation());
  const std::size_t second = sizeof(wire_header) + header_at(bytes, 0).length;
  bytes[second] = '?';
  wire_reader in;
  EXPECT_EQ(in.feed(bytes), (std::vector<wire_message>{conversation()[0]}));
  EXPECT_EQ(in.fault(), wire_fault::foreign_bytes);
  EXPECT_TRUE(in.feed(bytes_of(conversation())).empty());
  in.end();
  EXPECT_EQ(in.fault(), wire_fault::foreign_bytes);
}

TEST(Wire, EveryCutIsACutOffMessageOrAWholeOne) {
  const std::string bytes = bytes_of({{wire_kind::hello, "abc"}, {wire_kind::done, ""}});
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    wire_reader in;
    const std::size_t heard = in.feed(std::string_view(bytes).substr(0, cut)).size();
    in.end();
    const bool at_an_end = cut == 0 || cut == sizeof(wire_header) + 3 || cut == bytes.size();
    EXPECT_EQ(in.fault().has_value(), !at_an_end) << cut;
    EXPECT_EQ(heard, cut == bytes.size() ? 2U : cut >= sizeof(wire_header) + 3 ? 1U : 0U) << cut;
  }
}

/// Under ASan this also shows that no byte is read that is not there.
TEST(Wire, SurvivesMutations) {
  const std::string sound = bytes_of(conversation());
  weir::random_bits bits(7);
  std::uint64_t faults = 0;
  for (int round = 0; round < 3'000; ++round) {
    std::string bytes = sound;
    for (std::uint64_t n = 1 + bits() % 4; n > 0; --n) {
      const std::size_t at = bits() % (bits() % 2 == 0 ? std::size_t{120} : bytes.size());  // half of them in headers
      switch (bits() % 3) {
        case 0:
          bytes[at] = static_cast<char>(bytes[at] ^ static_cast<char>(1U << bits() % 8));
          break;
        case 1:
          bytes.erase(at, 1 + bits() % 16);
          break;
        default:
          bytes.insert(at, 1 + bits() % 16, static_cast<char>(bits()));
      }
    }
    wire_reader in;
    std::vector<wire_message> heard;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t n = std::min(bytes.size() - at, 1 + bits() % 4'096);
      for (auto& m : in.feed(std::string_view(bytes).substr(at, n))) heard.push_back(std::move(m));
      at += n;
    }
    in.end();
    ASSERT_LE(heard.size(), conversation().size());
    ASSERT_TRUE(std::equal(heard.begin(), heard.end(), conversation().begin())) << "a changed message was believed";
    ASSERT_TRUE(in.fault() || bytes == sound);
    faults += in.fault().has_value();
  }
  EXPECT_GT(faults, 2'900U);
}

TEST(Wire, SurvivesRandomBytes) {
  weir::random_bits bits(8);
  for (int round = 0; round < 2'000; ++round) {
    std::string bytes = "WEIR";  // or it would end with the first byte
    for (std::uint64_t n = bits() % 200; n > 0; --n) bytes += static_cast<char>(bits());
    if (bits() % 2 == 0 && bytes.size() > 8) bytes.replace(4, 4, std::string("\x01\0\x01\0", 4));
    wire_reader in;
    EXPECT_TRUE(in.feed(bytes).empty());
    in.end();
    EXPECT_TRUE(in.fault());
  }
}

TEST(WireWriter, SaysSoWhenNobodyListens) {
  socket_pair sockets;
  wire_writer out(sockets.ends[0]);
  sockets.close(1);
  EXPECT_FALSE(out.send(wire_kind::done, "{}"));  // and no SIGPIPE
  EXPECT_FALSE(wire_writer(-1).send(wire_kind::done, "{}"));
}

TEST(WireWriter, WritesMoreThanASocketHolds) {
  socket_pair sockets;
  const std::string payload(std::size_t{4} << 20, 'p');
  std::thread speaker([&] {
    wire_writer out(sockets.ends[0]);
    EXPECT_TRUE(out.send(wire_kind::invocation, payload));
    sockets.close(0);
  });
  wire_reader in;
  const auto heard = in.feed(sockets.read_all());
  speaker.join();
  EXPECT_EQ(heard, (std::vector<wire_message>{{wire_kind::invocation, payload}}));
}

}  // namespace
