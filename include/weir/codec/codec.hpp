#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// What a codec of your own needs to run in the codec suite (gbench/codec_suite.hpp). Temperature: hot.
//
//   struct my_codec {
//     std::string_view name() const { return "mine"; }
//     weir::codec::framing frame() const { return weir::codec::framing::none(); }
//     void serialize(const weir::codec::record auto& in, weir::codec::buffer& out);
//     weir::codec::fault deserialize(std::string_view bytes, weir::codec::record auto& out);
//   };

#include <concepts>
#include <string_view>

#include <weir/base/config.hpp>
#include <weir/codec/buffer.hpp>
#include <weir/codec/fault.hpp>
#include <weir/codec/framing.hpp>
#include <weir/codec/record.hpp>

namespace weir::inline WEIR_ABI::codec {

/// Meaning: serialize() appends, and deserialize() gives back an equal record and takes all of the bytes. Any bytes
/// whatever are decoded or refused with a fault: no crash, no hang, no allocation beyond what their number explains.
/// After a fault the record's content is unspecified. One codec is used by one thread.
template <class C, class Record>
concept codec_of =
    std::destructible<C> && requires(C& c, const Record& in, Record& out, buffer& to, std::string_view bytes) {
      { c.name() } -> std::convertible_to<std::string_view>;
      { c.frame() } -> std::same_as<framing>;
      c.serialize(in, to);
      { c.deserialize(bytes, out) } -> std::same_as<fault>;
    };

/// Why C cannot do records of that shape; empty when it can. A codec says so in `static std::string_view
/// refusal(const shape&)`; one without it does every shape.
template <class C>
[[nodiscard]] std::string_view refusal_of(const shape& s) {
  if constexpr (requires { C::refusal(s); })
    return C::refusal(s);
  else
    return {};
}

}  // namespace weir::inline WEIR_ABI::codec
