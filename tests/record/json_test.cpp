// SPDX-License-Identifier: Apache-2.0
#include <weir/record/json.hpp>

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <sys/socket.h>
#include <unistd.h>

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
  s.stages[0].timed_work = 9ns;
  s.timeline = {{.at = 10ns, .busy_ratio = {0.1, 1.0 / 3}, .queue_fill = 0.25}, {}};
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
  EXPECT_EQ(after.timeline, before.timeline);
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

weir::record::run_record full_run() {
  using namespace std::chrono_literals;
  weir::record::run_record run;
  run.program = "rows";
  run.started = "2026-01-02T03:04:05Z";
  run.seed = std::numeric_limits<std::uint64_t>::max();
  run.budget = {.profile = "custom", .forks = 1, .warmup = 2, .iterations = 3, .iteration_seconds = 0.1};
  run.parameters = {{.name = "rows", .values = {"10", "100"}}};
  run.ended_by = "budget";
  run.took = 6ns;
  run.environments = {environment{{{.name = "cores", .value = "2", .reason = ""}}}};
  run.base_environment = environment{{{.name = "compiler", .value = {}, .reason = "did not say"}}};
  run.benchmarks = {{.name = "rows/copy", .variant = "base", .forks = {}}};
  weir::record::fork fork;
  fork.block = 7;
  fork.place = 8;
  fork.host = "first";
  fork.build = "second";
  fork.layout_seed = 9;
  fork.started = 10ns;
  fork.took = 11ns;
  fork.notes = {"neighbours: many"};
  fork.warmup = 12;
  fork.failure = {.kind = "signal", .code = 11, .text = "Segmentation fault", .last_lines = {"one", "two"}};
  fork.iterations = {{.operations = 13, .real_ns = 1.0 / 3, .cpu_ns = 5e-324, .counters = {{"p99", -0.1}}}};
  fork.invocations = {{.iteration = 14, .sample = full_sample()}};
  run.benchmarks[0].forks = {fork, {}};
  return run;
}

TEST(RunRecordJson, RoundTripsExactlyThroughText) {
  const auto before = full_run();
  const auto document = ordered_json(before);
  const auto after = parse_json(json_text(document)).get<weir::record::run_record>();
  EXPECT_EQ(ordered_json(after), document);
  EXPECT_EQ(after.program, before.program);
  EXPECT_EQ(after.started, before.started);
  EXPECT_EQ(after.seed, before.seed);
  EXPECT_EQ(after.budget, before.budget);
  EXPECT_EQ(after.parameters, before.parameters);
  EXPECT_EQ(after.ended_by, before.ended_by);
  EXPECT_EQ(after.took, before.took);
  EXPECT_EQ(after.environments, before.environments);
  EXPECT_EQ(after.base_environment, before.base_environment);
  ASSERT_EQ(after.benchmarks.size(), 1U);
  EXPECT_EQ(after.benchmarks[0].name, before.benchmarks[0].name);
  EXPECT_EQ(after.benchmarks[0].variant, before.benchmarks[0].variant);
  ASSERT_EQ(after.benchmarks[0].forks.size(), 2U);
  const weir::record::fork& now = after.benchmarks[0].forks[0];
  const weir::record::fork& then = before.benchmarks[0].forks[0];
  EXPECT_EQ(now.block, then.block);
  EXPECT_EQ(now.place, then.place);
  EXPECT_EQ(now.host, then.host);
  EXPECT_EQ(now.build, then.build);
  EXPECT_EQ(now.layout_seed, then.layout_seed);
  EXPECT_EQ(now.started, then.started);
  EXPECT_EQ(now.took, then.took);
  EXPECT_EQ(now.notes, then.notes);
  EXPECT_EQ(now.failure, then.failure);
  EXPECT_EQ(now.warmup, then.warmup);
  EXPECT_EQ(now.iterations, then.iterations);
  ASSERT_EQ(now.invocations.size(), 1U);
  EXPECT_EQ(now.invocations[0].iteration, then.invocations[0].iteration);
  EXPECT_EQ(now.invocations[0].sample.latency_first_half, then.invocations[0].sample.latency_first_half);
  EXPECT_FALSE(after.benchmarks[0].forks[1].failure);
}

TEST(RunRecordJson, ASideIsOneOfTwoForItNamesAFolder) {
  auto document = ordered_json(full_run());
  document["benchmarks"][0]["variant"] = "../elsewhere";
  try {
    (void)document.get<weir::record::run_record>();
    FAIL();
  } catch (const weir::error& e) {
    EXPECT_STREQ(
        e.what(),
        "[weir.record.json_malformed] /benchmarks/0/variant: \"../elsewhere\": must be empty, base or candidate");
  }
}

TEST(RunRecordJson, AFigureThatIsNotFiniteIsRefusedWithItsPlace) {
  auto run = full_run();
  run.benchmarks[0].forks[0].iterations[0].counters[0].value = std::numeric_limits<double>::quiet_NaN();
  run.budget.iteration_seconds = std::numeric_limits<double>::infinity();
  try {
    (void)parse_json(json_text(ordered_json(run))).get<weir::record::run_record>();
    FAIL();
  } catch (const weir::error& e) {
    EXPECT_STREQ(e.what(),
                 "[weir.record.json_malformed] /budget/iteration_seconds: null: must be a finite number; "
                 "/benchmarks/0/forks/0/iterations/0/counters/0/value: null: must be a finite number");
  }
}

TEST(RunRecordJson, AFigureMayBeWrittenWhole) {
  ordered_json document = full_run();
  document["budget"]["iteration_seconds"] = 3;
  EXPECT_EQ(document.get<weir::record::run_record>().budget.iteration_seconds, 3.0);
}

