// SPDX-License-Identifier: Apache-2.0
#include <weir/channel/message_ring.hpp>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/base/random.hpp>

#include "id_of.hpp"

namespace {

using weir::channel::full_policy;
using weir::channel::in_process_ring;
using weir::channel::options;
using weir::channel::outcome;
using weir::channel::shared_memory_ring;
using weir::channel::side;
using weir::channel::wait_strategy;
using bytes = std::vector<std::byte>;

/// The number n in a message of that size, at least 8.
bytes message(std::uint64_t n, std::size_t size = 8) {
  bytes m(size, std::byte{0x5A});
  std::memcpy(m.data(), &n, sizeof n);
  return m;
}

std::uint64_t number_in(std::span<const std::byte> m) {
  std::uint64_t n = 0;
  std::memcpy(&n, m.data(), sizeof n);
  return n;
}

template <class Ring>
std::vector<std::uint64_t> drained(Ring& r) {
  std::vector<std::uint64_t> all;
  for (auto got = r.try_take(); got.what == outcome::done; got = r.try_take()) all.push_back(number_in(got.bytes));
  r.release();
  return all;
}

template <class Ring>
class MessageRing : public testing::Test {};
using kinds = testing::Types<in_process_ring, shared_memory_ring>;
TYPED_TEST_SUITE(MessageRing, kinds);

TYPED_TEST(MessageRing, GivesMessagesOfEverySizeInOrder) {
  TypeParam r({.depth = 4, .largest = 5000});
  bytes room(5000);
  for (std::size_t size = 0; size <= 5000; size += size < 100 ? 1 : 613) {
    bytes m(size);
    for (std::size_t i = 0; i < size; ++i) m[i] = static_cast<std::byte>(i * 7 + size);
    ASSERT_EQ(r.send(m), outcome::done);
    const auto got = r.receive(room);
    ASSERT_EQ(got.what, outcome::done);
    ASSERT_EQ(bytes(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(got.size)), m);
  }
  EXPECT_EQ(r.counts().sent, r.counts().received);
}

TYPED_TEST(MessageRing, HoldsAsManyMessagesAsItsDepth) {
  for (const std::size_t depth : {1U, 3U, 4U, 5U}) {
    for (const std::size_t size : {8U, 100U}) {
      TypeParam r({.depth = depth, .largest = 100});
      for (int lap = 0; lap < 3; ++lap) {
        for (std::size_t i = 0; i < depth; ++i) ASSERT_EQ(r.try_send(message(i, size)), outcome::done);
        EXPECT_EQ(r.try_send(message(99, size)), outcome::full);
        EXPECT_EQ(drained(r).size(), depth);
      }
      EXPECT_EQ(r.counts().dropped, 0U);
    }
  }
}

TYPED_TEST(MessageRing, DropsTheNewestWhenAskedTo) {
  TypeParam r({.depth = 2, .largest = 8, .full = full_policy::drop_newest});
  for (std::uint64_t i = 0; i < 5; ++i) EXPECT_EQ(r.send(message(i)), i < 2 ? outcome::done : outcome::dropped);
  EXPECT_EQ(drained(r), (std::vector<std::uint64_t>{0, 1}));
  EXPECT_EQ(r.counts().sent, 5U);
  EXPECT_EQ(r.counts().dropped, 3U);
}

TYPED_TEST(MessageRing, DropsTheOldestWhenAskedTo) {
  for (const std::size_t depth : {1U, 3U, 4U, 7U}) {
    for (const std::size_t size : {8U, 64U}) {
      TypeParam r({.depth = depth, .largest = 64, .full = full_policy::drop_oldest});
      for (std::uint64_t i = 0; i < 20; ++i) EXPECT_EQ(r.send(message(i, size)), outcome::done);
      std::vector<std::uint64_t> newest;
      for (std::uint64_t i = 20 - depth; i < 20; ++i) newest.push_back(i);
      EXPECT_EQ(drained(r), newest);
      EXPECT_EQ(r.counts().sent, 20U);
      EXPECT_EQ(r.counts().dropped, 20U - depth);
      EXPECT_EQ(r.counts().received, depth);
      EXPECT_EQ(r.send(message(20, size)), outcome::done);
      EXPECT_EQ(drained(r), (std::vector<std::uint64_t>{20}));
    }
  }
}

/// A slot was once given back twice: when its message was thrown out, and when the receiver was beyond it. By then it
/// held another message, which the next one overwrote.
TYPED_TEST(MessageRing, GivesASlotBackOnceWhileItDropsTheOldest) {
  TypeParam r({.depth = 3, .largest = 64, .full = full_policy::drop_oldest});
  for (std::uint64_t i = 0; i < 5; ++i) ASSERT_EQ(r.send(message(i, 64)), outcome::done);  // 2, 3, 4 are left
  for (std::uint64_t i = 2; i < 4; ++i) ASSERT_EQ(number_in(r.try_take().bytes), i);
  r.release();
  const auto held = r.try_take();
  for (std::uint64_t i = 5; i < 8; ++i) ASSERT_EQ(r.send(message(i, 64)), outcome::done);  // all four slots are in use
  EXPECT_EQ(number_in(held.bytes), 4U);
  EXPECT_EQ(drained(r), (std::vector<std::uint64_t>{5, 6, 7}));
}

TYPED_TEST(MessageRing, KeepsWhatTheReceiverHoldsWhileItDropsTheOldest) {
  for (const std::size_t depth : {1U, 3U, 4U}) {
    for (const std::size_t size : {8U, 64U}) {
      TypeParam r({.depth = depth, .largest = 64, .full = full_policy::drop_oldest});
      std::uint64_t sent = 0;
      for (int round = 0; round < 5; ++round) {
        ASSERT_EQ(r.send(message(sent++, size)), outcome::done);
        const auto held = r.try_take();
        ASSERT_EQ(held.what, outcome::done);
        const std::uint64_t first = number_in(held.bytes);
        for (int i = 0; i < 30; ++i) EXPECT_EQ(r.send(message(sent++, size)), outcome::done);
        EXPECT_EQ(number_in(held.bytes), first);
        r.release();
        const auto rest = drained(r);
        ASSERT_FALSE(rest.empty());
        EXPECT_EQ(rest.back(), sent - 1);
        EXPECT_EQ(rest.front(), sent - rest.size());
        EXPECT_GE(rest.size() + 1, depth);
      }
      EXPECT_EQ(r.counts().sent, sent);
      EXPECT_EQ(r.counts().sent, r.counts().received + r.counts().dropped);
    }
  }
}

/// Any order of whole calls: each message comes at most once, in order, unharmed for as long as it is held; what is not
/// received was counted as dropped.
TYPED_TEST(MessageRing, StaysSoundUnderAnyOrderOfCallsWhileItDropsTheOldest) {
  weir::random_bits random(7);
  for (int round = 0; round < 200; ++round) {
    const std::size_t depth = 1 + random() % 6;
    TypeParam r({.depth = depth, .largest = 200, .full = full_policy::drop_oldest});
    std::uint64_t sent = 0;
    std::uint64_t expected = 0;
    std::vector<std::pair<std::uint64_t, std::span<const std::byte>>> held;
    bytes small(8);
    const auto number_came = [&](std::uint64_t n) {
      ASSERT_GE(n, expected);
      ASSERT_LT(n, sent);
      expected = n + 1;
    };
    for (int step = 0; step < 200; ++step) {
      switch (random() % 8) {
        case 0:
        case 1:
          if (const auto got = r.try_take(); got.what == outcome::done) {
            number_came(number_in(got.bytes));
            held.emplace_back(number_in(got.bytes), got.bytes);
          }
          break;
        case 2:
          r.release();
          held.clear();
          break;
        case 3:
          if (held.empty() && r.send(message(sent++, 200)) == outcome::done)
            if (const auto got = r.receive(small); got.what == outcome::done) number_came(number_in(small));
          break;
        default: {
          const outcome o = r.send(message(sent++, random() % 2 == 0 ? 200 : 8));
          ASSERT_TRUE(o == outcome::done || (o == outcome::dropped && held.size() > depth));
        }
      }
      for (const auto& [n, m] : held) {
        ASSERT_EQ(number_in(m), n);
        ASSERT_EQ(m[m.size() - 1], m.size() > 8 ? std::byte{0x5A} : std::byte{0});
      }
    }
    r.release();
    for (const std::uint64_t n : drained(r)) number_came(n);
    ASSERT_EQ(r.counts().sent, sent);
    ASSERT_EQ(r.counts().sent, r.counts().received + r.counts().dropped);
  }
}

TYPED_TEST(MessageRing, CountsNoPlaceOfTheReceiversAsAMessageInItsQueue) {
  TypeParam r({.depth = 4, .largest = 8, .full = full_policy::drop_oldest});
  for (std::uint64_t i = 0; i < 4; ++i) ASSERT_EQ(r.send(message(i)), outcome::done);
  for (std::uint64_t i = 0; i < 4; ++i) ASSERT_EQ(number_in(r.try_take().bytes), i);
  for (std::uint64_t i = 4; i < 9; ++i) ASSERT_EQ(r.send(message(i)), outcome::done);
  EXPECT_EQ(r.counts().dropped, 1U);
  EXPECT_EQ(drained(r), (std::vector<std::uint64_t>{5, 6, 7, 8}));
}

TYPED_TEST(MessageRing, ThrowsNothingOutForAMessageThatItCannotTakeEvenSo) {
  TypeParam r({.depth = 2, .largest = 64, .full = full_policy::drop_oldest});
  ASSERT_EQ(r.slots(), 3U);
  for (std::uint64_t i = 0; i < 3; ++i) {  // the receiver holds every slot
    ASSERT_EQ(r.send(message(i, 64)), outcome::done);
    ASSERT_EQ(number_in(r.try_take().bytes), i);
  }
  ASSERT_EQ(r.send(message(3)), outcome::done);
  EXPECT_EQ(r.send(message(4, 64)), outcome::dropped);
  EXPECT_EQ(r.counts().dropped, 1U);
  EXPECT_EQ(drained(r), (std::vector<std::uint64_t>{3}));
  EXPECT_EQ(r.send(message(5, 64)), outcome::done);
}

TYPED_TEST(MessageRing, GivesEverySlotBackAfterOneMessageWasHeldForMany) {
  TypeParam r({.depth = 3, .largest = 64, .full = full_policy::drop_oldest});
  for (int round = 0; round < 5; ++round) {
    for (std::uint64_t i = 0; i < 100; ++i) {
      ASSERT_EQ(r.send(message(i, i % 3 == 0 ? 8 : 64)), outcome::done);
      if (i == 0) {
        ASSERT_EQ(r.try_take().what, outcome::done);
      }
    }
    EXPECT_EQ(drained(r), (std::vector<std::uint64_t>{97, 98, 99}));
  }
}

/// Against a queue that anybody can follow: the oldest goes when the queue is at its depth, when the new message needs
/// its slot, and when the queue is a lap long, places of the receiver's included. Nothing else does.
TYPED_TEST(MessageRing, ThrowsOutWhatAPlainQueueWould) {
  struct one {
    std::uint64_t number;
    bool large;
    std::uint64_t position;
  };
  const auto in_slots = [](const std::deque<one>& all) {
    return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](const one& m) { return m.large; }));
  };
  weir::random_bits random(11);
  for (int round = 0; round < 200; ++round) {
    const std::size_t depth = 1 + random() % 6;
    const std::size_t places = std::bit_ceil(depth + 1);
    TypeParam r({.depth = depth, .largest = 64, .full = full_policy::drop_oldest});
    std::deque<one> queue;
    std::deque<one> held;
    std::uint64_t next = 0;
    std::uint64_t dropped = 0;
    for (std::uint64_t step = 0; step < 200; ++step) {
      switch (random() % 8) {
        case 0:
        case 1:
        case 2: {
          const auto got = r.try_take();
          ASSERT_EQ(got.what == outcome::done, !queue.empty());
          if (queue.empty()) break;
          ASSERT_EQ(number_in(got.bytes), queue.front().number);
          held.push_back(queue.front());
          queue.pop_front();
          break;
        }
        case 3:
          r.release();
          held.clear();
          break;
        default: {
          const bool large = random() % 2 == 0;
          const auto slots_left = [&] { return r.slots() - in_slots(queue) - in_slots(held); };
          const bool possible = held.size() < places && (!large || slots_left() + in_slots(queue) != 0);
          const auto must_go = [&] {
            return queue.size() == depth || (large && slots_left() == 0) ||
                   (!queue.empty() && queue.front().position + places == next);
          };
          const auto is_held = [&](const one& m) { return m.position % places == next % places; };
          for (bool placed = !possible; !placed;) {
            if (must_go()) {
              queue.pop_front();
              ++dropped;
            } else {
              placed = std::none_of(held.begin(), held.end(), is_held);
              if (placed) queue.push_back({step, large, next});
              ++next;
            }
          }
          dropped += !possible;
          ASSERT_EQ(r.send(message(step, large ? 64 : 8)), possible ? outcome::done : outcome::dropped);
        }
      }
      ASSERT_EQ(r.counts().dropped, dropped);
    }
  }
}

