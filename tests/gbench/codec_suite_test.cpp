#include <weir/gbench/codec_suite.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <gtest/gtest.h>

#include <weir/base/error.hpp>
#include <weir/codec/avro.hpp>
#include <weir/codec/buffer.hpp>
#include <weir/codec/delimited.hpp>
#include <weir/codec/fault.hpp>
#include <weir/codec/framing.hpp>
#include <weir/codec/kafka.hpp>
#include <weir/codec/record.hpp>
#include <weir/codec/schemas.hpp>
#include <weir/gbench/allocations.hpp>
#include <weir/gbench/session.hpp>
#include <weir/gbench/settings.hpp>
#include <weir/record/run_record.hpp>

#include "run_briefly.hpp"

WEIR_COUNT_ALLOCATIONS()

namespace {

namespace codec = weir::codec;
namespace gbench = weir::gbench;

/// Loses a text on the way back.
struct forgetful : codec::avro {
  [[nodiscard]] std::string_view name() const { return "Forgetful"; }
  codec::fault deserialize(std::string_view bytes, codec::impressions::record& out) const {
    const codec::fault f = avro::deserialize(bytes, out);
    out.userid.clear();
    return f;
  }
};

const bool registered = gbench::register_codec([](const auto&) { return codec::avro(); }) &&
                        gbench::register_codec([](const auto&) { return codec::delimited(); }) &&
                        gbench::register_codec([](const auto&) { return codec::kafka(); }) &&
                        gbench::register_codec([](const auto&) { return forgetful(); }) &&
                        gbench::register_missing_codec("Absent", "not built: needs libabsent-dev");

/// Google Benchmark's JSON of the suite with these parameters, run briefly.
std::string run(const std::vector<weir::record::parameter>& params, const std::string& filter = "codecs/.*/") {
  benchmark::ClearRegisteredBenchmarks();
  gbench::settings chosen;
  chosen.params = params;
  gbench::session s(chosen);
  gbench::detail::add_codecs(s);
  return run_briefly(filter);
}

std::string refusal(const std::vector<weir::record::parameter>& params) {
  try {
    run(params, "none");
  } catch (const weir::error& e) {
    return e.what();
  }
  return "none";
}

TEST(CodecSuite, NamesWhatDiffersFromUpstreamsWay) {
  const std::string json = run({{"params", {"impressions/Avro"}}, {"records", {"1", "8"}}});
  for (const char* name : {"serialize", "serialize/threads:4", "serialize/buffer:reused", "deserialize",
                           "serialize/buffer:reused/records:8", "deserialize/records:8/threads:4"})
    EXPECT_EQ(count(json, "\"name\": \"codecs/Avro/impressions/" + std::string(name) + "\""), 1U) << name << json;
  EXPECT_EQ(count(json, "\"name\": "), 12U) << json;
  EXPECT_EQ(count(json, "error_occurred"), 0U) << json;
  EXPECT_EQ(count(json, "\"ns_per_op_per_thread\": "), 12U) << json;
  EXPECT_EQ(count(json, "\"bytes_per_op\": 4.4000000000000000e+01"), 12U) << json;
  EXPECT_EQ(count(json, "\"MB_per_s\": "), 12U) << json;
}

TEST(CodecSuite, RunsAPairThatWasNamedTwiceOnce) {
  const std::string json = run({{"params", {"single-key/Kafka", "single-key/Kafka"}}, {"threads", {"1"}}});
  EXPECT_EQ(count(json, "\"name\": "), 3U) << json;
}

TEST(CodecSuite, RunsEveryLevel) {
  const std::string json = run({{"level", {"codec", "dynamic", "row"}}, {"threads", {"1"}}}, "metrics|impressions");
  for (const char* level : {"", "/level:dynamic", "/level:row"})
    for (const char* schema : {"impressions", "metrics", "metrics-asrun"})
      EXPECT_EQ(count(json, "\"name\": \"codecs/Avro/" + std::string(schema) + "/deserialize" + level + "\""), 1U)
          << json;
  EXPECT_EQ(count(json, "codecs/Delimited/metrics"), 0U);
  EXPECT_EQ(count(json, "codecs/Kafka/impressions"), 0U);
}

TEST(CodecSuite, CountsNoAllocationOfOwnCodecsInAReusedBuffer) {
  if (gbench::allocations == nullptr) GTEST_SKIP() << "nothing counts allocations here";
  const std::string reused = run({{"buffer", {"reused"}}, {"threads", {"1"}}}, "/serialize");
  EXPECT_EQ(count(reused, "\"allocs_per_op\": 0.0000000000000000e+00"), count(reused, "\"allocs_per_op\"")) << reused;
  const std::string fresh = run({{"buffer", {"fresh"}}, {"threads", {"1"}}}, "/serialize");
  EXPECT_EQ(count(fresh, "\"allocs_per_op\": 1.0000000000000000e+00"), count(fresh, "\"allocs_per_op\"")) << fresh;
}

TEST(CodecSuite, RefusesToTimeWhatDoesNotComeBack) {
  const std::string json = run({{"params", {"impressions/Forgetful"}}, {"threads", {"1"}}});
  EXPECT_EQ(count(json, "record 0 does not come back: userid"), 3U) << json;
}

TEST(CodecSuite, RefusesPairsWithTheReason) {
  EXPECT_EQ(refusal({{"params", {"metrics/Delimited"}}}),
            "[weir.codecs.impossible_pair] --weir_param=params: \"metrics/Delimited\": a line of values has no nested "
            "types");
  EXPECT_NE(refusal({{"params", {"metrics/Kafka"}}}).find("a single column"), std::string::npos);
  EXPECT_NE(refusal({{"params", {"metrics/Absent"}}}).find("libabsent-dev"), std::string::npos);
  EXPECT_NE(refusal({{"params", {"metrics/Nosuch"}}}).find("codecs.unknown_pair"), std::string::npos);
  EXPECT_NE(refusal({{"params", {"impressions/Forgetful"}}, {"level", {"dynamic"}}}).find("no level dynamic"),
            std::string::npos);
}

TEST(CodecSuite, RefusesBadParameters) {
  for (const auto& [name, value] :
       {std::pair{"level", "deep"}, std::pair{"buffer", "used"}, std::pair{"records", "0"},
        std::pair{"records", "many"}, std::pair{"threads", "0"}, std::pair{"threads", "-1"}, std::pair{"seed", "x"}})
    EXPECT_NE(refusal({{name, {value}}}).find("[weir.codecs.bad_param] --weir_param=" + std::string(name)),
              std::string::npos)
        << name;
  EXPECT_NE(refusal({{"seed", {"1", "2"}}}).find("one seed"), std::string::npos);
}

TEST(CodecSuite, TakesItsParametersFromTheFlags) {
  std::vector<std::string> flags{"program", "--weir_param=params=metrics/Avro", "--weir_profile=ksql"};
  const gbench::settings s = gbench::read_flags(flags);
  EXPECT_EQ(s.budget.forks, 3U);
  EXPECT_EQ(s.budget.iterations, 3U);
  const auto chosen = gbench::detail::choose_codecs(s.params);
  EXPECT_EQ(chosen.pairs, std::vector<std::string>{"metrics/Avro"});
  EXPECT_EQ(chosen.threads, std::vector<int>{4});
  EXPECT_EQ(chosen.reuse, std::vector<bool>{false});
}

}  // namespace
