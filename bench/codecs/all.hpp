#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Every codec of the benchmark, weir's own and those on libraries, each given to add(maker). Temperature: cold.
//
//   for_each_codec([](auto make) { weir::gbench::register_codec(make); });

#include <string>

#include <weir/codec/avro.hpp>
#include <weir/codec/codec.hpp>
#include <weir/codec/delimited.hpp>
#include <weir/codec/framing.hpp>
#include <weir/codec/kafka.hpp>
#include <weir/codec/record.hpp>
#include <weir/codec/schemas.hpp>

#include "nlohmann.hpp"
#include "streams.hpp"
#ifdef WEIR_HAS_JSON
#include "json.hpp"
#endif
#ifdef WEIR_HAS_AVRO
#include "avro_c.hpp"
#endif
#ifdef WEIR_HAS_PROTOBUF
#include "protobuf.hpp"
#endif
#ifdef WEIR_HAS_LIBCSV
#include "libcsv.hpp"
#endif

namespace reference {

/// add(make) for each codec, where make(shape) gives one.
template <class Add>
void for_each_codec(Add add) {
  using weir::codec::framing;
  using weir::codec::shape;
#ifdef WEIR_HAS_JSON
  add([](const shape&) { return json(framing::none()); });
  add([](const shape&) { return json(framing::schema(1)); });
#endif
  add([](const shape&) { return nlohmann_json(); });
  add([](const shape&) { return weir::codec::avro(); });
#ifdef WEIR_HAS_AVRO
  add([](const shape& s) { return avro_c(s); });
#endif
#ifdef WEIR_HAS_PROTOBUF
  add([](const shape& s) { return protobuf(s, framing::first_message(1)); });
  add([](const shape& s) { return protobuf_reflection(s, framing::first_message(1)); });
  add([](const shape& s) { return protobuf(s, framing::none()); });
  add([](const shape& s) { return protobuf_reflection(s, framing::none()); });
#endif
  add([](const shape&) { return weir::codec::delimited(); });
#ifdef WEIR_HAS_LIBCSV
  add([](const shape&) { return libcsv(); });
#endif
  add([](const shape&) { return streams(); });
  add([](const shape&) { return weir::codec::kafka(); });
}

/// visit.template operator()<Schema>(make, shape) for each codec on each of KSQL's schemas that it can do.
template <class Visit>
void for_each_pair(Visit visit) {
  for_each_codec([&](auto make) {
    const auto offer = [&]<class Schema>() {
      static const weir::codec::shape form = weir::codec::shape_of<typename Schema::record>(std::string(Schema::name));
      using made = decltype(make(form));
      if constexpr (weir::codec::codec_of<made, typename Schema::record>)
        if (weir::codec::refusal_of<made>(form).empty()) visit.template operator()<Schema>(make, form);
    };
    offer.template operator()<weir::codec::single_key>();
    offer.template operator()<weir::codec::impressions>();
    offer.template operator()<weir::codec::metrics>();
    offer.template operator()<weir::codec::metrics_asrun>();
  });
}

/// missing(format, why) for each that this build does not have.
template <class Missing>
void for_each_missing_codec([[maybe_unused]] Missing missing) {
#ifndef WEIR_HAS_JSON
  for (const char* format : {"JSON", "JSON_SR"}) missing(format, "not built: needs rapidjson-dev and libsimdjson-dev");
#endif
#ifndef WEIR_HAS_AVRO
  missing("Avro-c", "not built: needs libavro-dev");
#endif
#ifndef WEIR_HAS_PROTOBUF
  for (const char* format : {"Protobuf", "Protobuf-reflection", "Protobuf_NoSR", "Protobuf_NoSR-reflection"})
    missing(format, "not built: needs libprotobuf-dev and protobuf-compiler");
#endif
#ifndef WEIR_HAS_LIBCSV
  missing("Delimited-libcsv", "not built: needs libcsv-dev");
#endif
}

}  // namespace reference
