#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// What is done to a channel to learn what it costs, by its two ends: the lead, which sets the pace, and the peer, which
// answers or receives. Each end is one function, so that it can be a thread or a process. Temperature: hot loops.
//
//   channel_report far;
//   std::thread other([&] { far = detail::channel_peer<C>(job, there, back).run(); });
//   channel_result r = detail::channel_lead<C>(job, there, back).run();

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weir/arrival/constant.hpp>
#include <weir/base/config.hpp>
#include <weir/base/os.hpp>
#include <weir/base/random.hpp>
#include <weir/base/units.hpp>
#include <weir/channel/message.hpp>
#include <weir/clock/steady.hpp>
#include <weir/clock/waiting.hpp>
#include <weir/measure/histogram.hpp>
#include <weir/measure/snapshot.hpp>
#include <weir/stats/quantile.hpp>

namespace weir::inline WEIR_ABI::gbench {

using std::chrono::nanoseconds;

enum class channel_mode : std::uint32_t { pingpong, latency, throughput, dora };
inline constexpr std::array<std::string_view, 4> channel_mode_names{"pingpong", "latency", "throughput", "dora"};

/// dora's ten payload sizes, in bytes.
inline constexpr std::array<std::uint64_t, 10> dora_sizes{0, 8, 64, 512, 2048, 4096, 16384, 40960, 409600, 4096000};

/// One measurement of one channel. Plain bytes: it goes to the other process as it is.
struct channel_job {
  channel_mode mode = channel_mode::pingpong;
  std::uint64_t size = 0;  // bytes of payload; the header comes on top
  std::uint64_t count = 1;  // messages to be measured; of mode pingpong in both directions together
  std::uint64_t rate = 0;  // messages/s of mode latency
  std::uint32_t batch = 1;  // messages handed over together in mode throughput, where the channel can
  bool quick_dora = false;  // without its sleeps: for tests
  channel::options options;  // of the channel
  int lead_core = -1;  // -1: wherever the system puts it
  int peer_core = -1;
};

/// What goes in front of each payload, so that every channel is checked in the same way, whatever it carries itself.
struct channel_header {
  std::uint64_t sequence = 0;
  std::int64_t due = 0;  // when it should have been sent
  std::int64_t published = 0;  // read just before it was handed over; 0: nobody asks
};

/// A row as dora prints it. Units: ns; of throughput, average is messages/s and the percentiles are 0.
struct dora_row {
  std::uint64_t throughput = 0;
  std::uint64_t bytes = 0;
  std::uint64_t n = 0;
  double average = 0;
  std::array<double, 6> p50_p95_p99_p999_min_max{};
};

/// What the receiving side saw.
struct channel_report {
  std::uint64_t received = 0;
  std::uint64_t duplicated = 0;  // the number came twice in a row
  std::uint64_t reordered = 0;  // a number below an earlier one
  std::uint64_t damaged = 0;  // wrong size, or wrong last bytes
  std::uint64_t early = 0;  // received before it was sent
  std::uint64_t parks = 0;
  nanoseconds cpu{};
  channel::outcome ended = channel::outcome::done;
  measure::snapshot latency;
  std::vector<double> visible;  // ns from publishing to when the receiver had it
  std::vector<double> consume;  // ns to give it back
  std::vector<dora_row> dora;
};

/// Told by the lead when the measured part begins and ends, and asked now and then whether the peer is still there: a
/// sender that sleeps, or finds room without it, would not see it die.
struct channel_watch {
  std::function<void()> begin = [] {};
  std::function<void()> end = [] {};
  std::function<bool()> peer_lives = [] { return true; };
};

/// What came of a job.
struct channel_result {
  std::string failure;  // empty: every message arrived once, in order, unharmed
  std::uint64_t sent = 0;
  std::uint64_t dropped = 0;
  channel_report far;
  measure::snapshot times;  // of mode pingpong half a round trip, else the latency from the intended time
  measure::snapshot release_lag;
  std::uint64_t messages = 0;  // that the rates count
  nanoseconds elapsed{};
  nanoseconds cpu{};
  std::uint64_t parks = 0;
  std::vector<double> loan;  // ns
  std::vector<double> fill;  // ns
  std::vector<double> slices;  // ns a message in equal parts of the time
};

namespace detail {

/// The payload that is sent again and again, the same on both sides.
[[nodiscard]] inline std::vector<std::byte> channel_payload(std::uint64_t size) {
  random_bits bits(42);
  std::vector<std::byte> payload(size);
  for (std::byte& b : payload) b = static_cast<std::byte>(bits());
  return payload;
}

/// Times that are kept of each step: enough for a median.
inline constexpr std::size_t most_timed = 1 << 14;

[[nodiscard]] inline std::optional<unsigned> core_of(int core) {
  return core < 0 ? std::nullopt : std::optional(static_cast<unsigned>(core));
}

template <class C>
[[nodiscard]] std::uint64_t parks_of(const C& first, const C& second) {
  if constexpr (requires { first.counts().parks; }) return first.counts().parks + second.counts().parks;
  return 0;
}

/// One sending end, with the header and the payload laid out as the channel wants them.
template <class C>
class channel_sender {
 public:
  static constexpr bool zero_copy = channel::zero_copy_channel<C>;