TYPED_TEST(MessageRing, RefusesWhatIsAboveItsLargest) {
  TypeParam r({.depth = 2, .largest = 100});
  EXPECT_EQ(r.send(bytes(101)), outcome::too_big);
  EXPECT_EQ(r.loan(101).what, outcome::too_big);
  EXPECT_EQ(r.send(bytes(100)), outcome::done);
}

TYPED_TEST(MessageRing, LeavesAMessageThatDoesNotFitTheRoom) {
  for (const full_policy full : {full_policy::block, full_policy::drop_newest, full_policy::drop_oldest}) {
    TypeParam r({.depth = 2, .largest = 100, .full = full});
    ASSERT_EQ(r.send(message(7, 100)), outcome::done);
    bytes room(100);
    const auto small = r.receive(std::span(room).first(99));
    EXPECT_EQ(small.what, outcome::too_big);
    EXPECT_EQ(small.size, 100U);
    for (std::uint64_t i = 8; full == full_policy::drop_oldest && i < 20; ++i)
      ASSERT_EQ(r.send(message(i, 100)), outcome::done);
    EXPECT_EQ(r.receive(room).what, outcome::done);
    EXPECT_EQ(number_in(room), 7U);
  }
}

TYPED_TEST(MessageRing, UsesTheSlotThatCameBackLastAgain) {
  TypeParam r({.depth = 8, .largest = 4096});
  std::set<const std::byte*> slots;
  for (int i = 0; i < 20; ++i) {
    const auto slot = r.loan(4096);
    slots.insert(slot.bytes.data());
    r.publish();
    ASSERT_EQ(r.try_take().what, outcome::done);
    r.release();
  }
  EXPECT_EQ(slots.size(), 1U);
}

