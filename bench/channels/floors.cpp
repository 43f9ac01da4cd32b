// SPDX-License-Identifier: Apache-2.0
//
// What the system calls below the channels cost bare, in the same words: one message back and forth, half of which is
// one way, between two threads. A channel's row is to be read beside its floor in the same run.
//
//   channels --benchmark_filter='(unix|raw_unix)/pingpong/0$' --weir_param=placement=same

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <linux/futex.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <benchmark/benchmark.h>

#include <weir/base/os.hpp>
#include <weir/channel/memory.hpp>
#include <weir/channel/stream.hpp>
#include <weir/gbench/session.hpp>

namespace {

constexpr std::size_t header = 32;  // as a channel's message of 0 bytes: weir's header and its frame

/// Two one-way streams.
struct both_ways {
  weir::channel::detail::stream_ends there;
  weir::channel::detail::stream_ends back;
};

template <class Kind>
both_ways open_both() {
  return {Kind::open({}), Kind::open({})};
}

void pass(benchmark::State& state, both_ways (*open)(), bool one_core) {
  const both_ways ways = open();
  const std::optional<unsigned> first = 0;
  const std::optional<unsigned> last = one_core ? 0 : weir::os::usable_cores() - 1;
  std::thread echo([&] {
    const weir::os::core_pin pin(last);
    std::array<char, header> message{};
    while (::read(ways.there.in.get(), message.data(), message.size()) > 0 && message[0] == 0)
      if (::write(ways.back.out.get(), message.data(), message.size()) < 0) return;
  });
  {
    const weir::os::core_pin pin(first);
    std::array<char, header> message{};
    while (state.KeepRunningBatch(2)) {
      if (::write(ways.there.out.get(), message.data(), message.size()) < 0 ||
          ::read(ways.back.in.get(), message.data(), message.size()) <= 0)
        state.SkipWithError("the stream broke");
    }
    message[0] = 1;
    if (::write(ways.there.out.get(), message.data(), message.size()) < 0) state.SkipWithError("the stream broke");
  }
  echo.join();
}

void wait_while(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  while (word.load() == value)
    ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

void set(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  word.store(value);
  ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

void pass_by_futex(benchmark::State& state, bool one_core) {
  constexpr std::uint32_t stop = std::numeric_limits<std::uint32_t>::max();
  alignas(weir::cache_line) std::atomic<std::uint32_t> there{0};
  alignas(weir::cache_line) std::atomic<std::uint32_t> back{0};
  std::thread echo([&] {
    const weir::os::core_pin pin(one_core ? 0 : weir::os::usable_cores() - 1);
    for (std::uint32_t n = 0;; ++n) {
      wait_while(there, n);
      if (there.load() == stop) return;
      set(back, n + 1);
    }
  });
  {
    const weir::os::core_pin pin(0);
    std::uint32_t n = 0;
    while (state.KeepRunningBatch(2)) {
      set(there, n + 1);
      wait_while(back, n);
      ++n;
    }
    set(there, stop);
  }
  echo.join();
}

void add_floors(weir::gbench::session& s) {
  bool one_core = weir::os::usable_cores() < 2;
  for (const auto& p : s.chosen().params) {
    if (p.name == "placement") one_core = p.values == std::vector<std::string>{"same"};
    if (p.name == "channel") return;  // others were named
  }
  const auto add = [](const char* name, auto body) {
    benchmark::RegisterBenchmark(("channels/" + std::string(name) + "/pingpong/0").c_str(), body);
  };
  using namespace weir::channel::detail;
  add("raw_unix", [one_core](benchmark::State& state) { pass(state, open_both<unix_kind>, one_core); });
  add("raw_tcp", [one_core](benchmark::State& state) { pass(state, open_both<tcp_kind>, one_core); });
  add("raw_pipe", [one_core](benchmark::State& state) { pass(state, open_both<pipe_kind>, one_core); });
  add("raw_futex", [one_core](benchmark::State& state) { pass_by_futex(state, one_core); });
}

[[maybe_unused]] const bool registered = (weir::gbench::registrars().emplace_back(add_floors), true);

}  // namespace
