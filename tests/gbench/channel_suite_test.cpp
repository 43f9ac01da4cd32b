// SPDX-License-Identifier: Apache-2.0
#include <weir/gbench/channel_suite.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/base/error.hpp>
#include <weir/channel/locked_queue.hpp>
#include <weir/channel/memory.hpp>
#include <weir/channel/message.hpp>

#include "../channel/id_of.hpp"

namespace {

using namespace weir::gbench;
namespace inner = weir::gbench::detail;

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

TEST(ChannelCsv, ComesBackFromALineAsItWas) {
  channel_row row;
  row.channel = "ring/depth:8";
  row.ends = "threads";
  row.placement = "apart";
  row.wait = "spin";
  row.mode = "latency";
  row.bytes = 64;
  row.n = 1000;
  row.dropped = 3;
  row.average = 12;
  row.p50_p95_p99_p999 = {1, 2, std::nullopt, std::nullopt};
  row.min = 1;
  row.max = 9;
  row.cpu_ns = 7.5;
  row.note = "bimodal: 4 and 9 ns a message";
  const std::string line = channel_full_csv_row(row);
  const auto back = channel_row_of(line);
  ASSERT_TRUE(back);
  EXPECT_EQ(channel_full_csv_row(*back), line);
  EXPECT_EQ(back->note, row.note);
  EXPECT_EQ(std::count(line.begin(), line.end(), ','),
            std::count(channel_csv_header.begin(), channel_csv_header.end(), ','));
  EXPECT_FALSE(channel_row_of("latency,64,64B"));
}

TEST(ChannelTable, GivesTheMedianOfRowsMeasuredSeveralTimesAndSizesInOrder) {
  std::vector<channel_row> rows;
  for (const std::uint64_t bytes : {4096U, 0U}) {
    for (const double p50 : {3000.0, 1000.0, 2000.0}) {
      channel_row& row = rows.emplace_back();
      row.channel = "ring";
      row.mode = "pingpong";
      row.bytes = bytes;
      row.p50_p95_p99_p999 = {p50, p50, std::nullopt, std::nullopt};
    }
  }
  rows.back().p50_p95_p99_p999[1] = std::nullopt;  // one does not know it: nor does the row
  const std::string text = channel_table(rows);
  const auto small = text.find("        0B     2.000       n/a");
  const auto large = text.find("       4KB     2.000     2.000       n/a");
  EXPECT_NE(large, std::string::npos) << text;
  EXPECT_LT(small, large) << text;
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

TEST(ChannelCsv, RefusesAFileWithOtherColumns) {
  const std::string file = testing::TempDir() + "weir_channels_" + std::to_string(::getpid()) + ".csv";
  const auto check = [&] { return id_of([&] { check_csv(file, channel_csv_header); }); };
  EXPECT_EQ(check(), "");  // there is none
  append_csv(file, "a row", channel_csv_header);
  append_csv(file, "another", channel_csv_header);
  EXPECT_EQ(check(), "");
  std::ofstream(file) << "mode,bytes,n\n1,2,3\n";
  EXPECT_EQ(check(), "channels.other_columns");
  ::unlink(file.c_str());
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

TEST(ChannelSuite, TriesOutTheLargestMessageOfEveryModeChosen) {
  const auto largest = [](std::vector<std::string> modes) {
    return inner::largest_of(inner::channel_parameters::read({{"mode", std::move(modes)}, {"size", {"8", "64"}}}));
  };
  EXPECT_EQ(largest({"pingpong"}), sizeof(channel_header) + 64);
  EXPECT_EQ(largest({"dora"}), sizeof(channel_header) + dora_sizes.back());
  EXPECT_EQ(largest({"dora", "latency"}), sizeof(channel_header) + dora_sizes.back());
}

/// A queue that no message of more than 100 bytes can be made for.
class narrow : public weir::channel::locked_queue {
 public:
  explicit narrow(const weir::channel::options& o) : locked_queue(o) {
    if (o.largest > 100) weir::detail::raise("test.too_large", "largest", "more than 100");
  }
};

TEST(ChannelSuite, RefusesASizeThatAChannelCannotBeMadeFor) {
  register_channel<narrow>("narrow");
  const auto id = [](const char* mode, const char* size) {
    settings s;
    s.params = {{"channel", {"narrow"}}, {"mode", {mode}}, {"size", {size}}};
    session one(std::move(s));
    return id_of([&] { inner::add_channels(one); });
  };
  EXPECT_EQ(id("pingpong", "64"), "");
  EXPECT_EQ(id("pingpong", "77"), "channels.not_possible");
  EXPECT_EQ(id("dora", "64"), "channels.not_possible");
  EXPECT_EQ(id_of([] { inner::try_out_buffers(std::size_t{1} << 60); }), "channels.no_memory");
}

TEST(ChannelSuite, RefusesAPortThatIsInUseThoughNoChannelWasNamed) {
  register_channels();
  const weir::channel::descriptor taken(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof here;
  ASSERT_EQ(::bind(taken.get(), reinterpret_cast<sockaddr*>(&here), length), 0);
  ASSERT_EQ(::listen(taken.get(), 1), 0);
  ASSERT_EQ(::getsockname(taken.get(), reinterpret_cast<sockaddr*>(&here), &length), 0);
  settings s;
  s.params = {{"size", {"0"}}, {"port", {std::to_string(ntohs(here.sin_port))}}};
  session one(std::move(s));
  EXPECT_EQ(id_of([&] { inner::add_channels(one); }), "channels.not_possible");
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