TYPED_TEST(MessageRing, ShowsNothingOfALoanBeforeItIsPublished) {
  TypeParam r({.depth = 8, .largest = 64});
  for (std::uint64_t i = 0; i < 3; ++i) {
    const auto slot = r.loan(i == 1 ? 64 : 8);
    std::memcpy(slot.bytes.data(), &i, sizeof i);
  }
  EXPECT_EQ(r.try_take().what, outcome::empty);
  r.publish();
  r.publish();  // nothing more
  EXPECT_EQ(drained(r), (std::vector<std::uint64_t>{0, 1, 2}));
}

TYPED_TEST(MessageRing, ALoanThatMustWaitHandsOverTheEarlierOnes) {
  TypeParam r({.depth = 2, .largest = 8, .full = full_policy::drop_newest});
  ASSERT_EQ(r.loan(8).what, outcome::done);
  ASSERT_EQ(r.loan(8).what, outcome::done);
  EXPECT_EQ(r.loan(8).what, outcome::dropped);
  EXPECT_EQ(drained(r).size(), 2U);
}

TYPED_TEST(MessageRing, LosesNothingWhenItIsClosed) {
  TypeParam r({.depth = 4, .largest = 8});
  ASSERT_EQ(r.send(message(1)), outcome::done);
  r.close();
  EXPECT_EQ(r.send(message(2)), outcome::closed);
  EXPECT_EQ(r.take().what, outcome::done);
  EXPECT_EQ(r.take().what, outcome::closed);
  EXPECT_EQ(r.take().what, outcome::closed);
}

