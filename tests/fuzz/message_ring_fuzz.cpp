// libFuzzer target of the shared-memory ring: the other process writes anything anywhere into the memory that both
// share, between any calls of this one. An outcome, a wrong message, but never a byte outside of it.
//
//   fuzz_message_ring -max_total_time=60 corpus/

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include <weir/channel/memory.hpp>
#include <weir/channel/message.hpp>
#include <weir/channel/message_ring.hpp>

namespace {

using namespace weir::channel;

constexpr std::size_t largest = 200;

/// Bytes to choose by; zeroes once they have run out.
class script {
 public:
  explicit script(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  [[nodiscard]] bool ended() const noexcept { return bytes_.empty(); }
  template <class T>
  [[nodiscard]] T next() noexcept {
    T value{};
    const std::size_t n = bytes_.size() < sizeof value ? bytes_.size() : sizeof value;
    if (n != 0) std::memcpy(&value, bytes_.data(), n);
    bytes_ = bytes_.subspan(n);
    return value;
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

/// Reads all of a message, for the sanitizers to see where it lies.
void use(const taken& got) {
  if (got.what != outcome::done) return;
  if (got.bytes.size() > largest) std::abort();
  std::array<std::byte, largest> copy;
  if (!got.bytes.empty()) std::memcpy(copy.data(), got.bytes.data(), got.bytes.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  script next(std::span(data, size));
  // Nothing here waits for a peer that is not there: a ring that would block is tried, never loaned from.
  const auto policy = static_cast<full_policy>(next.next<std::uint8_t>() % weir::channel::full_names.size());
  const options o{
      .depth = 1 + next.next<std::uint8_t>() % 6u, .largest = largest, .wait = wait_strategy::spin, .full = policy};
  shared_memory_ring ring(o);
  const memory shared = memory::attach(ring.handles(side::sender)[0]);
  std::array<std::byte, largest> room{};
  while (!next.ended()) {
    switch (next.next<std::uint8_t>() % 7) {
      case 0:
      case 1: {
        const std::size_t at = next.next<std::uint16_t>() % (shared.size() / 8) * 8;
        const auto value = next.next<std::uint64_t>();
        std::memcpy(shared.data() + at, &value, sizeof value);
        break;
      }
      case 2: {  // a value that is nearly right
        const std::size_t at = next.next<std::uint16_t>() % (shared.size() / 8) * 8;
        std::uint64_t value = 0;
        std::memcpy(&value, shared.data() + at, sizeof value);
        value += next.next<std::uint8_t>() - 128u;
        std::memcpy(shared.data() + at, &value, sizeof value);
        break;
      }
      case 3: {
        const std::size_t wanted = next.next<std::uint8_t>();
        if (policy == full_policy::block) {
          static_cast<void>(ring.try_send(std::span<const std::byte>(room).first(std::min(wanted, largest))));
          break;
        }
        const loaned slot = ring.loan(wanted);
        if (slot.what != outcome::done) break;
        if (slot.bytes.size() != wanted) std::abort();
        if (wanted != 0) std::memset(slot.bytes.data(), 1, wanted);
        break;
      }
      case 4:
        ring.publish();
        break;
      case 5:
        use(ring.try_take());
        break;
      default:
        ring.release();
        if (next.next<std::uint8_t>() % 2 == 0) break;
        if (ring.try_send(std::span<const std::byte>(room).first(8)) != outcome::done) break;
        if (const auto got = ring.try_take(); got.what == outcome::done) use(got);
    }
  }
  // The head as another process finds it: refused, or right.
  try {
    const auto other = shared_memory_ring::attach(side::receiver, ring.handles(side::receiver), o);
  } catch (const weir::error&) {
  }
  return 0;
}
