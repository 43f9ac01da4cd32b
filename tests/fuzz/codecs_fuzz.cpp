// libFuzzer target of one codec on one schema (WEIR_FUZZ_CODEC, WEIR_FUZZ_SCHEMA): whatever bytes are decoded or
// refused within their length, and what is decoded can be encoded and decoded again.
//
//   fuzz_avro -max_total_time=60 corpus/

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <weir/codec/buffer.hpp>
#include <weir/codec/codec.hpp>
#include <weir/codec/fault.hpp>
#include <weir/codec/record.hpp>
#include <weir/codec/schemas.hpp>

#include "all.hpp"

namespace {

namespace codec = weir::codec;
using schema = codec::WEIR_FUZZ_SCHEMA;

const codec::shape& form() {
  static const codec::shape s = codec::shape_of<schema::record>(std::string(schema::name));
  return s;
}

template <class Codec, class Record>
void check(Codec& c, std::string_view bytes, Record out, Record again) {
  if (const codec::fault f = c.deserialize(bytes, out)) {
    if (f.at > bytes.size()) std::abort();
    return;
  }
  codec::buffer encoded;
  c.serialize(out, encoded);
  if (c.deserialize(encoded.view(), again) || !codec::first_difference(out, again).empty()) std::abort();
}

}  // namespace

// avro-c 1.11 loses the block of a text that is cut off; sanitizers ask by this name.
extern "C" const char* __lsan_default_suppressions() { return "leak:libavro"; }  // NOLINT(bugprone-reserved-identifier)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace reference;
  using namespace weir::codec;
  [[maybe_unused]] const auto& s = form();
  static auto one = WEIR_FUZZ_CODEC;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  using made = decltype(one);
  check(one, bytes, schema::record(), schema::record());
  if constexpr (codec_of<made, dynamic_record>) check(one, bytes, dynamic_record(s), dynamic_record(s));
  return 0;
}
