#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The codec suite: serialize and deserialize, formats x schemas, on any codec. Temperature: hot loops.
//
//   const bool a = weir::gbench::register_codec([](const auto&) { return weir::codec::avro(); });
//   // codecs/Avro/metrics/serialize, codecs/Avro/metrics/deserialize, ...
//
// A plain name is KSQL's way: one record, a fresh buffer or record for each operation, one thread. What differs from
// that is said behind it: /buffer:reused, /records:1024, /level:row, /seed:7, and the library's /threads:4.
// Before anything is timed each record goes there and back and is compared field by field; a difference is an error of
// the benchmark, not a number.

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <weir/base/config.hpp>
#include <weir/base/error.hpp>
#include <weir/base/os.hpp>
#include <weir/codec/buffer.hpp>
#include <weir/codec/codec.hpp>
#include <weir/codec/fault.hpp>
#include <weir/codec/record.hpp>
#include <weir/codec/row.hpp>
#include <weir/codec/schemas.hpp>
#include <weir/data/row.hpp>
#include <weir/gbench/allocations.hpp>
#include <weir/gbench/session.hpp>
#include <weir/gbench/settings.hpp>
#include <weir/record/run_record.hpp>

namespace weir::inline WEIR_ABI::gbench {

/// Which path is timed. codec: a struct to bytes and back. dynamic: a record whose schema is known at run time alone.
/// row: weir's row, translated to the struct and back, as a pipeline would.
enum class codec_level : std::uint8_t { codec, dynamic, row };

namespace detail {

/// What --weir_param says of the codec suite.
struct codec_choice {
  std::vector<std::string> pairs{};  // "metrics/JSON"; none: all
  std::vector<codec_level> levels{codec_level::codec};
  std::vector<bool> reuse{false, true};
  std::vector<std::size_t> records{1};
  std::vector<int> threads{1, 4};
  std::uint64_t seed = 42;
};

inline constexpr std::array<std::string_view, 3> codec_level_names{"codec", "dynamic", "row"};

/// Errors: codecs.bad_param.
[[nodiscard]] inline codec_choice choose_codecs(const std::vector<record::parameter>& params) {
  codec_choice chosen;
  for (const record::parameter& p : params) {
    const auto bad = [&](const std::string& value, std::string_view wanted) {
      weir::detail::raise("codecs.bad_param", "--weir_param=" + p.name,
                          "\"" + value + "\": give " + std::string(wanted));
    };
    const auto read_each = [&]<class T>(std::vector<T>& to, auto&& read, std::string_view wanted) {
      to.clear();
      for (const std::string& value : p.values) {
        const std::optional<T> one = read(value);
        if (!one) bad(value, wanted);
        to.push_back(*one);
      }
    };
    const auto whole_up_to = [](std::uint64_t most) {
      return [most](const std::string& text) -> std::optional<std::uint64_t> {
        std::uint64_t n = 0;
        const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), n);
        const bool good = failed == std::errc{} && end == text.data() + text.size() && n <= most;
        return good ? std::optional(n) : std::nullopt;
      };
    };
    if (p.name == "params") {
      chosen.pairs = p.values;
    } else if (p.name == "level") {
      read_each(
          chosen.levels,
          [](const std::string& text) -> std::optional<codec_level> {
            const auto at = std::find(codec_level_names.begin(), codec_level_names.end(), text);
            if (at == codec_level_names.end()) return std::nullopt;
            return static_cast<codec_level>(at - codec_level_names.begin());
          },
          "codec, dynamic or row");
    } else if (p.name == "buffer") {
      read_each(
          chosen.reuse,
          [](const std::string& text) -> std::optional<bool> {
            return text == "fresh" || text == "reused" ? std::optional(text == "reused") : std::nullopt;
          },
          "fresh or reused");
    } else if (p.name == "records") {
      read_each(
          chosen.records,
          [&](const std::string& text) -> std::optional<std::size_t> {
            const auto n = whole_up_to(1 << 20)(text);
            return n && *n > 0 ? n : std::nullopt;
          },
          "a whole number from 1 to 1048576");
    } else if (p.name == "threads") {
      read_each(
          chosen.threads,
          [&](const std::string& text) -> std::optional<int> {
            const auto n = whole_up_to(1024)(text);
            return n && *n > 0 ? std::optional(static_cast<int>(*n)) : std::nullopt;
          },
          "a whole number from 1 to 1024");
    } else if (p.name == "seed") {
      std::vector<std::uint64_t> seeds;
      read_each(seeds, whole_up_to(~std::uint64_t{0}), "a whole number");
      if (seeds.size() != 1) bad("a list", "one seed");
      chosen.seed = seeds.front();
    }
  }
  return chosen;
}

