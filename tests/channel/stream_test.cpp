// SPDX-License-Identifier: Apache-2.0
#include <weir/channel/stream.hpp>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <weir/base/random.hpp>

#include "id_of.hpp"

namespace {

using weir::channel::full_policy;
using weir::channel::options;
using weir::channel::outcome;
using weir::channel::pipe_channel;
using weir::channel::side;
using weir::channel::tcp_socket;
using weir::channel::unix_socket;
using weir::channel::wait_strategy;
using bytes = std::vector<std::byte>;

bytes message(std::size_t size, unsigned seed) {
  bytes m(size);
  for (std::size_t i = 0; i < size; ++i) m[i] = static_cast<std::byte>(i * 31 + seed);
  return m;
}

template <class Channel>
class Stream : public testing::Test {};
using kinds = testing::Types<unix_socket, tcp_socket, pipe_channel>;
TYPED_TEST_SUITE(Stream, kinds);

TYPED_TEST(Stream, CarriesMessagesOfEverySizeBetweenThreads) {
  for (const wait_strategy wait : {wait_strategy::block, wait_strategy::spin_then_park, wait_strategy::spin}) {
    TypeParam c({.largest = 300'000, .wait = wait, .one_core = true});
    const std::size_t sizes[] = {0, 1, 8, 4096, 65'528, 65'536, 70'000, 300'000, 0};
    std::thread sender([&] {
      for (unsigned i = 0; i < 9; ++i) EXPECT_EQ(c.send(message(sizes[i], i)), outcome::done);
      c.close();
    });
    bytes room(300'000);
    for (unsigned i = 0; i < 9; ++i) {
      const auto got = c.receive(room);
      ASSERT_EQ(got.what, outcome::done);
      ASSERT_EQ(bytes(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(got.size)), message(sizes[i], i));
    }
    EXPECT_EQ(c.receive(room).what, outcome::closed);
    sender.join();
    EXPECT_EQ(c.counts().sent, 9U);
    EXPECT_EQ(c.counts().received, 9U);
  }
}

TYPED_TEST(Stream, RefusesWhatIsTooBig) {
  TypeParam c({.largest = 100});
  EXPECT_EQ(c.send(bytes(101)), outcome::too_big);
  ASSERT_EQ(c.send(message(100, 1)), outcome::done);
  bytes room(100);
  EXPECT_EQ(c.receive(std::span(room).first(99)).what, outcome::too_big);
  EXPECT_EQ(c.receive(room).what, outcome::done);
  EXPECT_EQ(room, message(100, 1));
}

TYPED_TEST(Stream, IsFullWhenTheKernelsBuffersAre) {
  TypeParam c({.largest = 1000, .full = full_policy::drop_newest});
  int sent = 0;
  while (c.try_send(bytes(1000)) == outcome::done && sent < 1'000'000) ++sent;
  EXPECT_GT(sent, 10);
  EXPECT_EQ(c.counts().dropped, 0U);
  EXPECT_EQ(c.send(bytes(1000)), outcome::dropped);
  EXPECT_EQ(c.counts().dropped, 1U);
}

TYPED_TEST(Stream, CannotDropTheOldest) {
  EXPECT_EQ(id_of([] { TypeParam c({.full = full_policy::drop_oldest}); }), "channel.policy_not_possible");
}

TYPED_TEST(Stream, TellsAClosedSenderFromOneThatDied) {
  for (const bool says_so : {true, false}) {
    TypeParam c({.largest = 64});
    {
      TypeParam sender = TypeParam::attach(side::sender, c.handles(side::sender), {.largest = 64});
      c.keep(side::receiver);
      EXPECT_EQ(sender.send(bytes(8)), outcome::done);
      if (says_so) sender.close();
    }
    bytes room(64);
    EXPECT_EQ(c.receive(room).what, outcome::done);
    EXPECT_EQ(c.receive(room).what, says_so ? outcome::closed : outcome::peer_lost);
  }
}

TYPED_TEST(Stream, SeesThatTheReceiverIsGone) {
  TypeParam c({.largest = 64});
  c.keep(side::sender);
  outcome last = outcome::done;
  for (int i = 0; i < 100'000 && last == outcome::done; ++i) last = c.send(bytes(64));
  EXPECT_EQ(last, outcome::peer_lost);
}

TYPED_TEST(Stream, TakesNothingForAMessageThatIsNone) {
  weir::random_bits random(3);
  for (int round = 0; round < 50; ++round) {
    TypeParam c({.largest = 64});
    const bytes garbage = [&] {
      bytes g(64);
      for (std::byte& b : g) b = static_cast<std::byte>(random());
      return g;
    }();
    ASSERT_EQ(::write(c.handles(side::sender)[0], garbage.data(), garbage.size()), 64);
    bytes room(64);
    EXPECT_EQ(c.receive(room).what, outcome::corrupt);
  }
}

TYPED_TEST(Stream, StopsASenderThatWaits) {
  TypeParam c({.largest = 1000});
  std::thread sender([&] {
    outcome last = outcome::done;
    while (last == outcome::done) last = c.send(bytes(1000));
    EXPECT_TRUE(last == outcome::closed || last == outcome::peer_lost);
  });
  bytes room(1000);
  ASSERT_EQ(c.receive(room).what, outcome::done);
  c.close();
  sender.join();
}

TYPED_TEST(Stream, RefusesABadHandle) {
  EXPECT_EQ(id_of([] { const auto c = TypeParam::attach(side::sender, std::vector<int>{9999}, options{}); }),
            "channel.bad_handle");
}

TEST(TcpSocket, SaysThatAPortIsInUse) {
  const weir::channel::descriptor taken(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const address = reinterpret_cast<sockaddr*>(&here);
  socklen_t length = sizeof here;
  ASSERT_EQ(::bind(taken.get(), address, length), 0);
  ASSERT_EQ(::listen(taken.get(), 1), 0);
  ASSERT_EQ(::getsockname(taken.get(), address, &length), 0);
  const std::uint16_t port = ntohs(here.sin_port);
  EXPECT_EQ(id_of([&] { tcp_socket c({.port = port}); }), "channel.port_in_use");
}

}  // namespace
