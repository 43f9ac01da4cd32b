#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The row suite: ten operations of a pipeline's hot path, on any row type. Temperature: hot loops.
//
//   const bool a = weir::gbench::register_row_suite<weir::data::row>("row");  // rows/row/copyPlainRow, ...
//
// Each benchmark walks round 1024 rows. Before it is timed, its operation is checked on every one of them
// against values computed without the row type; a wrong result is an error of the benchmark, not a number.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>

#include <weir/base/config.hpp>
#include <weir/base/os.hpp>
#include <weir/data/numbered_row.hpp>
#include <weir/data/row_like.hpp>

namespace weir::inline WEIR_ABI::gbench {

/// The scenarios of one row type, each a benchmark function; those that the type cannot do are not there.
template <data::row_like Row>
class row_suite {
 public:
  static constexpr std::size_t rows = 1024;

  static void copyPlainRow(benchmark::State& state) {
    run(state, plain(), [](const Row& row, std::int32_t) { return Row(row); }, same_row);
  }

  static void copyRowWithOptions(benchmark::State& state)
    requires data::row_with_options<Row>
  {
    run(
        state, with_options(), [](const Row& row, std::int32_t) { return Row(row); },
        [](const Row& copy, const data::row_fields& f) { return same_row(copy, f) && copy.option_count() == 3; });
  }

  static void copyRowWithTracePayload(benchmark::State& state)
    requires data::row_with_options<Row>
  {
    run(
        state, with_trace(), [](const Row& row, std::int32_t) { return Row(row); },
        [](const Row& copy, const data::row_fields& f) { return same_row(copy, f) && copy.option_count() == 4; });
  }

  static void copyProjectedPlainRow(benchmark::State& state)
    requires data::projectable_row<Row>
  {
    run(
        state, plain(), [](const Row& row, std::int32_t) -> Row { return row.project(data::row_projection); },
        projected_row);
  }

  static void copyProjectedRowWithOptions(benchmark::State& state)
    requires data::projectable_row<Row> && data::row_with_options<Row>
  {
    run(
        state, with_options(), [](const Row& row, std::int32_t) -> Row { return row.project(data::row_projection); },
        [](const Row& copy, const data::row_fields& f) { return projected_row(copy, f) && copy.option_count() == 3; });
  }