TEST(ParseJson, ANumberThatNoDoubleHoldsIsRefused) {
  try {
    (void)parse_json("[1e999]");
    FAIL();
  } catch (const weir::error& e) {
    EXPECT_EQ(e.id(), "record.json_malformed");
    EXPECT_NE(std::string(e.what()).find("1e999"), std::string::npos);
  }
}

class Assemble : public testing::Test {
 protected:
  using kind = weir::record::wire_kind;
  static constexpr const char* benchmark = "rows/copy";
  static constexpr std::uint64_t seed = 5;

  /// What arrives when the fork speaks as `talk` does.
  template <class Talk>
  static std::vector<weir::record::wire_message> heard(Talk talk) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    weir::record::fork_voice voice(ends[0]);
    talk(voice);
    ::close(ends[0]);
    weir::record::wire_reader in;
    std::vector<weir::record::wire_message> all;
    char chunk[4096];
    for (ssize_t n; (n = ::read(ends[1], chunk, sizeof chunk)) > 0;)
      for (auto& m : in.feed({chunk, static_cast<std::size_t>(n)})) all.push_back(std::move(m));
    ::close(ends[1]);
    return all;
  }

  static std::vector<weir::record::wire_message> sound() {
    return heard([](weir::record::fork_voice& voice) {
      voice.hello(benchmark, seed);
      voice.iteration({.operations = 3, .real_ns = 1.5, .cpu_ns = 1.25, .counters = {{"rows", 7}}});
      voice.invocation({.iteration = 0, .sample = full_sample_that_fits()});
      voice.done();
    });
  }

  /// Small enough for a socket's buffer: nobody reads while it is said.
  static sample full_sample_that_fits() {
    sample s;
    s.scenario = "sourceSink";
    s.notes = {"not \xFF UTF-8"};
    return s;
  }

  static std::string kind_and_text(const std::vector<weir::record::wire_message>& messages,
                                   std::optional<weir::record::wire_fault> fault = {}) {
    const auto fork = weir::record::assemble(messages, fault, benchmark, seed);
    return fork.failure ? fork.failure->kind + ": " + fork.failure->text : "sound";
  }
};

TEST_F(Assemble, ASoundForkIsItsIterationsAndInvocations) {
  const auto fork = weir::record::assemble(sound(), {}, benchmark, seed);
  EXPECT_FALSE(fork.failure);
  EXPECT_EQ(fork.layout_seed, seed);
  EXPECT_EQ(fork.iterations, (std::vector<weir::record::iteration>{
                                 {.operations = 3, .real_ns = 1.5, .cpu_ns = 1.25, .counters = {{"rows", 7}}}}));
  ASSERT_EQ(fork.invocations.size(), 1U);
  EXPECT_EQ(fork.invocations[0].sample.scenario, "sourceSink");
  EXPECT_EQ(fork.invocations[0].sample.notes, (std::vector<std::string>{"not \xEF\xBF\xBD UTF-8"}));
}

TEST_F(Assemble, EveryMessageIsNeededButARepeatedOneIsToo) {
  const auto all = sound();
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(kind_and_text({}), "protocol: [weir.record.protocol] wire: the fork ended before it was done");
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto without = all;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_TRUE(kind_and_text(without).starts_with("protocol: ")) << i;
    auto doubled = all;
    doubled.insert(doubled.begin() + static_cast<std::ptrdiff_t>(i), all[i]);
    EXPECT_TRUE(kind_and_text(doubled).starts_with("protocol: ")) << i;
  }
}

TEST_F(Assemble, ALiarIsToldApart) {
  auto messages = sound();
  EXPECT_TRUE(weir::record::assemble(messages, {}, "rows/other", seed).failure);
  EXPECT_TRUE(weir::record::assemble(messages, {}, benchmark, seed + 1).failure);
  messages.back().payload = R"({"iterations":2,"invocations":1})";
  EXPECT_EQ(kind_and_text(messages),
            "protocol: [weir.record.protocol] wire: the fork announced other counts than came");
}

TEST_F(Assemble, AMalformedPayloadNamesItsPlaceAndWhatCameBeforeIsKept) {
  auto messages = sound();
  messages.insert(messages.begin() + 2,
                  {kind::iteration, R"({"operations":1,"real_ns":null,"cpu_ns":1,"counters":[]})"});
  EXPECT_EQ(kind_and_text(messages), "protocol: [weir.record.json_malformed] /real_ns: null: must be a finite number");
  EXPECT_EQ(weir::record::assemble(messages, {}, benchmark, seed).iterations.size(), 1U);
  messages[2].payload = "{";
  EXPECT_TRUE(kind_and_text(messages).starts_with("protocol: [weir.record.json_malformed] byte"));
  messages[2].payload = std::string(100'000, '[');
  EXPECT_TRUE(kind_and_text(messages).starts_with("protocol: [weir.record.json_malformed] byte"));
}

TEST_F(Assemble, TheBenchmarksOwnErrorComesFirst) {
  const auto messages = heard([](weir::record::fork_voice& voice) {
    voice.hello(benchmark, seed);
    voice.iteration({.operations = 1, .real_ns = 1, .cpu_ns = 1, .counters = {}});
    voice.failure("boom");
  });
  EXPECT_EQ(kind_and_text(messages), "benchmark: boom");
  EXPECT_EQ(kind_and_text(messages, weir::record::wire_fault::cut_off), "benchmark: boom");
  EXPECT_EQ(weir::record::assemble(messages, {}, benchmark, seed).iterations.size(), 1U);
}

TEST_F(Assemble, ABrokenWireIsNamed) {
  EXPECT_EQ(kind_and_text(sound(), weir::record::wire_fault::bad_checksum),
            "protocol: [weir.record.protocol] wire: a message was damaged: its checksum differs");
}

}  // namespace
