// SPDX-License-Identifier: Apache-2.0
//
// Price of statistics and reports on a large run: 1,000 benchmarks x 30 forks x 10 iterations, made up. Must stay
// below 5 s and 1 GiB for all that is done once a run.
//
//   self_reports [FOLDER]    writes a result folder there (default: the system's temporary one) and removes it

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>

#include <unistd.h>

#include <weir/analysis.hpp>
#include <weir/base/os.hpp>
#include <weir/base/random.hpp>
#include <weir/report/folder.hpp>
#include <weir/report/result.hpp>
#include <weir/report/tables.hpp>

namespace {

constexpr std::uint32_t benchmarks = 1'000;
constexpr std::uint32_t forks = 30;
constexpr std::uint32_t iterations = 10;

/// Forks differ by 1 %, iterations by 0.5 %, as normal as a sum of twelve uniform numbers is.
weir::record::run_record made_up() {
  weir::random_bits bits(1);
  const auto noise = [&bits] {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += bits.uniform();
    return sum;
  };
  weir::record::run_record run;
  run.program = "made_up";
  run.started = "2024-01-01T00:00:00Z";
  run.budget = {.profile = "custom", .forks = forks, .warmup = 1, .iterations = iterations, .iteration_seconds = 0.1};
  run.ended_by = "budget";
  run.environments = {weir::record::probe_environment()};
  for (std::uint32_t b = 0; b < benchmarks; ++b) {
    weir::record::benchmark& one = run.benchmarks.emplace_back();
    one.name = "rows/row/operation" + std::to_string(b);
    for (std::uint32_t f = 0; f < forks; ++f) {
      weir::record::fork& fork = one.forks.emplace_back();
      fork.block = f;
      fork.place = f * benchmarks + b;
      fork.took = std::chrono::milliseconds(1'200);
      fork.warmup = 1;
      const double mean = 20 * (1 + 0.01 * noise());
      for (std::uint32_t i = 0; i < 1 + iterations; ++i) {
        const double ns = mean * (1 + 0.005 * noise());
        fork.iterations.push_back(
            {.operations = 5'000'000, .real_ns = ns, .cpu_ns = ns, .counters = {{"items_per_second", 1e9 / ns}}});
      }
    }
  }
  return run;
}

}  // namespace

int main(int argc, char** argv) {
  namespace report = weir::report;
  const auto folder = (argc > 1 ? std::filesystem::path(argv[1]) : std::filesystem::temp_directory_path()) /
                      ("weir_self_reports_" + std::to_string(::getpid()));
  weir::os::nanoseconds all{};
  // CPU time beside wall time: on a busy host only the first says what the work costs.
  const auto seconds = [](weir::os::nanoseconds t) { return std::chrono::duration<double>(t).count(); };
  const auto timed = [&](const char* what, auto&& work) {
    const auto start = weir::os::monotonic_now();
    const auto cpu = weir::os::process_cpu_time();
    auto result = work();
    const auto used = weir::os::process_cpu_time() - cpu;
    all += used;
    std::printf("%-28s %6.2f s CPU, %6.2f s\n", what, seconds(used), seconds(weir::os::monotonic_now() - start));
    return result;
  };
  const weir::record::run_record run = made_up();
  std::printf("%u benchmarks x %u forks x (1 + %u) iterations\n", benchmarks, forks, iterations);
  const auto summary = timed("summarize", [&] { return weir::analysis::summarize(run); });
  timed("summary_table", [&] { return report::summary_table(summary); });
  timed("write_all", [&] { return report::write_all(folder, run, summary, nullptr), 0; });
  std::printf("%-28s %6.2f s CPU, peak %.0f MiB\n", "together", seconds(all),
              static_cast<double>(weir::os::peak_resident()) / (1 << 20));
  const auto again = timed("read_result", [&] { return report::read_result(folder); });
  timed("compare, comparison_table", [&] { return report::comparison_table(weir::analysis::compare(run, again)); });
  std::filesystem::remove_all(folder);
  return 0;
}
