#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The schemas of KSQL's serde benchmark and their records, made from a seed: the same on every standard library.
// Temperature: cold.
//
//   const auto records = codec::make_records<codec::metrics>(42, 1024);

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/base/random.hpp>
#include <weir/codec/record.hpp>

namespace weir::inline WEIR_ABI::codec {

/// splitmix64 from a seed; ranges by multiply and shift.
/// Source: Steele, Lea, Flood, OOPSLA 2014.
class draws {
 public:
  explicit constexpr draws(std::uint64_t seed) noexcept : state_(seed) {}

  constexpr std::uint64_t next() noexcept { return mix64(state_ += 0x9E3779B97F4A7C15); }

  /// Uniform from 0 to n - 1, but for 2^-64.  One draw.
  constexpr std::uint64_t below(std::uint64_t n) noexcept {
    __extension__ using wide = unsigned __int128;
    return static_cast<std::uint64_t>(wide{next()} * n >> 64);
  }

  /// One draw a character.
  [[nodiscard]] std::string text(std::size_t length, std::string_view alphabet) {
    std::string result;
    for (std::size_t i = 0; i < length; ++i) result += alphabet[below(alphabet.size())];
    return result;
  }

  /// A digit from first to 9.
  [[nodiscard]] char digit(char first) noexcept {
    return static_cast<char>(first + static_cast<char>(below(static_cast<std::uint64_t>('9' - first) + 1)));
  }

 private:
  std::uint64_t state_;
};

/// A record type, its name, and how one is drawn.
template <class S>
concept schema = described<typename S::record> && requires(draws& from) {
  { S::name } -> std::convertible_to<std::string_view>;
  { S::draw(from) } -> std::same_as<typename S::record>;
};

/// Record i is the i-th that a stream of draws gives.
template <schema S>
[[nodiscard]] std::vector<typename S::record> make_records(std::uint64_t seed, std::size_t n) {
  draws from(seed);
  std::vector<typename S::record> records;
  for (std::size_t i = 0; i < n; ++i) records.push_back(S::draw(from));
  return records;
}

/// A key: one number, written bare.
struct single_key {
  static constexpr std::string_view name = "single-key";
  struct record {
    std::int64_t col0 = 0;
    static constexpr bool unwrapped = true;
    static constexpr auto fields() { return std::tuple(field("col0", &record::col0)); }
  };
  static record draw(draws& from) { return {.col0 = static_cast<std::int64_t>(from.below(100'000))}; }
};

/// A row of four columns. The third s is upstream's.
struct impressions {
  static constexpr std::string_view name = "impressions";
  struct record {
    std::int64_t impresssiontime = 0;
    std::string impressionid{}, userid{}, adid{};
    static constexpr auto fields() {
      return std::tuple(field("impresssiontime", &record::impresssiontime),
                        field("impressionid", &record::impressionid), field("userid", &record::userid),
                        field("adid", &record::adid));
    }
  };
  static record draw(draws& from) {
    record r;
    r.impresssiontime = 1'700'000'000'000 + static_cast<std::int64_t>(from.below(1'000'000'000));
    const auto numbered = [&](std::string text, int digits) {
      text += from.digit('1');
      while (--digits > 0) text += from.digit('0');
      return text;
    };
    r.impressionid = numbered("impression_", 3);
    r.userid = numbered("user_", 2);
    r.adid = numbered("ad_", 2);
    return r;
  }
};

/// A nested row of sixteen values, of the lengths that upstream's schema asks for.
struct metrics {
  static constexpr std::string_view name = "metrics";

  struct labels {
    std::string metricname{}, clusterid{}, controller_revision_hash{};
    std::int64_t instance = 0;
    std::string job{}, name{}, physical_name{}, physical_version{}, psc_version{}, source{}, pod_name{}, topic{},
        type{};
    static constexpr auto fields() {
      return std::tuple(field("_metricname", &labels::metricname), field("clusterid", &labels::clusterid),
                        field("controller_revision_hash", &labels::controller_revision_hash),
                        field("instance", &labels::instance), field("job", &labels::job), field("name", &labels::name),
                        field("physicalstatefulcluster_core_confluent_cloud_name", &labels::physical_name),
                        field("physicalstatefulcluster_core_confluent_cloud_version", &labels::physical_version),
                        field("pscVersion", &labels::psc_version), field("source", &labels::source),
                        field("stateful_kubernetes_io_pod_name", &labels::pod_name), field("topic", &labels::topic),
                        field("type", &labels::type));
    }
  };

  struct record {
    std::string id{}, source{};
    labels metric{};
    std::int32_t value = 0;
    static constexpr auto fields() {
      return std::tuple(field("id", &record::id), field("source", &record::source), field("metric", &record::metric),
                        field("value", &record::value));
    }
  };

  static record draw(draws& from) {
    constexpr std::array<std::size_t, 14> lengths{36, 32, 32, 10, 16, 8, 16, 5, 2, 5, 16, 8, 40, 5};
    std::size_t next = 0;
    return filled([&] { return from.text(lengths[next++], "abcdefghijklmnopqrstuvwxyz0123456789-_"); },
                  [&] { return static_cast<std::int64_t>(from.below(100'000)); }, from);
  }

  /// Values in order: texts, the number among the labels, and any int32.
  template <class Text, class Number>
  static record filled(Text text, Number number, draws& from) {
    record r;
    for_each_leaf(r, [&]<class T>(T& value) {
      if constexpr (std::same_as<T, std::string>)
        value = text();
      else if constexpr (std::same_as<T, std::int64_t>)
        value = number();
      else
        value = static_cast<std::int32_t>(from.next() >> 32);
    });
    return r;
  }
};

/// The same schema with the records that upstream's generator really makes, which does not see the lengths: 8 to 15
/// characters from 0 to 127, control characters and quotes among them, and any int64.
struct metrics_asrun {
  static constexpr std::string_view name = "metrics-asrun";
  using record = metrics::record;
  static record draw(draws& from) {
    return metrics::filled(
        [&] {
          std::string text(8 + from.below(8), '\0');
          for (char& c : text) c = static_cast<char>(from.below(128));
          return text;
        },
        [&] { return static_cast<std::int64_t>(from.next()); }, from);
  }
};

}  // namespace weir::inline WEIR_ABI::codec
