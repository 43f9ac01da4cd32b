// Writes the seed corpus: records of each schema in each format, one a file.   fuzz_seeds <folder>
//   <folder>/<format>/<schema>-<number>

#include <filesystem>
#include <fstream>
#include <string>

#include <weir/codec/buffer.hpp>
#include <weir/codec/record.hpp>
#include <weir/codec/schemas.hpp>

#include "all.hpp"

int main(int argc, char** argv) {
  namespace codec = weir::codec;
  if (argc != 2) return 2;
  reference::for_each_pair([&]<class Schema>(const auto& make, const codec::shape& form) {
    auto one = make(form);
    int number = 0;
    const std::filesystem::path to = std::filesystem::path(argv[1]) / one.name();
    std::filesystem::create_directories(to);
    for (const auto& r : codec::make_records<Schema>(42, 8)) {
      codec::buffer out;
      one.serialize(r, out);
      std::ofstream file(to / (form.name + "-" + std::to_string(++number)), std::ios::binary);
      file.write(out.view().data(), static_cast<std::streamsize>(out.size()));
    }
  });
  return 0;
}