  channel_sender(C& c, std::uint64_t largest) : channel_(&c), payload_(channel_payload(largest)) {
    if constexpr (!zero_copy) {
      message_.resize(sizeof(channel_header) + largest);
      if (largest != 0) std::memcpy(message_.data() + sizeof(channel_header), payload_.data(), largest);
    }
  }

  /// Loans and fills, where it may lie in the channel; hands over when told to.
  channel::outcome send(channel_header h, std::uint64_t size, bool hand_over = true) {
    if constexpr (zero_copy) {
      const channel::loaned slot = channel_->loan(sizeof h + size);
      if (slot.what != channel::outcome::done) return slot.what;
      fill(slot.bytes, h, size);
      if (hand_over) channel_->publish();
      return channel::outcome::done;
    } else {
      std::memcpy(message_.data(), &h, sizeof h);
      return channel_->send(std::span<const std::byte>(message_).first(sizeof h + size));
    }
  }

  /// The same with a look at the clock after each step.
  channel::outcome timed_send(channel_header h, std::uint64_t size, std::vector<double>& loan,
                              std::vector<double>& fill_time) {
    const clock::steady now;
    if constexpr (zero_copy) {
      const nanoseconds t0 = now.now();
      const channel::loaned slot = channel_->loan(sizeof h + size);
      if (slot.what != channel::outcome::done) return slot.what;
      const nanoseconds t1 = now.now();
      fill(slot.bytes, h, size);
      written_.exchange(0, std::memory_order_seq_cst);  // what is still on its way to the cache belongs to the filling
      const nanoseconds t2 = now.now();
      // Once more, lest what 4 MB threw out of the cache, the clock's own data first, be counted as handing over.
      h.published = now.now().count();
      std::memcpy(slot.bytes.data(), &h, sizeof h);
      channel_->publish();
      if (loan.size() < most_timed) {
        loan.push_back(static_cast<double>((t1 - t0).count()));
        fill_time.push_back(static_cast<double>((t2 - t1).count()));
      }
      return channel::outcome::done;
    } else {  // the payload lies ready: the channel copies it
      h.published = now.now().count();
      return send(h, size);
    }
  }

 private:
  /// The header last: its line is then at hand for whoever writes the time into it.
  void fill(std::span<std::byte> slot, const channel_header& h, std::uint64_t size) const noexcept {
    if (size != 0) std::memcpy(slot.data() + sizeof h, payload_.data(), size);
    std::memcpy(slot.data(), &h, sizeof h);
  }

  C* channel_;
  std::vector<std::byte> payload_;
  std::vector<std::byte> message_;
  std::atomic<int> written_{0};
};

/// One receiving end, which checks what it gets.
template <class C>
class channel_receiver {
 public:
  static constexpr bool zero_copy = channel::zero_copy_channel<C>;