/// How one benchmark runs.
struct codec_run {
  std::size_t records = 1;
  bool reuse = false;
  std::uint64_t seed = 42;
};

/// The input of a level, and how a codec gets there and back.
template <codec::schema Schema, codec_level Level>
class codec_path {
  using record = typename Schema::record;

 public:
  using value = std::conditional_t<Level == codec_level::codec, record,
                                   std::conditional_t<Level == codec_level::row, data::row, codec::dynamic_record>>;

  explicit codec_path(const codec::shape& form) : form_(&form) {}

  [[nodiscard]] value from(const record& r) const {
    if constexpr (Level == codec_level::codec)
      return r;
    else if constexpr (Level == codec_level::row)
      return codec::to_row(r);
    else
      return codec::to_dynamic(r, *form_);
  }

  /// What deserialize() fills: dynamic records know their fields beforehand.
  [[nodiscard]] value blank() const {
    if constexpr (Level == codec_level::dynamic)
      return value(*form_);
    else
      return value();
  }

  template <class Codec>
  static void serialize(Codec& c, const value& in, codec::buffer& out) {
    if constexpr (Level == codec_level::row) {
      record r;
      codec::from_row(in, r);
      c.serialize(r, out);
    } else {
      c.serialize(in, out);
    }
  }

  template <class Codec>
  static codec::fault deserialize(Codec& c, std::string_view bytes, value& out) {
    if constexpr (Level == codec_level::row) {
      record r;
      const codec::fault f = c.deserialize(bytes, r);
      out = codec::to_row(r);
      return f;
    } else {
      return c.deserialize(bytes, out);
    }
  }

  /// Where it differs from the record; empty when it does not.
  [[nodiscard]] static std::string difference(const value& got, const record& wanted) {
    if constexpr (Level == codec_level::row) {
      record r;
      codec::from_row(got, r);
      return codec::first_difference(r, wanted);
    } else {
      return codec::first_difference(got, wanted);
    }
  }

 private:
  const codec::shape* form_;
};

/// Operations between two looks at the clock: 24 ns among so many are 0.1 ns each.
inline constexpr std::size_t codec_batch = 256;

/// What one thread found.
struct codec_timing {
  std::chrono::nanoseconds elapsed{};
  std::uint64_t operations = 0;
  std::uint64_t allocated = 0;  // in as many operations as there are records
};

/// Sets the counters. Each is of this thread alone and then averaged over them: the library's own time means another
/// thing from 1.8 to 1.9.
inline void report_codec(benchmark::State& state, const std::vector<std::string>& wire, const codec_timing& t) {
  using benchmark::Counter;
  const auto records = static_cast<double>(wire.size());
  double bytes = 0;
  for (const std::string& one : wire) bytes += static_cast<double>(one.size()) / records;
  const double ns =
      static_cast<double>(t.elapsed.count()) / static_cast<double>(std::max<std::uint64_t>(t.operations, 1));
  state.counters["ns_per_op_per_thread"] = Counter(ns, Counter::kAvgThreads);
  state.counters["bytes_per_op"] = Counter(bytes, Counter::kAvgThreads);
  state.counters["MB_per_s"] = Counter(ns > 0 ? bytes / ns * 1e3 : 0);  // of all threads together
  if (allocations != nullptr)
    state.counters["allocs_per_op"] = Counter(static_cast<double>(t.allocated) / records, Counter::kAvgThreads);
}

/// operation(i) n times, i going round the records.  Returns: the next i. One copy of it is warmed up, watched for
/// allocations and timed: the operation is compiled once, and what is timed is what was warm.
template <class Operation>
[[gnu::noinline]] std::size_t repeat_codec(Operation operation, std::size_t n, std::size_t i, std::size_t records) {
  for (; n > 0; --n) {
    operation(i);
    if (++i == records) i = 0;
  }
  return i;
}

