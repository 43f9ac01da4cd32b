#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Protocol Buffers by Google's library: by generated classes, and by reflection on messages whose descriptor is made
// at run time, which is how KSQL does it. Temperature: hot.
//
// As the format has it, a field that is missing is zero and one that is unknown is let pass.
// The library does not say where bytes broke, so that a refusal is looked up by walking the wire format, which is not
// timed.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/message.h>
#include <google/protobuf/stubs/logging.h>

#include <weir/codec/avro.hpp>
#include <weir/codec/buffer.hpp>
#include <weir/codec/fault.hpp>
#include <weir/codec/framing.hpp>
#include <weir/codec/record.hpp>
#include <weir/codec/schemas.hpp>
#include <weir/codec/utf8.hpp>

#include "records.pb.h"

namespace reference {

namespace detail {

/// KSQL's keys are bare values, which Protobuf does not have.
[[nodiscard]] inline std::string_view protobuf_refusal(const weir::codec::shape& s) noexcept {
  return s.unwrapped ? "Protobuf writes messages: a key that is a bare value is not supported" : "";
}

/// The first fault of the wire format in bytes[from, to).
inline weir::codec::fault wire_fault(std::string_view bytes, std::size_t from, std::size_t to,
                                     const weir::codec::shape& s) {
  using weir::codec::fault;
  using weir::codec::fault_kind;
  weir::codec::detail::reader in(bytes.substr(0, to), from);
  const auto here = [&] { return to - in.left(); };
  while (!in.at_end()) {
    const std::size_t start = here();
    std::uint64_t tag = 0, content = 0;
    if (!in.varint(tag)) return in.found();
    if (tag >> 3 == 0 || tag >> 3 > s.columns.size()) return {fault_kind::unknown_field, start};
    const auto& column = s.columns[(tag >> 3) - 1];
    const bool number =
        column.type == weir::codec::shape::kind::int64 || column.type == weir::codec::shape::kind::int32;
    if ((tag & 7) != (number ? 0U : 2U)) return {fault_kind::wrong_type, start};
    const std::size_t place = here();
    if (!in.varint(content)) return in.found();
    if (number) continue;
    if (content > in.left()) return {fault_kind::truncated, place};
    const std::size_t first = here();
    if (column.type == weir::codec::shape::kind::record) {
      if (const fault f = wire_fault(bytes, first, first + content, column.nested.front())) return f;
    } else {
      const std::size_t good = weir::codec::utf8_prefix(bytes.substr(first, content));
      if (good != content) return {fault_kind::not_utf8, first + good};
    }
    in = weir::codec::detail::reader(bytes.substr(0, to), first + content);
  }
  return {};
}

inline void silence_protobuf() {
  [[maybe_unused]] static const bool once = (google::protobuf::SetLogHandler(nullptr), true);
}

inline void write(const google::protobuf::MessageLite& m, const weir::codec::framing& frame, weir::codec::buffer& out) {
  const std::size_t size = m.ByteSizeLong();
  char* const to = frame.write(out.grow(frame.size() + size));
  m.SerializeWithCachedSizesToArray(reinterpret_cast<std::uint8_t*>(to));
  out.end_at(to + size);
}

/// Fills m, or says where the bytes broke.
inline weir::codec::fault read(std::string_view bytes, const weir::codec::framing& frame, const weir::codec::shape& s,
                               google::protobuf::MessageLite& m) {
  if (const weir::codec::fault f = frame.check(bytes)) return f;
  const std::string_view content = bytes.substr(frame.size());
  const bool representable = content.size() <= std::numeric_limits<int>::max();  // no message is 2 GiB long
  if (representable && m.ParseFromArray(content.data(), static_cast<int>(content.size()))) return {};
  const weir::codec::fault f = wire_fault(bytes, frame.size(), bytes.size(), s);
  return f ? f : weir::codec::fault{weir::codec::fault_kind::bad_syntax, frame.size()};
}

}  // namespace detail

/// By generated classes.
class protobuf {
 public:
  protobuf(const weir::codec::shape& shape, weir::codec::framing frame) : shape_(&shape), frame_(frame) {
    detail::silence_protobuf();
  }

