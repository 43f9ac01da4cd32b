#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Work done on an event between channel and sink. Temperature: hot.
//
//   flow::hash_work work{.operations = 64};
//   work(e);  // e.checksum is set

#include <bit>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>

#include <weir/base/config.hpp>
#include <weir/flow/event.hpp>

namespace weir::inline WEIR_ABI::flow {

/// Work on one event. Meaning: changes only the event given; copied once per lane, each copy is used by one
/// thread. An exception ends the job and becomes its failure.
template <class S>
concept stage = std::copy_constructible<S> && requires(S& work, event& e) { work(e); };

/// A stage that says how long an event occupies its server; the stepper spends that much virtual time.
template <class S>
concept timed_stage = stage<S> && requires(S& work, const event& e) {
  { work.service_time(e) } -> std::same_as<nanoseconds>;
};

/// Stages in a row, each a task of its own behind a channel of its own: `tandem{parse, enrich, store}`.
template <stage... Stages>
struct tandem {
  std::tuple<Stages...> stages;

  explicit constexpr tandem(Stages... each) : stages(std::move(each)...) {}
  constexpr void operator()(event& e) {
    std::apply([&](Stages&... each) { (each(e), ...); }, stages);
  }
};

namespace detail {

template <class>
inline constexpr bool is_tandem = false;
template <class... Stages>
inline constexpr bool is_tandem<tandem<Stages...>> = true;

}  // namespace detail

/// Passes the event on.
struct no_work {
  constexpr void operator()(event&) const noexcept {}
};

/// One hash chain over the payload: `operations` dependent multiplications.
/// Cost: about 1.7 ns an operation.
[[nodiscard]] constexpr std::uint64_t hash_chain(std::uint64_t sequence, std::string_view payload,
                                                 std::uint64_t operations) noexcept {
  std::uint64_t h = sequence ^ 0x9E3779B97F4A7C15;
  std::size_t at = 0;
  for (std::uint64_t op = 0; op < operations; ++op) {
    std::uint64_t v = op;
    if (!payload.empty()) {
      v += static_cast<unsigned char>(payload[at]);
      if (++at == payload.size()) at = 0;
    }
    h = std::rotl((h ^ v) * 0xC2B2AE3D27D4EB4F, 17);
  }
  return h;
}

/// The reference transform: sets the checksum to the event's hash chain.
struct hash_work {
  std::uint64_t operations = 64;

  constexpr void operator()(event& e) const noexcept { e.checksum = hash_chain(e.sequence, e.payload, operations); }
};

}  // namespace weir::inline WEIR_ABI::flow