TYPED_TEST(MessageRing, RefusesImpossibleOptions) {
  EXPECT_EQ(id_of([] { TypeParam r({.depth = 0}); }), "channel.depth_out_of_range");
  EXPECT_EQ(id_of([] { TypeParam r({.depth = std::size_t{1} << 40}); }), "channel.depth_out_of_range");
  EXPECT_EQ(id_of([] { TypeParam r({.largest = std::size_t{1} << 40}); }), "channel.size_out_of_range");
}

TYPED_TEST(MessageRing, CarriesEveryMessageOnceBetweenThreads) {
  for (const wait_strategy wait : {wait_strategy::spin, wait_strategy::spin_then_park, wait_strategy::block}) {
    TypeParam r({.depth = 16, .largest = 200, .wait = wait, .one_core = true});
    constexpr std::uint64_t rows = 3000;
    std::thread sender([&] {
      for (std::uint64_t i = 0; i < rows; ++i) EXPECT_EQ(r.send(message(i, i % 3 == 0 ? 200 : 8)), outcome::done);
      r.close();
    });
    std::uint64_t next = 0;
    bytes room(200);
    for (auto got = r.receive(room); got.what == outcome::done; got = r.receive(room)) {
      ASSERT_EQ(number_in(room), next);
      ASSERT_EQ(got.size, next % 3 == 0 ? 200U : 8U);
      ++next;
    }
    sender.join();
    EXPECT_EQ(next, rows);
  }
}