  /// Messages of one size, unless of any up to that.
  channel_receiver(C& c, std::uint64_t size, bool any_size = false)
      : channel_(&c), payload_(channel_payload(size)), any_size_(any_size) {
    if constexpr (!zero_copy) room_.resize(sizeof(channel_header) + size);
  }

  struct arrival {
    channel::outcome what = channel::outcome::done;
    channel_header header{};
    std::uint64_t size = 0;
    nanoseconds there{};  // when it was, if asked
  };

  /// Waits for the next message, which stays until done().
  [[nodiscard]] arrival next(bool timed = false) {
    const auto look = [&] { return timed ? clock::steady::now() : nanoseconds(0); };
    look();  // or the look that counts may have to fetch the clock's data first
    if constexpr (zero_copy) {
      const channel::taken got = channel_->take();
      const nanoseconds there = look();  // before the message is read: to do that may take longer than to hand it over
      return got.what == channel::outcome::done ? read(got.bytes, there) : arrival{.what = got.what};
    } else {
      const channel::received got = channel_->receive(room_);
      const nanoseconds there = look();
      return got.what == channel::outcome::done ? read(std::span<const std::byte>(room_).first(got.size), there)
                                                : arrival{.what = got.what};
    }
  }

  /// What is there already, if the channel can tell without waiting.
  [[nodiscard]] arrival next_if_there() {
    if constexpr (zero_copy) {
      const channel::taken got = channel_->try_take();
      return got.what == channel::outcome::done ? read(got.bytes) : arrival{.what = got.what};
    } else {
      return {.what = channel::outcome::empty};
    }
  }

  void done() noexcept {
    if constexpr (zero_copy) channel_->release();
  }

  /// Puts what it saw into the report.
  void add_to(channel_report& r) const {
    r.received += received_;
    r.duplicated += duplicated_;
    r.reordered += reordered_;
    r.damaged += damaged_;
  }
  [[nodiscard]] bool sound() const noexcept { return duplicated_ + reordered_ + damaged_ == 0; }

 private:
  [[nodiscard]] arrival read(std::span<const std::byte> message, nanoseconds there = {}) noexcept {
    arrival a{.there = there};
    if (message.size() < sizeof a.header) {
      ++damaged_;
      return a;
    }
    std::memcpy(&a.header, message.data(), sizeof a.header);
    a.size = message.size() - sizeof a.header;
    const std::size_t tail = std::min<std::size_t>(8, a.size);
    if (a.size > payload_.size() || (!any_size_ && a.size != payload_.size()) ||
        (tail != 0 && std::memcmp(message.data() + message.size() - tail, payload_.data() + a.size - tail, tail) != 0))
      ++damaged_;
    const std::uint64_t n = a.header.sequence;
    duplicated_ += received_ != 0 && n + 1 == expected_;
    reordered_ += n + 1 < expected_;
    if (n >= expected_) expected_ = n + 1;
    ++received_;
    return a;
  }

  C* channel_;
  std::vector<std::byte> payload_;
  bool any_size_;
  std::vector<std::byte> room_;
  std::uint64_t expected_ = 0;
  std::uint64_t received_ = 0;
  std::uint64_t duplicated_ = 0;
  std::uint64_t reordered_ = 0;
  std::uint64_t damaged_ = 0;
};

/// dora's percentile: of the sorted values the one at round(p (n - 1)), no interpolation.
[[nodiscard]] inline double dora_percentile(const std::vector<double>& sorted, double p) {
  return sorted.empty() ? 0
                        : sorted[static_cast<std::size_t>(std::llround(p * static_cast<double>(sorted.size() - 1)))];
}

[[nodiscard]] inline dora_row dora_latency_row(std::uint64_t bytes, std::vector<double> ns) {
  std::sort(ns.begin(), ns.end());
  double sum = 0;
  for (const double one : ns) sum += one;
  dora_row row{.throughput = 0, .bytes = bytes, .n = ns.size(), .average = 0, .p50_p95_p99_p999_min_max = {}};
  if (ns.empty()) return row;
  row.average = sum / static_cast<double>(ns.size());
  row.p50_p95_p99_p999_min_max = {dora_percentile(ns, 0.5),
                                  dora_percentile(ns, 0.95),
                                  dora_percentile(ns, 0.99),
                                  dora_percentile(ns, 0.999),
                                  ns.front(),
                                  ns.back()};
  return row;
}

/// dora's sink: the length tells which bracket a message belongs to, 1 byte is the end marker and counts nowhere.
class dora_sink {
 public:
  explicit dora_sink(bool throughput) : throughput_(throughput) {}

