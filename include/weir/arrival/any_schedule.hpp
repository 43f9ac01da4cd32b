#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// A schedule chosen at run time, erased at the block. Temperature: hot, the constructor cold.
//
//   arrival::any_schedule due = arrival::make(job.offered);
//   due.fill(block);

#include <concepts>
#include <memory>
#include <span>
#include <utility>

#include <weir/arrival/constant.hpp>
#include <weir/arrival/schedule.hpp>
#include <weir/arrival/unpaced.hpp>
#include <weir/base/config.hpp>
#include <weir/base/units.hpp>

namespace weir::inline WEIR_ABI::arrival {

/// Any schedule, move-only.  Cost: one indirect call a block, then the schedule's own next() inlined.
/// Requires: not used after it was moved from.
class any_schedule {
 public:
  template <class S>
    requires(!std::same_as<S, any_schedule>) && (schedule<S> || block_schedule<S>)  // or it asks itself for an answer
  any_schedule(S s) : erased_(std::make_unique<erased<S>>(std::move(s))) {}

  /// Writes the intended times of the next block.size() rows.
  void fill(std::span<nanoseconds> block) noexcept { erased_->fill(block); }

 private:
  struct base {
    virtual ~base() = default;
    virtual void fill(std::span<nanoseconds> block) noexcept = 0;
  };

  template <class S>
  struct erased final : base {
    explicit erased(S s) : schedule_(std::move(s)) {}
    void fill(std::span<nanoseconds> block) noexcept override {
      if constexpr (block_schedule<S>)
        schedule_.fill(block);
      else
        for (nanoseconds& due : block) due = schedule_.next();
    }
    S schedule_;
  };

  std::unique_ptr<base> erased_;
};

/// Rows at a constant rate, or all at once when the rate is not paced().
[[nodiscard]] inline any_schedule make(rate offered) {
  if (offered.paced()) return constant(offered);
  return unpaced{};
}

}  // namespace weir::inline WEIR_ABI::arrival
