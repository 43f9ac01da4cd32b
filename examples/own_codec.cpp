// SPDX-License-Identifier: Apache-2.0
//
// A codec of your own on a schema of your own in the codec suite, beside weir's Avro on the same records. Each record
// goes there and back before anything is timed.
//
//   own_codec --benchmark_filter=serialize

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <tuple>

#include <weir/codec.hpp>
#include <weir/gbench/codec_suite.hpp>
#include <weir/gbench/main.hpp>

namespace {

namespace codec = weir::codec;

// [own_codec]
struct reading {  // a schema: records, their fields, and how one is drawn
  static constexpr std::string_view name = "reading";
  struct record {
    std::int64_t time = 0;
    std::int32_t celsius = 0;
    std::string sensor{};
    static constexpr auto fields() {
      return std::tuple(codec::field("time", &record::time), codec::field("celsius", &record::celsius),
                        codec::field("sensor", &record::sensor));
    }
  };
  static record draw(codec::draws& from) {
    return {.time = static_cast<std::int64_t>(from.next() >> 20),
            .celsius = static_cast<std::int32_t>(from.below(40)),
            .sensor = from.text(8, "0123456789abcdef")};
  }
};

struct my_codec {  // a codec: numbers as they lie in memory, then the text
  static constexpr std::size_t head = sizeof(std::int64_t) + sizeof(std::int32_t);

  std::string_view name() const { return "mine"; }
  codec::framing frame() const { return codec::framing::none(); }

  void serialize(const reading::record& in, codec::buffer& out) const {
    char* const to = out.grow(head + in.sensor.size());
    std::memcpy(to, &in.time, sizeof in.time);
    std::memcpy(to + sizeof in.time, &in.celsius, sizeof in.celsius);
    std::memcpy(to + head, in.sensor.data(), in.sensor.size());
    out.end_at(to + head + in.sensor.size());
  }

  codec::fault deserialize(std::string_view bytes, reading::record& out) const {
    if (bytes.size() < head) return {codec::fault_kind::truncated, bytes.size()};
    std::memcpy(&out.time, bytes.data(), sizeof out.time);
    std::memcpy(&out.celsius, bytes.data() + sizeof out.time, sizeof out.celsius);
    out.sensor = bytes.substr(head);
    return {};
  }
};

const bool mine = weir::gbench::register_codec<reading>([](const codec::shape&) { return my_codec(); });
const bool avro = weir::gbench::register_codec<reading>([](const codec::shape&) { return codec::avro(); });
// [/own_codec]

}  // namespace

WEIR_MAIN()
