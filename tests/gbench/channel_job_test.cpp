// SPDX-License-Identifier: Apache-2.0
#include <weir/gbench/channel_peer.hpp>

#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/channel/locked_queue.hpp>
#include <weir/channel/message_ring.hpp>
#include <weir/channel/stream.hpp>
#include <weir/gbench/channel_job.hpp>
#include <weir/measure/histogram.hpp>

#include "../channel/id_of.hpp"

namespace {

using weir::channel::outcome;
using namespace weir::gbench;
namespace inner = weir::gbench::detail;

/// Test programs have GoogleTest's main: the peer process leaves before it.
const bool not_a_peer = [] {
  inner::peer_runners()["shm"] = inner::run_as_peer<weir::channel::shared_memory_ring>;
  inner::peer_runners()["unix"] = inner::run_as_peer<weir::channel::unix_socket>;
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> arguments;
  for (std::string one; std::getline(file, one, '\0');) arguments.push_back(one);
  if (const auto code = run_peer(arguments)) std::_Exit(*code);
  return true;
}();

channel_job job(channel_mode mode, std::uint64_t size, std::uint64_t count = 60) {
  channel_job j{.mode = mode, .size = size, .count = count, .options = {}};
  j.rate = 100'000;
  j.quick_dora = true;
  j.options.one_core = true;
  return j;
}

/// A queue with a fault: what it does with message n.
enum class fault { none, lose, repeat, swap, damage, shorten };
template <fault Fault>
class faulty : public weir::channel::locked_queue {
 public:
  using locked_queue::locked_queue;
  outcome send(std::span<const std::byte> m) {
    const std::uint64_t n = calls_++;
    if (n != 7) return locked_queue::send(m);
    std::vector<std::byte> other(m.begin(), m.end());
    switch (Fault) {
      case fault::none:
        break;
      case fault::lose:
        return outcome::done;
      case fault::repeat:
        (void)locked_queue::send(m);
        break;
      case fault::swap:
        other[0] = std::byte{3};
        break;
      case fault::damage:
        other.back() ^= std::byte{1};
        break;
      case fault::shorten:
        other.resize(other.size() - 9);
        break;
    }
    return locked_queue::send(other);
  }

