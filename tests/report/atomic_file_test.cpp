// SPDX-License-Identifier: Apache-2.0
#include <weir/report/atomic_file.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include <unistd.h>

namespace {

namespace fs = std::filesystem;

class WriteFile : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(root_); }
  void TearDown() override { fs::remove_all(root_); }

  static std::string text_of(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  [[nodiscard]] std::string error_at(const fs::path& path) const {
    try {
      weir::report::write_file(path, "text", "--weir_out");
    } catch (const weir::error& e) {
      EXPECT_EQ(e.id(), "report.cannot_write");
      EXPECT_EQ(e.where(), "--weir_out");
      return e.what();
    }
    return "no error";
  }

  const fs::path root_ = fs::path(testing::TempDir()) / ("weir_write_file_" + std::to_string(::getpid()));
};

TEST_F(WriteFile, MakesTheFolderAndReplacesTheFile) {
  const fs::path path = root_ / "a" / "b" / "x.json";
  weir::report::write_file(path, "a longer first text", "--weir_out");
  weir::report::write_file(path, "second", "--weir_out");
  EXPECT_EQ(text_of(path), "second");
  EXPECT_EQ(std::distance(fs::directory_iterator(path.parent_path()), fs::directory_iterator()), 1)
      << "something was left";
}

TEST_F(WriteFile, AFileWhereTheFolderShouldBeIsNamed) {
  std::ofstream(root_ / "out") << "a file";
  EXPECT_EQ(error_at(root_ / "out" / "x.json"),
            "[weir.report.cannot_write] --weir_out: " + (root_ / "out").string() + ": Not a directory");
}

TEST_F(WriteFile, AFailedWriteLeavesNothingAndTheOldFileWhole) {
  const fs::path path = root_ / "x.json";
  fs::create_directories(path / "in the way");
  EXPECT_NE(error_at(path), "no error");
  EXPECT_FALSE(fs::exists(root_ / "x.json.part"));
  EXPECT_TRUE(fs::exists(path / "in the way"));
}

TEST_F(WriteFile, AFullDiskIsAnError) {
  if (!fs::exists("/dev/full")) GTEST_SKIP();
  const fs::path path = root_ / "x.json";
  fs::create_symlink("/dev/full", root_ / "x.json.part");
  EXPECT_EQ(error_at(path), "[weir.report.cannot_write] --weir_out: " + path.string() + ": No space left on device");
  EXPECT_FALSE(fs::exists(path));
  EXPECT_FALSE(fs::exists(fs::symlink_status(root_ / "x.json.part")));
}

}  // namespace