template <class Operation>
void time_codec(benchmark::State& state, const std::vector<std::string>& wire, Operation operation) {
  const std::size_t records = wire.size();
  codec_timing t;
  repeat_codec(operation, records, 0, records);  // reused buffers grow now
  const std::uint64_t before = allocations != nullptr ? allocations() : 0;
  repeat_codec(operation, records, 0, records);
  if (allocations != nullptr) t.allocated = allocations() - before;

  std::chrono::nanoseconds start{};
  std::size_t next = 0;
  while (state.KeepRunningBatch(codec_batch)) {
    if (t.operations == 0) start = os::monotonic_now();
    next = repeat_codec(operation, codec_batch, next, records);
    t.operations += codec_batch;
    t.elapsed = os::monotonic_now() - start;
  }
  report_codec(state, wire, t);
}

enum class codec_operation : std::uint8_t { serialize, deserialize };

/// The body of a codec benchmark, on each of its threads: its own codec, records and buffers.
template <codec::schema Schema, codec_level Level, class Make>
void run_codec(benchmark::State& state, const Make& make, codec_operation what, const codec_run& how) {
  using path = codec_path<Schema, Level>;
  using value = typename path::value;
  const codec::shape form = codec::shape_of<typename Schema::record>(std::string(Schema::name));
  const path levels(form);
  auto codec = make(form);

  std::vector<value> values;
  std::vector<std::string> wire;
  codec::buffer out;
  for (const auto& record : codec::make_records<Schema>(how.seed, how.records)) {
    values.push_back(levels.from(record));
    out.clear();
    path::serialize(codec, values.back(), out);
    wire.emplace_back(out.view());
    value back = levels.blank();
    const codec::fault f = path::deserialize(codec, out.view(), back);
    const std::string lost = f ? codec::to_text(f) : path::difference(back, record);
    if (!lost.empty()) {
      const std::string message = "record " + std::to_string(wire.size() - 1) + " does not come back: " + lost;
      return state.SkipWithError(message.c_str());
    }
  }

  if (what == codec_operation::deserialize) {
    time_codec(state, wire, [&](std::size_t i) {
      value back = levels.blank();
      codec::fault f = path::deserialize(codec, wire[i], back);
      benchmark::DoNotOptimize(f);
      benchmark::DoNotOptimize(back);
      benchmark::ClobberMemory();
    });
  } else if (how.reuse) {
    time_codec(state, wire, [&](std::size_t i) {
      out.clear();
      path::serialize(codec, values[i], out);
      benchmark::DoNotOptimize(out);
      benchmark::ClobberMemory();
    });
  } else {
    time_codec(state, wire, [&](std::size_t i) {
      codec::buffer fresh;
      path::serialize(codec, values[i], fresh);
      benchmark::DoNotOptimize(fresh);
      benchmark::ClobberMemory();
    });
  }
}

/// One format and one schema: how to register their benchmarks, or why there are none.
struct codec_pair {
  std::string schema;
  std::string format;
  std::string refusal{};                                                            // empty: there are some
  std::function<std::string(const std::string&, codec_level, const codec_choice&)> add{};  // returns why not

  [[nodiscard]] std::string name() const { return schema + "/" + format; }
};

/// In the order in which they were named.
[[nodiscard]] inline std::vector<codec_pair>& codec_pairs() {
  static std::vector<codec_pair> all;
  return all;
}

/// Registers what was chosen.
/// Errors: codecs.bad_param, codecs.unknown_pair, codecs.impossible_pair.
inline void add_codecs(session& s) {
  const codec_choice chosen = choose_codecs(s.chosen().params);
  // What the suite itself costs: a figure that is not clearly above it is below the floor.
  benchmark::RegisterBenchmark("codecs/floor", [](benchmark::State& state) {
    time_codec(state, {""}, [](std::size_t i) { benchmark::DoNotOptimize(i); });
  });
  std::vector<std::string> left = chosen.pairs;
  for (const codec_pair& pair : codec_pairs()) {
    const auto asked = std::find(left.begin(), left.end(), pair.name());
    if (!chosen.pairs.empty() && asked == left.end()) continue;
    const auto refuse = [&](const std::string& why) {
      if (asked == left.end()) return;
      weir::detail::raise("codecs.impossible_pair", "--weir_param=params", "\"" + pair.name() + "\": " + why);
    };
    if (!pair.refusal.empty()) {
      refuse(pair.refusal);
      continue;
    }
    for (const codec_level level : chosen.levels)
      if (const std::string why = pair.add("codecs/" + pair.format + "/" + pair.schema, level, chosen); !why.empty())
        refuse(why);
    std::erase(left, pair.name());
  }
  if (!left.empty())
    weir::detail::raise("codecs.unknown_pair", "--weir_param=params",
                        "\"" + left.front() +
                            "\": give SCHEMA/FORMAT, as --benchmark_list_tests names them the other "
                            "way round");
}

