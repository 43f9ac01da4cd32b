// Writes the seed corpus: records of each schema in each format, one a file.   fuzz_seeds <folder>
//   <folder>/<format>/<schema>-<number>

#include <filesystem>
#include <fstream>
#include <string>

#include <weir/codec/buffer.hpp>
#include <weir/codec/codec.hpp>
#include <weir/codec/record.hpp>
#include <weir/codec/schemas.hpp>

#include "all.hpp"

namespace {

namespace codec = weir::codec;

template <class Schema, class Make>
void write(const std::filesystem::path& folder, const Make& make) {
  using record = typename Schema::record;
  const codec::shape form = codec::shape_of<record>(std::string(Schema::name));
  using made = decltype(make(form));
  if constexpr (codec::codec_of<made, record>) {
    if (!codec::refusal_of<made>(form).empty()) return;
    auto one = make(form);
    int number = 0;
    const std::filesystem::path to = folder / one.name();
    std::filesystem::create_directories(to);
    for (const record& r : codec::make_records<Schema>(42, 8)) {
      codec::buffer out;
      one.serialize(r, out);
      std::ofstream file(to / (form.name + "-" + std::to_string(++number)), std::ios::binary);
      file.write(out.view().data(), static_cast<std::streamsize>(out.size()));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  reference::for_each_codec([&](auto make) {
    write<codec::single_key>(argv[1], make);
    write<codec::impressions>(argv[1], make);
    write<codec::metrics>(argv[1], make);
    write<codec::metrics_asrun>(argv[1], make);
  });
  return 0;
}