  static void copyThenMutateCopiedOptions(benchmark::State& state)
    requires data::row_with_options<Row>
  {
    constexpr std::array trace{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
    const auto pool = with_options();
    run(
        state, pool,
        [&](const Row& row, std::int32_t) {
          Row copy = row;
          copy.set_option(trace_option, std::span<const std::byte>(trace));
          return copy.option_count();
        },
        [&](std::size_t options, const data::row_fields& f) {
          return options == 4 && pool[static_cast<std::size_t>(f.id)].option_count() == 3;
        });
  }

  static void readFields(benchmark::State& state) {
    run(
        state, plain(), [](const Row& row, std::int32_t) { return data::sum_of(row.fields()); },
        [](std::int64_t sum, const data::row_fields& f) { return sum == data::sum_of(f); });
  }

  static void getBytesSizeCached(benchmark::State& state) {
    run(state, plain(), [](const Row& row, std::int32_t) { return row.bytes_size(); }, same_size);
  }

  static void createRowAndGetBytesSize(benchmark::State& state) {
    run(
        state, plain(),
        [](const Row&, std::int32_t id) {
          const data::numbered_row content(id);
          return Row(content.fields()).bytes_size();
        },
        same_size);
  }

  static void createRowWithSetField(benchmark::State& state)
    requires data::settable_row<Row>
  {
    run(
        state, plain(),
        [](const Row&, std::int32_t id) {
          const data::numbered_row content(id);
          const data::row_fields& f = content.fields();
          Row row(data::row_arity);
          row.set_table(f.table);
          row.set_kind(f.kind);
          row.set(0, f.id);
          row.set(1, f.name);
          row.set(2, f.score);
          row.set(3, f.enabled);
          row.set(4, f.shard);
          row.set(5, f.payload);
          row.set(6, f.tags);
          row.set(7, f.amount);
          return row;
        },
        same_row);
  }

 private:
  static constexpr std::string_view trace_option = "__st_trace_payload";

  static std::vector<Row> plain() {
    std::vector<Row> pool;
    pool.reserve(rows);
    for (std::size_t i = 0; i < rows; ++i) pool.emplace_back(data::numbered_row(static_cast<std::int32_t>(i)).fields());
    for (const Row& row : pool) static_cast<void>(row.bytes_size());  // cached where a type caches it
    return pool;
  }

  static std::vector<Row> with_options() {
    std::vector<Row> pool = plain();
    for (std::size_t i = 0; i < rows; ++i) {
      pool[i].set_option("source", std::string_view("benchmark"));
      pool[i].set_option("partition", static_cast<std::int32_t>(i % 32));
      pool[i].set_option("offset", static_cast<std::int64_t>(i * 100));
    }
    return pool;
  }

  static std::vector<Row> with_trace() {
    std::vector<Row> pool = with_options();
    for (std::size_t i = 0; i < rows; ++i) {
      const data::numbered_row content(static_cast<std::int32_t>(i));
      pool[i].set_option(trace_option, content.fields().payload);
    }
    return pool;
  }

  static bool same_row(const Row& row, const data::row_fields& f) {
    const data::row_fields got = row.fields();
    return got.id == f.id && got.name == f.name && got.score == f.score && got.enabled == f.enabled &&
           got.shard == f.shard && std::ranges::equal(got.payload, f.payload) && got.tags == f.tags &&
           got.amount == f.amount && got.table == f.table && got.kind == f.kind && same_size(row.bytes_size(), f);
  }

  static bool same_size(std::uint64_t size, const data::row_fields& f) { return size == data::bytes_size_of(f); }

  static bool projected_row(const Row& row, const data::row_fields& f) {
    return row.bytes_size() == 8 + data::utf16_units(f.name) + 1 + f.payload.size();
  }

  /// Checks operation(row, id) on every row, then times it. Real time alone: one thread, nothing waits.
  template <class Operation, class Check>
  static void run(benchmark::State& state, const std::vector<Row>& pool, Operation operation, Check check) {
    for (std::size_t i = 0; i < rows; ++i) {
      const auto id = static_cast<std::int32_t>(i);
      if (!check(operation(pool[i], id), data::numbered_row(id).fields())) {
        const std::string message = "wrong result for row " + std::to_string(i);
        return state.SkipWithError(message.c_str());
      }
    }
    std::size_t next = 0;
    const auto start = os::monotonic_now();
    for ([[maybe_unused]] auto _ : state) {
      auto result = operation(pool[next], static_cast<std::int32_t>(next));
      benchmark::DoNotOptimize(result);
      next = (next + 1) % rows;
    }
    // A plain number: Google Benchmark's own rates divide by CPU time unless the name carries a suffix.
    const std::chrono::duration<double> elapsed = os::monotonic_now() - start;
    state.counters["items_per_second"] = static_cast<double>(state.iterations()) / elapsed.count();
  }
};

/// Registers every scenario that Row can do as rows/<row_name>/<scenario>. Returns true, so that a constant
/// of namespace scope can call it before main.
template <data::row_like Row>
bool register_row_suite(const char* row_name) {
  using suite = row_suite<Row>;
  const auto add = [row_name](const char* scenario, void (*function)(benchmark::State&)) {
    const std::string name = std::string("rows/") + row_name + '/' + scenario;
    benchmark::RegisterBenchmark(name.c_str(), function);
  };
  add("copyPlainRow", suite::copyPlainRow);
  if constexpr (data::row_with_options<Row>) {
    add("copyRowWithOptions", suite::copyRowWithOptions);
    add("copyRowWithTracePayload", suite::copyRowWithTracePayload);
  }
  if constexpr (data::projectable_row<Row>) add("copyProjectedPlainRow", suite::copyProjectedPlainRow);
  if constexpr (data::projectable_row<Row> && data::row_with_options<Row>) {
    add("copyProjectedRowWithOptions", suite::copyProjectedRowWithOptions);
  }
  if constexpr (data::row_with_options<Row>) add("copyThenMutateCopiedOptions", suite::copyThenMutateCopiedOptions);
  add("readFields", suite::readFields);
  add("getBytesSizeCached", suite::getBytesSizeCached);
  add("createRowAndGetBytesSize", suite::createRowAndGetBytesSize);
  if constexpr (data::settable_row<Row>) add("createRowWithSetField", suite::createRowWithSetField);
  return true;
}

}  // namespace weir::inline WEIR_ABI::gbench