  [[nodiscard]] std::string_view name() const noexcept { return frame_.size() == 0 ? "Protobuf_NoSR" : "Protobuf"; }
  [[nodiscard]] weir::codec::framing frame() const noexcept { return frame_; }
  [[nodiscard]] static std::string_view refusal(const weir::codec::shape& s) noexcept {
    return detail::protobuf_refusal(s);
  }

  void serialize(const weir::codec::impressions::record& in, weir::codec::buffer& out) const {
    weir::reference::Impressions m;
    m.set_impresssiontime(in.impresssiontime);
    m.set_impressionid(in.impressionid);
    m.set_userid(in.userid);
    m.set_adid(in.adid);
    detail::write(m, frame_, out);
  }

  void serialize(const weir::codec::metrics::record& in, weir::codec::buffer& out) const {
    weir::reference::Metrics m;
    m.set_id(in.id);
    m.set_source(in.source);
    m.set_value(in.value);
    weir::reference::Labels& l = *m.mutable_metric();
    l.set__metricname(in.metric.metricname);
    l.set_clusterid(in.metric.clusterid);
    l.set_controller_revision_hash(in.metric.controller_revision_hash);
    l.set_instance(in.metric.instance);
    l.set_job(in.metric.job);
    l.set_name(in.metric.name);
    l.set_physicalstatefulcluster_core_confluent_cloud_name(in.metric.physical_name);
    l.set_physicalstatefulcluster_core_confluent_cloud_version(in.metric.physical_version);
    l.set_pscversion(in.metric.psc_version);
    l.set_source(in.metric.source);
    l.set_stateful_kubernetes_io_pod_name(in.metric.pod_name);
    l.set_topic(in.metric.topic);
    l.set_type(in.metric.type);
    detail::write(m, frame_, out);
  }

  weir::codec::fault deserialize(std::string_view bytes, weir::codec::impressions::record& out) const {
    weir::reference::Impressions m;
    if (const auto f = detail::read(bytes, frame_, *shape_, m)) return f;
    out.impresssiontime = m.impresssiontime();
    out.impressionid = std::move(*m.mutable_impressionid());
    out.userid = std::move(*m.mutable_userid());
    out.adid = std::move(*m.mutable_adid());
    return {};
  }

  weir::codec::fault deserialize(std::string_view bytes, weir::codec::metrics::record& out) const {
    weir::reference::Metrics m;
    if (const auto f = detail::read(bytes, frame_, *shape_, m)) return f;
    out.id = std::move(*m.mutable_id());
    out.source = std::move(*m.mutable_source());
    out.value = m.value();
    weir::reference::Labels& l = *m.mutable_metric();
    out.metric.metricname = std::move(*l.mutable__metricname());
    out.metric.clusterid = std::move(*l.mutable_clusterid());
    out.metric.controller_revision_hash = std::move(*l.mutable_controller_revision_hash());
    out.metric.instance = l.instance();
    out.metric.job = std::move(*l.mutable_job());
    out.metric.name = std::move(*l.mutable_name());
    out.metric.physical_name = std::move(*l.mutable_physicalstatefulcluster_core_confluent_cloud_name());
    out.metric.physical_version = std::move(*l.mutable_physicalstatefulcluster_core_confluent_cloud_version());
    out.metric.psc_version = std::move(*l.mutable_pscversion());
    out.metric.source = std::move(*l.mutable_source());
    out.metric.pod_name = std::move(*l.mutable_stateful_kubernetes_io_pod_name());
    out.metric.topic = std::move(*l.mutable_topic());
    out.metric.type = std::move(*l.mutable_type());
    return {};
  }

 private:
  const weir::codec::shape* shape_;
  weir::codec::framing frame_;
};

/// By reflection: fields are found by name, in messages of a type that was made from the shape.
class protobuf_reflection {
 public:
  protobuf_reflection(const weir::codec::shape& shape, weir::codec::framing frame)
      : shape_(&shape), frame_(frame), types_(std::make_unique<types>(shape)) {
    detail::silence_protobuf();
  }

  [[nodiscard]] std::string_view name() const noexcept {
    return frame_.size() == 0 ? "Protobuf_NoSR-reflection" : "Protobuf-reflection";
  }
  [[nodiscard]] weir::codec::framing frame() const noexcept { return frame_; }
  [[nodiscard]] static std::string_view refusal(const weir::codec::shape& s) noexcept {
    return detail::protobuf_refusal(s);
  }

