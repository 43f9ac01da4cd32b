#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// All of the room `codec`: records, schemas and formats. Temperature: hot.

// IWYU pragma: begin_exports
#include <weir/codec/avro.hpp>
#include <weir/codec/buffer.hpp>
#include <weir/codec/codec.hpp>
#include <weir/codec/delimited.hpp>
#include <weir/codec/fault.hpp>
#include <weir/codec/framing.hpp>
#include <weir/codec/kafka.hpp>
#include <weir/codec/record.hpp>
#include <weir/codec/row.hpp>
#include <weir/codec/schemas.hpp>
#include <weir/codec/utf8.hpp>
// IWYU pragma: end_exports