  void add(std::uint64_t size, nanoseconds now, nanoseconds latency) {
    if (size != size_) {
      flush(now);
      size_ = size;
      began_ = now;
    }
    if (size == marker) return;
    ++n_;
    if (!throughput_) latencies_.push_back(static_cast<double>(std::max<std::int64_t>(0, latency.count())));
  }

  void flush(nanoseconds now) {
    if (size_ != none && size_ != marker && n_ != 0) {
      if (throughput_)
        rows_.push_back({.throughput = 1,
                         .bytes = size_,
                         .n = n_,
                         .average = static_cast<double>(n_) / std::chrono::duration<double>(now - began_).count(),
                         .p50_p95_p99_p999_min_max = {}});
      else
        rows_.push_back(dora_latency_row(size_, std::move(latencies_)));
    }
    latencies_.clear();
    n_ = 0;
    size_ = none;
  }

  [[nodiscard]] std::vector<dora_row> rows() && { return std::move(rows_); }

  static constexpr std::uint64_t marker = 1;

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  bool throughput_;
  std::uint64_t size_ = none;
  std::uint64_t n_ = 0;
  nanoseconds began_{};
  std::vector<double> latencies_;
  std::vector<dora_row> rows_;
};

/// Of mode pingpong: round trips before the measured ones, and the first message after them, whose steps are timed.
[[nodiscard]] inline std::uint64_t turns_of(const channel_job& job) noexcept { return (job.count + 1) / 2; }
[[nodiscard]] inline std::uint64_t warmup_of(const channel_job& job) noexcept {
  return std::min<std::uint64_t>(turns_of(job) / 10 + 1, 1000);
}
[[nodiscard]] inline std::uint64_t first_timed(const channel_job& job) noexcept {
  return warmup_of(job) + turns_of(job);
}

/// The end that answers or receives.
template <class C>
class channel_peer {
 public:
  /// second: where answers go; in mode dora another edge towards this end.
  channel_peer(const channel_job& job, C& first, C& second) : job_(job), first_(&first), second_(&second) {}

  [[nodiscard]] channel_report run() {
    const os::core_pin pin(core_of(job_.peer_core));
    const nanoseconds cpu = os::thread_cpu_time();
    if (job_.mode == channel_mode::dora) {
      sink(*first_, false);
      if (report_.ended == channel::outcome::closed) sink(*second_, true);
    } else {
      channel_receiver<C> in(*first_, job_.size);
      report_.ended = job_.mode == channel_mode::pingpong  ? answer(in)
                      : job_.mode == channel_mode::latency ? receive(in)
                                                           : drain(in);
      in.add_to(report_);
      // The last word of mode throughput: all is there.
      if (job_.mode == channel_mode::throughput) static_cast<void>(channel_sender<C>(*second_, 0).send({}, 0));
    }
    report_.cpu = os::thread_cpu_time() - cpu;
    report_.parks = parks_of(*first_, *second_);
    return std::move(report_);
  }

 private:
  channel::outcome answer(channel_receiver<C>& in) {
    channel_sender<C> out(*second_, job_.size);
    const std::uint64_t timed = first_timed(job_);
    for (std::uint64_t n = 0;; ++n) {
      const auto got = in.next(n >= timed);
      if (got.what != channel::outcome::done) return got.what;
      if (n >= timed)
        note(in, got);
      else
        in.done();
      if (const auto o = out.send({.sequence = got.header.sequence}, job_.size); o != channel::outcome::done) return o;
    }
  }

