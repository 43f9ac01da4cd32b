#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// What a decoder says of bytes that it cannot read: which rule they break, and where. Temperature: hot.
//
//   if (const codec::fault f = codec.deserialize(bytes, record)) std::puts(to_text(f).c_str());
//   // byte 17: text is not UTF-8

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <weir/base/config.hpp>

namespace weir::inline WEIR_ABI::codec {

enum class fault_kind : std::uint8_t {
  none,
  truncated,        // the bytes end inside a value, or a length points beyond them
  trailing_bytes,   // something follows the record
  wrong_framing,    // not the magic byte, or not the message index
  wrong_schema_id,  // framed for another schema
  varint_too_long,  // more than ten bytes, or more than 64 bits
  bad_length,       // below zero
  bad_branch,       // a union has no such branch
  null_value,       // null where the record has a value
  not_utf8,         // text is not UTF-8
  out_of_range,     // a number does not fit its field
  missing_field,    // a field of the record is not there
  unknown_field,    // a field that the record does not have
  repeated_field,   // a field is there twice
  wrong_type,       // a value of another type than the field's
  too_deep,         // nested deeper than the decoder follows
  bad_syntax,       // the format's own grammar is broken
};

[[nodiscard]] constexpr std::string_view to_text(fault_kind kind) noexcept {
  switch (kind) {
    case fault_kind::none:
      return "no fault";
    case fault_kind::truncated:
      return "the bytes end inside a value";
    case fault_kind::trailing_bytes:
      return "something follows the record";
    case fault_kind::wrong_framing:
      return "wrong framing";
    case fault_kind::wrong_schema_id:
      return "framed for another schema";
    case fault_kind::varint_too_long:
      return "a varint of more than 64 bits";
    case fault_kind::bad_length:
      return "a length below zero";
    case fault_kind::bad_branch:
      return "a union has no such branch";
    case fault_kind::null_value:
      return "null where the record has a value";
    case fault_kind::not_utf8:
      return "text is not UTF-8";
    case fault_kind::out_of_range:
      return "a number does not fit its field";
    case fault_kind::missing_field:
      return "a field is missing";
    case fault_kind::unknown_field:
      return "a field that the record does not have";
    case fault_kind::repeated_field:
      return "a field is there twice";
    case fault_kind::wrong_type:
      return "a value of the wrong type";
    case fault_kind::too_deep:
      return "nested too deep";
    case fault_kind::bad_syntax:
      break;
  }
  return "not this format";
}

/// True when there is one.
struct [[nodiscard]] fault {
  fault_kind kind = fault_kind::none;
  std::size_t at = 0;  // offset of the byte, from the start of what was decoded, framing included

  explicit constexpr operator bool() const noexcept { return kind != fault_kind::none; }
  friend constexpr bool operator==(const fault&, const fault&) noexcept = default;
};

[[nodiscard]] inline std::string to_text(const fault& f) {
  return std::string("byte ").append(std::to_string(f.at)).append(": ").append(to_text(f.kind));
}

}  // namespace weir::inline WEIR_ABI::codec