inline void announce_codecs() {
  [[maybe_unused]] static const bool once = [] {
    for (const char* name : {"params", "level", "buffer", "records", "threads", "seed"})
      suite_parameters().insert(name);
    registrars().emplace_back(add_codecs);
    return true;
  }();
}

/// Returns: why the level cannot be had; empty when it was registered.
template <codec::schema Schema, codec_level Level, class Make>
std::string add_codec(const Make& make, const std::string& name, const codec_choice& chosen) {
  using made = decltype(make(std::declval<const codec::shape&>()));
  using input = std::conditional_t<Level == codec_level::dynamic, codec::dynamic_record, typename Schema::record>;
  if constexpr (!codec::codec_of<made, input>) {
    return Level == codec_level::dynamic ? "its schema is compiled in: there is no level dynamic"
                                         : "the codec has no such record";
  } else {
    const auto add = [&](codec_operation what, std::string suffix, const codec_run& how) {
      if (how.reuse) suffix += "/buffer:reused";
      if (how.records != 1) suffix += "/records:" + std::to_string(how.records);
      if (Level != codec_level::codec)
        suffix += "/level:" + std::string(codec_level_names[static_cast<std::size_t>(Level)]);
      if (how.seed != codec_choice().seed) suffix += "/seed:" + std::to_string(how.seed);
      for (const int threads : chosen.threads) {
        auto* const one = benchmark::RegisterBenchmark(
            (name + suffix).c_str(),
            [make, what, how](benchmark::State& state) { run_codec<Schema, Level>(state, make, what, how); });
        if (threads > 1) one->Threads(threads);
      }
    };
    for (const std::size_t records : chosen.records) {
      for (const bool reuse : chosen.reuse)
        add(codec_operation::serialize, "/serialize", {.records = records, .reuse = reuse, .seed = chosen.seed});
      add(codec_operation::deserialize, "/deserialize", {.records = records, .seed = chosen.seed});
    }
    return {};
  }
}

template <codec::schema Schema, class Make>
void add_codec_pair(const Make& make) {
  using made = decltype(make(std::declval<const codec::shape&>()));
  const codec::shape form = codec::shape_of<typename Schema::record>(std::string(Schema::name));
  codec_pair pair{.schema = form.name,
                  .format = std::string(make(form).name()),
                  .refusal = std::string(codec::refusal_of<made>(form))};
  pair.add = [make](const std::string& name, codec_level level, const codec_choice& chosen) {
    switch (level) {
      case codec_level::dynamic:
        return add_codec<Schema, codec_level::dynamic>(make, name, chosen);
      case codec_level::row:
        return add_codec<Schema, codec_level::row>(make, name, chosen);
      case codec_level::codec:
        break;
    }
    return add_codec<Schema, codec_level::codec>(make, name, chosen);
  };
  codec_pairs().push_back(std::move(pair));
}

}  // namespace detail

/// Registers a codec on these schemas. make(shape) gives one codec a call, for one thread; the shape outlives it.
/// Returns true, so that a constant of namespace scope can call it before main.
template <codec::schema... Schemas, class Make>
  requires(sizeof...(Schemas) > 0)
bool register_codec(Make make) {
  using made = decltype(make(std::declval<const codec::shape&>()));
  static_assert((codec::codec_of<made, typename Schemas::record> || ...),
                "make(shape) gives no codec of any of the records: see concept weir::codec::codec_of");
  (detail::add_codec_pair<Schemas>(make), ...);
  detail::announce_codecs();
  return true;
}

/// On KSQL's schemas, those that the codec can do.
template <class Make>
bool register_codec(Make make) {
  return register_codec<codec::single_key, codec::impressions, codec::metrics, codec::metrics_asrun>(std::move(make));
}

/// Names a format that this build does not have, so that asking for it says why.
inline bool register_missing_codec(std::string_view format, std::string_view why) {
  for (const std::string_view schema :
       {codec::single_key::name, codec::impressions::name, codec::metrics::name, codec::metrics_asrun::name})
    detail::codec_pairs().push_back(
        {.schema = std::string(schema), .format = std::string(format), .refusal = std::string(why)});
  detail::announce_codecs();
  return true;
}

}  // namespace weir::inline WEIR_ABI::gbench