  template <weir::codec::record R>
  void serialize(const R& in, weir::codec::buffer& out) const {
    const std::unique_ptr<google::protobuf::Message> m(types_->prototype->New());
    fill(*m, in);
    detail::write(*m, frame_, out);
  }

  template <weir::codec::record R>
  weir::codec::fault deserialize(std::string_view bytes, R& out) const {
    const std::unique_ptr<google::protobuf::Message> m(types_->prototype->New());
    if (const auto f = detail::read(bytes, frame_, *shape_, *m)) return f;
    take(*m, out);
    return {};
  }

 private:
  struct types {
    explicit types(const weir::codec::shape& s) {
      google::protobuf::FileDescriptorProto file;
      file.set_name("record.proto");
      file.set_syntax("proto3");
      describe(s, "Record", file);
      const google::protobuf::FileDescriptor* const made = pool.BuildFile(file);
      if (made == nullptr) std::abort();
      prototype = factory.GetPrototype(made->FindMessageTypeByName("Record"));
    }

    static void describe(const weir::codec::shape& s, const std::string& name,
                         google::protobuf::FileDescriptorProto& file) {
      google::protobuf::DescriptorProto message;
      message.set_name(name);
      int number = 0;
      for (const auto& column : s.columns) {
        google::protobuf::FieldDescriptorProto& field = *message.add_field();
        field.set_name(column.name);
        field.set_number(++number);
        field.set_label(google::protobuf::FieldDescriptorProto::LABEL_OPTIONAL);
        switch (column.type) {
          case weir::codec::shape::kind::int64:
            field.set_type(google::protobuf::FieldDescriptorProto::TYPE_INT64);
            break;
          case weir::codec::shape::kind::int32:
            field.set_type(google::protobuf::FieldDescriptorProto::TYPE_INT32);
            break;
          case weir::codec::shape::kind::text:
            field.set_type(google::protobuf::FieldDescriptorProto::TYPE_STRING);
            break;
          case weir::codec::shape::kind::record:
            field.set_type(google::protobuf::FieldDescriptorProto::TYPE_MESSAGE);
            field.set_type_name(name + "_" + column.name);
            describe(column.nested.front(), name + "_" + column.name, file);
        }
      }
      *file.add_message_type() = std::move(message);
    }

    google::protobuf::DescriptorPool pool;
    google::protobuf::DynamicMessageFactory factory;
    const google::protobuf::Message* prototype = nullptr;
  };

  template <weir::codec::record R>
  static void fill(google::protobuf::Message& m, const R& in) {
    const google::protobuf::Descriptor& type = *m.GetDescriptor();
    const google::protobuf::Reflection& access = *m.GetReflection();
    for_each_field(in, [&]<class T>(std::string_view name, const T& value) {
      const google::protobuf::FieldDescriptor* const field = type.FindFieldByName(std::string(name));
      if constexpr (std::same_as<T, std::int64_t>)
        access.SetInt64(&m, field, value);
      else if constexpr (std::same_as<T, std::int32_t>)
        access.SetInt32(&m, field, value);
      else if constexpr (std::same_as<T, std::string>)
        access.SetString(&m, field, value);
      else
        fill(*access.MutableMessage(&m, field), value);
      return true;
    });
  }

  template <weir::codec::record R>
  static void take(const google::protobuf::Message& m, R& out) {
    const google::protobuf::Descriptor& type = *m.GetDescriptor();
    const google::protobuf::Reflection& access = *m.GetReflection();
    for_each_field(out, [&]<class T>(std::string_view name, T& value) {
      const google::protobuf::FieldDescriptor* const field = type.FindFieldByName(std::string(name));
      if constexpr (std::same_as<T, std::int64_t>)
        value = access.GetInt64(m, field);
      else if constexpr (std::same_as<T, std::int32_t>)
        value = access.GetInt32(m, field);
      else if constexpr (std::same_as<T, std::string>)
        value = access.GetStringReference(m, field, &value);
      else
        take(access.GetMessage(m, field), value);
      return true;
    });
  }

  const weir::codec::shape* shape_;
  weir::codec::framing frame_;
  std::unique_ptr<types> types_;
};

}  // namespace reference