  channel::outcome receive(channel_receiver<C>& in) {
    measure::histogram latency;
    for (;;) {
      const auto got = in.next(true);
      if (got.what != channel::outcome::done) {
        report_.latency = latency.snapshot();
        return got.what;
      }
      note(in, got);
      const nanoseconds late = got.there - nanoseconds(got.header.due);
      report_.early += late < nanoseconds(0);
      latency.record(std::max(late, nanoseconds(0)));
    }
  }

  channel::outcome drain(channel_receiver<C>& in) {
    constexpr int most_at_once = 64;
    for (;;) {
      if (const auto got = in.next(); got.what != channel::outcome::done) return got.what;
      for (int i = 1; i < most_at_once && in.next_if_there().what == channel::outcome::done; ++i) {
      }
      in.done();
    }
  }

  void sink(C& edge, bool throughput) {
    channel_receiver<C> in(edge, dora_sizes.back(), true);
    dora_sink rows(throughput);
    for (;;) {
      const auto got = in.next();
      const nanoseconds now = clock::steady::now();
      if (got.what != channel::outcome::done) {
        report_.ended = got.what;
        rows.flush(now);
        break;
      }
      rows.add(got.size, now, now - nanoseconds(got.header.published));
      in.done();
    }
    in.add_to(report_);
    for (dora_row& row : std::move(rows).rows()) report_.dora.push_back(row);
  }

  /// Gives the message back, and keeps its times.
  void note(channel_receiver<C>& in, const channel_receiver<C>::arrival& got) {
    const nanoseconds read = clock::steady::now();
    in.done();
    const nanoseconds given_back = clock::steady::now();
    if (report_.visible.size() == most_timed) return;
    report_.visible.push_back(static_cast<double>((got.there - nanoseconds(got.header.published)).count()));
    report_.consume.push_back(static_cast<double>((given_back - read).count()));
  }

  channel_job job_;
  C* first_;
  C* second_;
  channel_report report_;
};

/// The messages cut into equal slices, with the price of one in each.
class slice_clock {
 public:
  slice_clock(nanoseconds start, std::uint64_t whole)
      : begin_(start), each_(std::max<std::uint64_t>(whole / slices, 1)) {}

  void add(std::uint64_t messages, nanoseconds now) {
    messages_ += messages;
    if (messages_ < each_) return;
    ns_.push_back(static_cast<double>((now - begin_).count()) / static_cast<double>(messages_));
    begin_ = now;
    messages_ = 0;
  }
  [[nodiscard]] std::vector<double> ns() && { return std::move(ns_); }

 private:
  static constexpr int slices = 32;

  nanoseconds begin_;
  std::uint64_t each_;
  std::uint64_t messages_ = 0;
  std::vector<double> ns_;
};

/// The end that sets the pace. It closes the channels when it is done, and so ends the peer.
template <class C>
class channel_lead {
 public:
  channel_lead(const channel_job& job, C& first, C& second, channel_watch watch = {})
      : job_(job), first_(&first), second_(&second), watch_(std::move(watch)) {}

  [[nodiscard]] channel_result run() {
    const os::core_pin pin(core_of(job_.lead_core));
    const nanoseconds cpu = os::thread_cpu_time();
    const channel::outcome o = job_.mode == channel_mode::pingpong     ? pingpong()
                               : job_.mode == channel_mode::latency    ? latency()
                               : job_.mode == channel_mode::throughput ? throughput()
                                                                       : dora();
    if (o != channel::outcome::done) result_.failure = "the sending end: " + std::string(name_of(o));
    result_.cpu = os::thread_cpu_time() - cpu;
    if constexpr (requires { first_->counts(); }) {  // it knows what was thrown out
      result_.dropped = first_->counts().dropped;
      if (job_.mode == channel_mode::dora) result_.dropped += second_->counts().dropped;
    }
    result_.parks = parks_of(*first_, *second_);
    first_->close();
    second_->close();
    return std::move(result_);
  }

