// SPDX-License-Identifier: Apache-2.0
//
// A trace may be longer than memory: 100 million lines, through a pipe, so that no disk is needed for them.
#include <weir/arrival/trace.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <weir/base/os.hpp>

namespace {

using std::chrono::nanoseconds;
using weir::arrival::trace_lines;

constexpr std::uint64_t rows = 100'000'000;

/// A named pipe in a folder of its own, into which a thread writes so many gaps of 3 ns.
class pipe_of_gaps {
 public:
  pipe_of_gaps() {
    EXPECT_NE(::mkdtemp(folder_.data()), nullptr);
    path = folder_ + "/gaps";
    EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
  }
  pipe_of_gaps(const pipe_of_gaps&) = delete;
  pipe_of_gaps& operator=(const pipe_of_gaps&) = delete;
  ~pipe_of_gaps() {
    ::unlink(path.c_str());
    ::rmdir(folder_.c_str());
  }

  [[nodiscard]] std::jthread write() const {
    return std::jthread([file = path] {
      constexpr std::uint64_t in_block = 50'000;
      std::string block;
      for (std::uint64_t i = 0; i < in_block; ++i) block += "3\n";
      std::FILE* const out = std::fopen(file.c_str(), "we");
      for (std::uint64_t n = 0; n < rows; n += in_block) std::fwrite(block.data(), 1, block.size(), out);
      std::fclose(out);
    });
  }

  std::string path;

 private:
  std::string folder_ = testing::TempDir() + "weir-trace-XXXXXX";
};

TEST(LongTrace, IsReadInConstantMemory) {
  const pipe_of_gaps pipe;
  const auto before = weir::os::peak_resident();
  {
    const auto writer = pipe.write();
    const auto found = weir::arrival::check_trace(pipe.path, trace_lines::gaps);
    EXPECT_FALSE(found.fault);
    EXPECT_EQ(found.rows, rows);
    EXPECT_EQ(found.span, nanoseconds(3) * rows);
  }
  const auto writer = pipe.write();
  weir::arrival::trace due(pipe.path, trace_lines::gaps);
  std::vector<nanoseconds> block(1'000);
  for (std::uint64_t n = 0; n < rows; n += block.size()) due.fill(block);
  EXPECT_EQ(block.back(), nanoseconds(3) * rows);
  EXPECT_LE(weir::os::peak_resident() - before, 4U << 20);
}

}  // namespace
