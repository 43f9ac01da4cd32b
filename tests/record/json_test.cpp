// SPDX-License-Identifier: Apache-2.0
#include <weir/record/json.hpp>

#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "../judge/clean_sample.hpp"

namespace {

using nlohmann::ordered_json;
using weir::record::environment;
using weir::record::json_text;
using weir::record::parse_json;
using weir::record::sample;

std::string error_of(const ordered_json& document) {
  try {
    (void)document.get<sample>();
  } catch (const weir::error& e) {
    return e.what();
  }
  return "no error";
}

/// Every field set, each to something else, so that two swapped ones would show.
sample full_sample() {
  using namespace std::chrono_literals;
  sample s = weir_test::clean_sample();
  s.failure = "task \"sink\" threw: boom";
  s.negative_latencies = 3;
  s.corrupt_payloads = 4;
  s.checksum_by_row = 5;
  s.expected_checksum_by_row = 6;
  s.reordered_rows = 7;
  s.longest_stall = 8ns;
  s.source_blocked = 5ns;
  s.first_receipt = -7ns;
  s.sut_cpu_includes_generator = true;
  s.placement = "generator:0";
  s.notes = {"steal: 20 ms", "second"};
  s.asked.offered.per = 7s;
  s.seen.count = 999'999;
  s.latency_second_half.merge(weir_test::latencies(100, 1ns, std::chrono::hours(1)));
  return s;
}

TEST(SampleJson, RoundTripsExactlyThroughText) {
  const sample before = full_sample();
  const auto document = ordered_json(before);
  const auto after = parse_json(json_text(document)).get<sample>();
  EXPECT_EQ(ordered_json(after), document);
  // The document could drop a field on both ways; these could not.
  EXPECT_EQ(after.run_id, before.run_id);
  EXPECT_EQ(after.scenario, before.scenario);
  EXPECT_EQ(after.asked, before.asked);
  EXPECT_EQ(after.failure, before.failure);
  EXPECT_EQ(after.processed_rows, before.processed_rows);
  EXPECT_EQ(after.job_time, before.job_time);
  EXPECT_EQ(after.schedule_time, before.schedule_time);
  EXPECT_EQ(after.first_receipt, before.first_receipt);
  EXPECT_EQ(after.last_receipt, before.last_receipt);
  EXPECT_EQ(after.latency_first_half, before.latency_first_half);
  EXPECT_EQ(after.latency_second_half, before.latency_second_half);
  EXPECT_EQ(after.residence, before.residence);
  EXPECT_EQ(after.release_lag, before.release_lag);
  EXPECT_EQ(after.negative_latencies, before.negative_latencies);
  EXPECT_EQ(after.trend, before.trend);
  EXPECT_EQ(after.seen, before.seen);
  EXPECT_EQ(after.expected, before.expected);
  EXPECT_EQ(after.checksum, before.checksum);
  EXPECT_EQ(after.expected_checksum, before.expected_checksum);
  EXPECT_EQ(after.checksum_by_row, before.checksum_by_row);
  EXPECT_EQ(after.expected_checksum_by_row, before.expected_checksum_by_row);
  EXPECT_EQ(after.corrupt_payloads, before.corrupt_payloads);
  EXPECT_EQ(after.reordered_rows, before.reordered_rows);
  EXPECT_EQ(after.longest_stall, before.longest_stall);
  EXPECT_EQ(after.stages, before.stages);
  EXPECT_EQ(after.source_blocked, before.source_blocked);
  EXPECT_EQ(after.sut_cpu, before.sut_cpu);
  EXPECT_EQ(after.sut_cpu_includes_generator, before.sut_cpu_includes_generator);
  EXPECT_EQ(after.features, before.features);
  EXPECT_EQ(after.clock, before.clock);
  EXPECT_EQ(after.waiting, before.waiting);
  EXPECT_EQ(after.placement, before.placement);
  EXPECT_EQ(after.notes, before.notes);
}

TEST(SampleJson, AnEmptySampleRoundTrips) {
  const auto after = parse_json(json_text(ordered_json(sample{}))).get<sample>();
  EXPECT_FALSE(after.failure);
  EXPECT_FALSE(after.expected_checksum);
  EXPECT_TRUE(after.residence.empty());
}

TEST(SampleJson, KeepsAll64BitsOfAChecksum) {
  sample s;
  s.checksum = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(parse_json(json_text(ordered_json(s))).get<sample>().checksum, s.checksum);
}

TEST(SampleJson, ListsEveryProblemWithItsPointer) {
  ordered_json document = full_sample();
  document.erase("clock");
  document["a/b"] = 1;
  document["asked"]["rows"] = -3;
  document["asked"]["offered"]["per_ns"] = 0;
  document["stages"][1]["name"] = 7;
  document["trend"] = "flat";
  document["checksum"] = 1.5;
  document["sut_cpu_includes_generator"] = "yes";
  document["residence"]["buckets"][0] = {1};
  EXPECT_EQ(error_of(document),
            "[weir.record.json_malformed] /asked/offered/per_ns: 0: must be above 0; "
            "/asked/rows: -3: must be a whole number from 0 to 18446744073709551615; "
            "/residence/buckets/0: must be [index, count]; "
            "/trend: \"flat\": must be an array; "
            "/checksum: 1.5: must be a whole number from 0 to 18446744073709551615; "
            "/stages/1/name: 7: must be a string; "
            "/sut_cpu_includes_generator: \"yes\": must be true or false; "
            "/clock: missing; "
            "/a~1b: unknown field");
}

TEST(SampleJson, AnImpossibleHistogramIsRefused) {
  ordered_json document = full_sample();
  document["residence"]["max_ns"] = 1;
  EXPECT_NE(error_of(document).find("/residence: "), std::string::npos) << error_of(document);
  document["residence"]["digits"] = 9'000'000'000;
  EXPECT_NE(error_of(document).find("/residence/digits: 9000000000: must be a whole number"), std::string::npos);
}

TEST(SampleJson, ADocumentOfTheWrongKindIsRefused) {
  EXPECT_EQ(error_of(ordered_json::array({1})), "[weir.record.json_malformed] document: array: must be an object");
  EXPECT_EQ(error_of(nullptr), "[weir.record.json_malformed] document: null: must be an object");
}

TEST(ParseJson, MalformedTextNamesTheByte) {
  try {
    (void)parse_json("{\"a\": NaN}");
    FAIL() << "NaN is not JSON";
  } catch (const weir::error& e) {
    EXPECT_EQ(e.id(), "record.json_malformed");
    EXPECT_EQ(e.where(), "byte 7");
  }
}

TEST(JsonText, IsStrictWhateverIsPutIn) {
  const ordered_json document{{"nan", std::numeric_limits<double>::quiet_NaN()},
                              {"inf", std::numeric_limits<double>::infinity()},
                              {"text", "not \xFF UTF-8"}};
  EXPECT_EQ(json_text(document), "{\n  \"nan\": null,\n  \"inf\": null,\n  \"text\": \"not \xEF\xBF\xBD UTF-8\"\n}\n");
}

TEST(EnvironmentJson, RoundTripsValuesAndReasonsInOrder) {
  const environment before{{{.name = "kernel", .value = "6.1", .reason = ""},
                            {.name = "governor", .value = {}, .reason = "no such file"},
                            {.name = "aslr", .value = "on", .reason = ""}}};
  const ordered_json document = before;
  EXPECT_EQ(document.dump(), R"({"kernel":"6.1","governor":{"missing":"no such file"},"aslr":"on"})");
  EXPECT_EQ(document.get<environment>(), before);
}

TEST(EnvironmentJson, AFactThatIsNeitherValueNorReasonIsRefused) {
  try {
    (void)ordered_json{{"cores", 2}, {"kernel", {{"lost", "x"}}}}.get<environment>();
    FAIL();
  } catch (const weir::error& e) {
    EXPECT_STREQ(e.what(),
                 "[weir.record.json_malformed] /cores: must be a string or {\"missing\": reason}; "
                 "/kernel: must be a string or {\"missing\": reason}");
  }
}

}  // namespace