 private:
  channel::outcome pingpong() {
    channel_sender<C> out(*first_, job_.size);
    channel_receiver<C> in(*second_, job_.size);
    measure::histogram times;
    const auto answer = [&] {
      const auto got = in.next();
      in.done();
      return got.what != channel::outcome::done                      ? got.what
             : got.header.sequence == result_.sent - 1 && in.sound() ? channel::outcome::done
                                                                     : channel::outcome::corrupt;
    };
    const auto round_trip = [&] {
      const auto o = out.send({.sequence = result_.sent++}, job_.size);
      return o == channel::outcome::done ? answer() : o;
    };
    const std::uint64_t turns = turns_of(job_);
    for (std::uint64_t i = 0; i < warmup_of(job_); ++i)
      if (const auto o = round_trip(); o != channel::outcome::done) return o;
    watch_.begin();
    const nanoseconds start = clock::steady::now();
    nanoseconds now = start;
    slice_clock slices(start, job_.count);
    for (std::uint64_t i = 0; i < turns; ++i) {
      if (const auto o = round_trip(); o != channel::outcome::done) return o;
      const nanoseconds before = std::exchange(now, clock::steady::now());
      times.record((now - before) / 2);
      slices.add(2, now);
    }
    watch_.end();
    result_.elapsed = now - start;
    result_.slices = std::move(slices).ns();
    result_.times = times.snapshot();
    result_.messages = 2 * turns;
    // The steps, in turns of their own: four looks at the clock cost more than a small message.
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(turns / 10 + 1, 500); ++i) {
      const auto o = out.timed_send({.sequence = result_.sent++}, job_.size, result_.loan, result_.fill);
      if (o != channel::outcome::done) return o;
      if (const auto back = answer(); back != channel::outcome::done) return back;
    }
    return channel::outcome::done;
  }

  channel::outcome latency() {
    channel_sender<C> out(*first_, job_.size);
    arrival::constant due(rate::per_second(job_.rate));
    measure::histogram lag;
    const clock::any_waiting wait = job_.lead_core >= 0 && job_.lead_core == job_.peer_core
                                        ? clock::any_waiting(clock::sleep{})
                                        : clock::any_waiting(clock::sleep_then_spin{});
    const nanoseconds start = clock::steady::now() + std::chrono::milliseconds(1);
    watch_.begin();
    nanoseconds looked{};
    while (result_.sent < job_.count) {
      const nanoseconds at = due.next();
      if (at - looked >= between_looks) {
        if (!pause_until(start + at - between_looks)) return channel::outcome::peer_lost;
        looked = at;
      }
      wait(clock::steady{}, start + at);
      lag.record(std::max(clock::steady::now() - start - at, nanoseconds(0)));
      const channel_header h{.sequence = result_.sent++, .due = (start + at).count(), .published = 0};
      const auto o = out.timed_send(h, job_.size, result_.loan, result_.fill);
      if (o == channel::outcome::dropped)
        ++result_.dropped;
      else if (o != channel::outcome::done)
        return o;
    }
    watch_.end();
    result_.elapsed = clock::steady::now() - start;
    result_.messages = result_.sent;
    result_.release_lag = lag.snapshot();
    return channel::outcome::done;
  }

  channel::outcome throughput() {
    constexpr std::uint64_t between_slices = 64;
    channel_sender<C> out(*first_, job_.size);
    channel_receiver<C> in(*second_, 0);
    watch_.begin();
    const nanoseconds start = clock::steady::now();
    slice_clock slices(start, job_.count);
    while (result_.sent < job_.count) {
      const std::uint64_t round =
          std::min(std::max<std::uint64_t>(job_.batch, between_slices), job_.count - result_.sent);
      for (std::uint64_t i = 1; i <= round; ++i) {
        const auto o = out.send({.sequence = result_.sent++}, job_.size, i % job_.batch == 0 || i == round);
        if (o == channel::outcome::dropped)
          ++result_.dropped;
        else if (o != channel::outcome::done)
          return o;
      }
      slices.add(round, clock::steady::now());
    }
    first_->close();
    const auto last_word = in.next();
    result_.elapsed = clock::steady::now() - start;
    watch_.end();
    result_.slices = std::move(slices).ns();
    return last_word.what;
  }