 private:
  std::uint64_t calls_ = 0;
};

template <fault Fault>
std::string failure(channel_mode mode) {
  return inner::between_threads<faulty<Fault>>(job(mode, 64)).failure;
}

TEST(ChannelJob, MessagesThatAreLostRepeatedReorderedOrDamagedMakeItInvalid) {
  for (const channel_mode mode : {channel_mode::latency, channel_mode::throughput}) {
    EXPECT_EQ(failure<fault::none>(mode), "");
    EXPECT_EQ(failure<fault::lose>(mode), "messages of 60: 1 lost");
    EXPECT_EQ(failure<fault::repeat>(mode), "messages of 60: 1 duplicated, 1 too many");
    EXPECT_EQ(failure<fault::swap>(mode), "messages of 60: 1 reordered");
    EXPECT_EQ(failure<fault::damage>(mode), "messages of 60: 1 damaged");
    EXPECT_EQ(failure<fault::shorten>(mode), "messages of 60: 1 damaged");
  }
}

template <class C>
void expect_sound(const channel_job& j, const channel_result& r) {
  EXPECT_EQ(r.failure, "");
  EXPECT_EQ(r.sent, r.far.received + r.dropped);
  EXPECT_GE(r.far.received, j.count / 2);
  if (j.mode != channel_mode::throughput && j.mode != channel_mode::dora) {
    EXPECT_GT(r.times.count(), 0U);
    EXPECT_FALSE(r.far.visible.empty());
    EXPECT_EQ(r.far.visible.size(), r.far.consume.size());
  }
}

template <class C>
class ChannelJobOn : public testing::Test {};
using kinds = testing::Types<weir::channel::in_process_ring, weir::channel::shared_memory_ring,
                             weir::channel::locked_queue, weir::channel::unix_socket, weir::channel::pipe_channel>;
TYPED_TEST_SUITE(ChannelJobOn, kinds);

TYPED_TEST(ChannelJobOn, EveryModeAndSizeIsSoundBetweenThreads) {
  for (const channel_mode mode : {channel_mode::pingpong, channel_mode::latency, channel_mode::throughput}) {
    for (const std::uint64_t size : {0U, 24U, 25U, 5000U, 200'000U}) {
      for (const std::uint64_t count : {1U, 60U}) {
        const channel_job j = job(mode, size, count);
        expect_sound<TypeParam>(j, inner::between_threads<TypeParam>(j));
      }
    }
  }
}

TEST(ChannelJob, IsSoundBetweenProcesses) {
  for (const channel_mode mode : {channel_mode::pingpong, channel_mode::latency, channel_mode::throughput}) {
    for (const std::uint64_t size : {0U, 5000U}) {
      const channel_job j = job(mode, size);
      expect_sound<weir::channel::shared_memory_ring>(
          j, inner::between_processes<weir::channel::shared_memory_ring>("shm", j));
      expect_sound<weir::channel::unix_socket>(j, inner::between_processes<weir::channel::unix_socket>("unix", j));
    }
  }
}

TEST(ChannelJob, SaysHowThePeerProcessDied) {
  channel_job j = job(channel_mode::pingpong, 64, 1'000'000'000);
  const auto kill_it = [](int pid) { ::kill(pid, SIGKILL); };
  const auto shm = inner::between_processes<weir::channel::shared_memory_ring>("shm", j, {}, kill_it);
  EXPECT_EQ(shm.failure, "the sending end: peer lost; [weir.channels.peer_died] peer process: killed: Killed");
  const auto unix = inner::between_processes<weir::channel::unix_socket>("unix", j, {}, kill_it);
  EXPECT_EQ(unix.failure, shm.failure);
  const auto unknown = inner::between_processes<weir::channel::unix_socket>("nobody", j);
  EXPECT_NE(unknown.failure.find("exit code 2"), std::string::npos) << unknown.failure;
}

/// A sender that sleeps between two messages, or finds room without its peer, does not see it die by itself.
TEST(ChannelJob, SeesADeadPeerWhileItHasNothingToSend) {
  channel_job slow = job(channel_mode::latency, 64, 1000);
  slow.rate = 1;
  channel_job dora = job(channel_mode::dora, 0);
  dora.quick_dora = false;
  for (const channel_job& j : {slow, dora}) {
    const auto r = inner::between_processes<weir::channel::shared_memory_ring>("shm", j, {},
                                                                               [](int pid) { ::kill(pid, SIGKILL); });
    EXPECT_EQ(r.failure, "the sending end: peer lost; [weir.channels.peer_died] peer process: killed: Killed");
  }
}

TEST(ChannelJob, RunsDorasProtocol) {
  const channel_job j = job(channel_mode::dora, 0);
  for (const auto& r : {inner::between_threads<weir::channel::shared_memory_ring>(j),
                        inner::between_processes<weir::channel::unix_socket>("unix", j)}) {
    EXPECT_EQ(r.failure, "");
    EXPECT_EQ(r.sent, 2010U);  // 10 sizes: 100 alone, then 100 and the end marker
    ASSERT_EQ(r.far.dora.size(), 20U);
    for (std::size_t i = 0; i < 20; ++i) {
      EXPECT_EQ(r.far.dora[i].bytes, dora_sizes[i % 10]);
      EXPECT_EQ(r.far.dora[i].n, 100U);
      EXPECT_EQ(r.far.dora[i].throughput, i / 10);
    }
  }
}

TEST(DoraSink, RoundsThePercentilesIndexAsDoraDoes) {
  std::vector<double> values;
  for (int i = 0; i < 100; ++i) values.push_back(i);
  const dora_row row = inner::dora_latency_row(8, values);
  EXPECT_EQ(row.average, 49.5);
  EXPECT_EQ(row.p50_p95_p99_p999_min_max, (std::array<double, 6>{50, 94, 98, 99, 0, 99}));
}

TEST(DoraSink, CountsWhatCameAndLeavesTheMarkerOut) {
  using std::chrono::nanoseconds;
  inner::dora_sink sink(true);
  for (int i = 0; i < 93; ++i) sink.add(64, nanoseconds(1000 + i), {});
  sink.add(1, nanoseconds(2000), {});
  sink.add(512, nanoseconds(3000), {});
  sink.flush(nanoseconds(4000));
  const std::vector<dora_row> rows = std::move(sink).rows();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].bytes, 64U);
  EXPECT_EQ(rows[0].n, 93U);
  EXPECT_DOUBLE_EQ(rows[0].average, 93e6);  // 93 in 1 us
  EXPECT_EQ(rows[1].bytes, 512U);
}

TEST(PeerReport, ComesBackAsItWasAndRefusesAnyPartOfIt) {
  channel_report r;
  r.received = 3;
  r.reordered = 1;
  r.ended = outcome::closed;
  r.visible = {1.5, 2.5};
  r.dora.push_back({.throughput = 1, .bytes = 8, .n = 100, .average = 2, .p50_p95_p99_p999_min_max = {}});
  weir::measure::histogram latency;
  for (int i = 1; i < 1000; i *= 3) latency.record(std::chrono::nanoseconds(i));
  r.latency = latency.snapshot();
  const std::string text = inner::to_text(r);
  const channel_report back = inner::report_of(text);
  EXPECT_EQ(back.received, 3U);
  EXPECT_EQ(back.ended, outcome::closed);
  EXPECT_EQ(back.visible, r.visible);
  EXPECT_EQ(back.latency, r.latency);
  ASSERT_EQ(back.dora.size(), 1U);
  for (std::size_t cut = 0; cut < text.size(); cut += 5)
    EXPECT_EQ(id_of([&] { (void)inner::report_of(text.substr(0, cut)); }), "channels.bad_report");
}

}  // namespace