TYPED_TEST(MessageRing, GivesNoMessageTwiceBetweenThreadsWhileItDropsTheOldest) {
  for (const std::size_t depth : {1U, 4U}) {
    TypeParam r({.depth = depth, .largest = 64, .full = full_policy::drop_oldest, .one_core = true});
    constexpr std::uint64_t rows = 10'000;
    std::thread sender([&] {
      for (std::uint64_t i = 1; i <= rows; ++i) EXPECT_EQ(r.send(message(i, i % 2 == 0 ? 64 : 8)), outcome::done);
      r.close();
    });
    std::uint64_t last = 0;
    for (auto got = r.take(); got.what == outcome::done; got = r.take()) {
      ASSERT_GT(number_in(got.bytes), last);
      last = number_in(got.bytes);
      ASSERT_EQ(got.bytes.size(), last % 2 == 0 ? 64U : 8U);
      r.release();
    }
    sender.join();
    EXPECT_EQ(last, rows);  // the newest is never the one thrown out
    EXPECT_EQ(r.counts().sent, rows);
    EXPECT_EQ(r.counts().sent, r.counts().received + r.counts().dropped);
  }
}

// --- two processes ---

constexpr options shared_options{.depth = 8, .largest = 4096};

TEST(SharedMemoryRing, RefusesMemoryThatIsNotItsOwn) {
  shared_memory_ring r(shared_options);
  const std::vector<int> fds = r.handles(side::receiver);
  const auto attach = [&](const options& o, std::vector<int> with) {
    return id_of([&] { const auto other = shared_memory_ring::attach(side::receiver, with, o); });
  };
  EXPECT_EQ(attach(shared_options, fds), "");
  EXPECT_EQ(attach({.depth = 9, .largest = 4096}, fds), "channel.corrupt");
  EXPECT_EQ(attach({.depth = 8, .largest = 4032}, fds), "channel.corrupt");
  EXPECT_EQ(attach({.depth = 8, .largest = 4096, .wait = wait_strategy::spin}, fds), "channel.corrupt");
  EXPECT_EQ(attach(shared_options, {fds[1], fds[0]}), "channel.bad_handle");
  EXPECT_EQ(attach(shared_options, {fds[0]}), "channel.bad_handle");
  EXPECT_EQ(attach(shared_options, {9999, fds[1]}), "channel.bad_handle");
}

TEST(SharedMemoryRing, SaysWhenThereIsNoSharedMemory) {
  EXPECT_EQ(id_of([] { (void)weir::channel::memory::shared(std::size_t{1} << 60); }), "channel.no_shared_memory");
}

/// Runs body in a child that shares the ring, and ends it by SIGKILL.
void kill_after(const std::function<void()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    body();
    ::raise(SIGKILL);
  }
  ASSERT_GT(child, 0);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
}

TEST(SharedMemoryRing, ReportsASenderThatDiedWithALoan) {
  for (const wait_strategy wait : {wait_strategy::spin, wait_strategy::spin_then_park, wait_strategy::block}) {
    const options o{.depth = 8, .largest = 4096, .wait = wait};
    shared_memory_ring r(o);
    kill_after([&] {
      auto mine = shared_memory_ring::attach(side::sender, r.handles(side::sender), o);
      (void)mine.send(message(1));
      (void)mine.loan(4096);
    });
    r.keep(side::receiver);
    EXPECT_EQ(r.take().what, outcome::done);  // what it had published is not lost
    EXPECT_EQ(r.take().what, outcome::peer_lost);
  }
}