  channel::outcome dora() {
    constexpr int messages = 100;
    constexpr nanoseconds gap = std::chrono::milliseconds(5);
    constexpr nanoseconds drain = std::chrono::seconds(2);
    const auto sleep = [&](nanoseconds t) { return job_.quick_dora || pause_until(clock::steady::now() + t); };
    channel_sender<C> lone(*first_, dora_sizes.back());
    watch_.begin();
    std::uint64_t sequence = 0;
    // dora's stamp comes after the payload was copied; so does that of a timed send.
    const auto send = [&](channel_sender<C>& edge, std::uint64_t size) {
      ++result_.sent;
      return edge.timed_send({.sequence = sequence++}, size, result_.loan, result_.fill);
    };
    for (const std::uint64_t size : dora_sizes) {
      for (int i = 0; i < messages; ++i) {
        if (const auto o = send(lone, size); stops(o)) return o;
        if (!sleep(gap)) return channel::outcome::peer_lost;
      }
    }
    first_->close();
    if (!sleep(drain)) return channel::outcome::peer_lost;
    channel_sender<C> burst(*second_, dora_sizes.back());
    sequence = 0;
    for (const std::uint64_t size : dora_sizes) {
      for (int i = 0; i <= messages; ++i) {
        if (const auto o = send(burst, i == messages ? dora_sink::marker : size); stops(o)) return o;
      }
      if (!sleep(drain)) return channel::outcome::peer_lost;
    }
    watch_.end();
    return channel::outcome::done;
  }

  static constexpr nanoseconds between_looks = std::chrono::milliseconds(200);

  /// Sleeps, and looks after the peer.  Returns: false when it is gone.
  [[nodiscard]] bool pause_until(nanoseconds deadline) {
    for (;;) {
      if (!watch_.peer_lives()) return false;
      const nanoseconds now = clock::steady::now();
      if (now >= deadline)
        return true;  // sleeping until the past takes its time too, which the next message would show
      os::sleep_until(std::min(deadline, now + between_looks));
    }
  }

  [[nodiscard]] bool stops(channel::outcome o) noexcept {
    result_.dropped += o == channel::outcome::dropped;
    return o != channel::outcome::done && o != channel::outcome::dropped;
  }

  channel_job job_;
  C* first_;
  C* second_;
  channel_watch watch_;
  channel_result result_;
};

/// Puts the two ends' views together, and says what is wrong.
inline void conclude(const channel_job& job, channel_result& r, channel_report far) {
  r.far = std::move(far);
  if (job.mode == channel_mode::latency) r.times = r.far.latency;
  if (job.mode == channel_mode::throughput || job.mode == channel_mode::dora) r.messages = r.far.received;
  r.cpu = job.mode == channel_mode::latency ? r.far.cpu : r.cpu + r.far.cpu;
  r.parks += r.far.parks;
  if (!r.failure.empty()) return;
  std::string wrong;
  const auto count = [&](std::uint64_t n, const char* what) {
    if (n != 0) wrong.append(wrong.empty() ? "" : ", ").append(std::to_string(n)).append(" ").append(what);
  };
  const std::uint64_t arrived = r.far.received + r.dropped;
  count(r.far.duplicated, "duplicated");
  count(r.far.reordered, "reordered");
  count(r.far.damaged, "damaged");
  count(r.far.early, "received before they were sent");
  count(arrived < r.sent ? r.sent - arrived : 0, "lost");
  count(arrived > r.sent ? arrived - r.sent : 0, "too many");
  if (r.far.ended != channel::outcome::closed)
    wrong.append(wrong.empty() ? "" : ", ").append("the receiving end: ").append(name_of(r.far.ended));
  if (!wrong.empty()) r.failure = "messages of " + std::to_string(r.sent) + ": " + wrong;
}

}  // namespace detail
}  // namespace weir::inline WEIR_ABI::gbench
