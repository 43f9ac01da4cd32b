// SPDX-License-Identifier: Apache-2.0
#include <weir/gbench/channel_suite.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/base/error.hpp>

namespace {

using namespace weir::gbench;
namespace inner = weir::gbench::detail;

std::string id_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const weir::error& e) {
    return e.id();
  }
  return "";
}

TEST(ChannelCsv, IsDorasFormat) {
  channel_row row;
  row.mode = "latency";
  row.bytes = 4096000;
  row.n = 100;
  row.average = 1234.6;
  row.p50_p95_p99_p999 = {1, 2, 3, 4};
  row.min = 1;
  row.max = 5;
  EXPECT_EQ(channel_csv_row(row), "latency,4096000,3MB,100,1235,1,2,3,4,1,5");
  row.p50_p95_p99_p999 = {1, 2, std::nullopt, std::nullopt};
  EXPECT_EQ(channel_csv_row(row), "latency,4096000,3MB,100,1235,1,2,,,1,5");
  row.mode = "throughput";
  row.msg_per_s = 5e6;
  EXPECT_EQ(channel_csv_row(row), "throughput,4096000,3MB,100,5000000,0,0,0,0,0,0");
}

TEST(ChannelCsv, LabelsSizesAsDoraDoes) {
  std::vector<std::string> labels;
  for (const std::uint64_t size : dora_sizes) labels.push_back(size_label(size));
  EXPECT_EQ(labels,
            (std::vector<std::string>{"0B", "8B", "64B", "512B", "2KB", "4KB", "16KB", "40KB", "400KB", "3MB"}));
}

TEST(ChannelTable, ShowsLatencyFirstAndSaysWhatIsNotKnown) {
  channel_row latency;
  latency.channel = "ring";
  latency.mode = "latency";
  latency.p50_p95_p99_p999 = {1000, std::nullopt, std::nullopt, std::nullopt};
  channel_row throughput = latency;
  throughput.mode = "throughput";
  const std::string text = channel_table({throughput, latency});
  EXPECT_LT(text.find("latency"), text.find("throughput"));
  EXPECT_NE(text.find("     1.000       n/a       n/a       n/a"), std::string::npos) << text;
}

TEST(ChannelParameters, AreChecked) {
  const auto id = [](const char* name, const char* value) {
    return id_of([&] { (void)inner::channel_parameters::read({{name, {value}}}); });
  };
  EXPECT_EQ(id("size", "64"), "");
  EXPECT_EQ(id("size", "-1"), "channels.bad_param");
  EXPECT_EQ(id("size", "2000000000"), "channels.bad_param");
  EXPECT_EQ(id("depth", "0"), "channels.bad_param");
  EXPECT_EQ(id("mode", "fast"), "channels.bad_param");
  EXPECT_EQ(id("ends", "both"), "channels.bad_param");
  EXPECT_EQ(id("wait", "spin"), "");
  EXPECT_EQ(id("full", "drop"), "channels.bad_param");
  EXPECT_EQ(id("rows", "10"), "");  // a pipeline's
}

TEST(ChannelParameters, AListIsASweepAndNamesItself) {
  const auto chosen = inner::channel_parameters::read({{"ends", {"threads", "processes"}}, {"depth", {"8"}}});
  ASSERT_EQ(chosen.settings.size(), 2U);
  EXPECT_EQ(chosen.settings[1].suffix, "/ends:processes");
  EXPECT_TRUE(chosen.settings[1].processes);
  EXPECT_EQ(chosen.settings[1].depth, 8U);
}

TEST(ChannelSuite, RefusesWhatItDoesNotHave) {
  register_channels();
  const auto id = [](std::vector<weir::record::parameter> params) {
    settings s;
    s.params = std::move(params);
    session one(std::move(s));
    return id_of([&] { inner::add_channels(one); });
  };
  EXPECT_EQ(id({{"channel", {"pigeon"}}}), "channels.unknown_channel");
  EXPECT_EQ(id({{"channel", {"ring"}}, {"ends", {"processes"}}}), "channels.ends_not_possible");
  EXPECT_EQ(id({{"channel", {"pipe"}}, {"full", {"drop_oldest"}}}), "channels.not_possible");
}

}  // namespace