TEST(SharedMemoryRing, ReportsAReceiverThatDiedAsleep) {
  const options o{.depth = 1, .largest = 64, .wait = wait_strategy::block};
  shared_memory_ring r(o);
  const pid_t child = ::fork();
  if (child == 0) {
    auto mine = shared_memory_ring::attach(side::receiver, r.handles(side::receiver), o);
    (void)mine.take();
    ::_exit(0);
  }
  ASSERT_GT(child, 0);
  r.keep(side::sender);
  ::kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  outcome last = outcome::done;
  for (int i = 0; i < 3 && last == outcome::done; ++i) last = r.send(message(1));
  EXPECT_EQ(last, outcome::peer_lost);
}

TEST(SharedMemoryRing, ReportsADeadReceiverThoughItNeverWaitsForOne) {
  for (const full_policy full : {full_policy::drop_newest, full_policy::drop_oldest}) {
    const options o{.depth = 4, .largest = 64, .full = full};
    shared_memory_ring r(o);
    kill_after([&] {
      auto mine = shared_memory_ring::attach(side::receiver, r.handles(side::receiver), o);
      (void)mine.try_take();
    });
    r.keep(side::sender);
    outcome last = outcome::done;
    for (int i = 0; i < 200 && last != outcome::peer_lost; ++i) last = r.send(message(1));
    EXPECT_EQ(last, outcome::peer_lost);
  }
}

TEST(SharedMemoryRing, CarriesMessagesBetweenProcesses) {
  shared_memory_ring r(shared_options);
  const pid_t child = ::fork();
  if (child == 0) {
    auto mine = shared_memory_ring::attach(side::sender, r.handles(side::sender), shared_options);
    for (std::uint64_t i = 0; i < 500; ++i) (void)mine.send(message(i, i % 2 == 0 ? 4096 : 8));
    mine.close();
    ::_exit(0);
  }
  ASSERT_GT(child, 0);
  r.keep(side::receiver);
  std::uint64_t next = 0;
  for (auto got = r.take(); got.what == outcome::done; got = r.take()) {
    ASSERT_EQ(number_in(got.bytes), next++);
    r.release();
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(next, 500U);
}

/// The other process writes anything anywhere: an error, a wrong message, but never a byte outside the memory.
/// These rings drop: no call waits.
TEST(SharedMemoryRing, SurvivesAnythingInItsMemory) {
  weir::random_bits random(20);
  std::array<std::uint64_t, 16> outcomes{};
  for (const full_policy full : {full_policy::drop_newest, full_policy::drop_oldest}) {
    for (int round = 0; round < 300; ++round) {
      const options o{.depth = 8, .largest = 512, .wait = wait_strategy::spin, .full = full};
      shared_memory_ring r(o);
      const int fd = r.handles(side::sender)[0];
      const weir::channel::memory view = weir::channel::memory::attach(fd);
      for (int step = 0; step < 40; ++step) {
        if (step > 5) {
          const std::size_t words = std::min<std::size_t>(view.size() / 8, 200);  // head and entries
          const std::uint64_t values[] = {random(), random() % 64, ~std::uint64_t{0}, random() << 32, 0};
          const std::uint64_t value = values[random() % 5];
          std::memcpy(view.data() + random() % words * 8, &value, sizeof value);
        }
        const std::size_t size = random() % 3 == 0 ? 512 : 8;
        const auto slot = r.loan(size);
        ++outcomes[static_cast<std::size_t>(slot.what)];
        if (slot.what == outcome::done) {
          ASSERT_EQ(slot.bytes.size(), size);
          std::memset(slot.bytes.data(), 1, size);
          r.publish();
        }
        if (random() % 2 == 0) {
          const auto got = r.try_take();
          ++outcomes[static_cast<std::size_t>(got.what)];
          std::uint64_t sum = 0;
          for (const std::byte b : got.bytes) sum += static_cast<std::uint64_t>(b);
          ASSERT_LE(got.bytes.size(), 512U);
          ASSERT_LE(sum, 512U * 255U);
          r.release();
        }
      }
    }
  }
  EXPECT_GT(outcomes[static_cast<std::size_t>(outcome::done)], 0U);
  EXPECT_GT(outcomes[static_cast<std::size_t>(outcome::corrupt)], 0U);
}

}  // namespace
