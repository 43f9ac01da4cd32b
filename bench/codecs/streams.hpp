#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Delimited by the standard library's streams, as one writes it first. Temperature: hot.

#include <concepts>
#include <cstddef>
#include <iomanip>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include <weir/codec/buffer.hpp>
#include <weir/codec/delimited.hpp>
#include <weir/codec/fault.hpp>
#include <weir/codec/framing.hpp>
#include <weir/codec/record.hpp>
#include <weir/codec/utf8.hpp>

namespace reference {

class streams {
 public:
  [[nodiscard]] std::string_view name() const noexcept { return "Delimited-streams"; }
  [[nodiscard]] weir::codec::framing frame() const noexcept { return weir::codec::framing::none(); }
  [[nodiscard]] static std::string_view refusal(const weir::codec::shape& s) noexcept {
    return weir::codec::delimited::refusal(s);
  }

  template <weir::codec::record R>
  void serialize(const R& in, weir::codec::buffer& out) const {
    std::ostringstream line;
    bool first = true;
    for_each_leaf(in, [&]<class T>(const T& value) {
      if (!std::exchange(first, false)) line << ',';
      if constexpr (std::same_as<T, std::string>) {
        if (value.empty() || value.find_first_of(",\"\r\n") != std::string::npos)
          line << std::quoted(value, '"', '"');
        else
          line << value;
      } else {
        line << value;
      }
    });
    out.append(line.str());
  }

  template <weir::codec::record R>
  weir::codec::fault deserialize(std::string_view bytes, R& out) const {
    std::istringstream line{std::string(bytes)};
    bool good = true;
    bool first = true;
    for_each_leaf(out, [&](auto& value) {
      if (!std::exchange(first, false)) good = good && line.get() == ',';
      good = good && read(line, value);
    });
    if (good && line.peek() == std::istringstream::traits_type::eof()) return {};
    return weir::codec::delimited().deserialize(bytes, out);  // where it broke
  }

 private:
  static bool read(std::istream& from, std::string& to) {
    to.clear();
    if (from.peek() == '"') {
      from >> std::quoted(to, '"', '"');
    } else {
      for (int c = from.peek(); c != ',' && c != std::istream::traits_type::eof(); c = from.peek())
        to += static_cast<char>(from.get());
      if (to.empty() || to.find_first_of("\"\r\n") != std::string::npos) return false;
    }
    return !from.fail() && weir::codec::utf8_prefix(to) == to.size();
  }
  template <class Number>
  static bool read(std::istream& from, Number& to) {
    return static_cast<bool>(from >> std::noskipws >> to);
  }
};

}  // namespace reference
