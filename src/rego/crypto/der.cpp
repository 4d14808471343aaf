#include "src/rego/crypto/der.hpp"

#include <cstddef>

namespace sallyport::rego::crypto {
namespace {

std::uint8_t byte_at(std::string_view text, std::size_t at) noexcept {
  return static_cast<std::uint8_t>(text[at]);
}

}  // namespace

bool Der::read_any(Element& out) noexcept {
  if (rest_.size() < 2) return false;
  auto const tag = byte_at(rest_, 0);
  if ((tag & 0x1FU) == 0x1F) return false;  // tags of several bytes do not occur
  std::size_t header = 2;
  std::size_t length = byte_at(rest_, 1);
  if (length >= 0x80) {
    auto const count = length & 0x7FU;
    if (count == 0 || count > 4 || rest_.size() < header + count) return false;
    length = 0;
    for (std::size_t i = 0; i < count; ++i) length = length << 8U | byte_at(rest_, header + i);
    if (length < 0x80 || length >> ((count - 1) * 8U) == 0) return false;
    header += count;
  }
  if (rest_.size() - header < length) return false;
  out = {.tag = tag,
         .whole = rest_.substr(0, header + length),
         .content = rest_.substr(header, length)};
  rest_.remove_prefix(header + length);
  return true;
}

bool Der::read(std::uint8_t tag, Element& out) noexcept {
  return is_next(tag) && read_any(out);
}

bool Der::read(std::uint8_t tag, std::string_view& content) noexcept {
  Element element;
  if (!read(tag, element)) return false;
  content = element.content;
  return true;
}

bool Der::read(std::uint8_t tag, Der& content) noexcept {
  Element element;
  if (!read(tag, element)) return false;
  content = Der{element.content};
  return true;
}

bool Der::read_boolean(bool& out) noexcept {
  auto const before = rest_;
  std::string_view content;
  if (!read(kBoolean, content)) return false;
  if (content == std::string_view{"\0", 1} || content == "\xFF") {
    out = content.front() != '\0';
    return true;
  }
  rest_ = before;
  return false;
}

bool Der::read_small_integer(std::uint8_t tag, std::int64_t& out) noexcept {
  auto const before = rest_;
  std::string_view content;
  if (!read(tag, content)) return false;
  if (content.empty() || content.size() > 8) {
    rest_ = before;
    return false;
  }
  std::uint64_t value = (byte_at(content, 0) & 0x80U) != 0 ? ~std::uint64_t{0} : 0;
  for (std::size_t i = 0; i < content.size(); ++i) value = value << 8U | byte_at(content, i);
  out = static_cast<std::int64_t>(value);
  return true;
}

bool Der::read_oid(Oid& out) {
  auto const before = rest_;
  std::string_view content;
  if (read(kOid, content) && parse_oid(content, out)) return true;
  rest_ = before;
  return false;
}

bool Der::read_bits(std::string& out) {
  auto const before = rest_;
  std::string_view content;
  if (!read(kBitString, content)) return false;
  auto const unused = content.empty() ? 8U : byte_at(content, 0);
  if (unused > 7 || (unused > 0 && content.size() == 1)) {
    rest_ = before;
    return false;
  }
  out.assign(content.substr(1));
  if (unused == 0) return true;
  unsigned carried = 0;
  for (auto& c : out) {
    auto const byte = static_cast<std::uint8_t>(c);
    c = static_cast<char>(byte >> unused | carried);
    carried = unsigned{byte} << (8U - unused) & 0xFFU;
  }
  return true;
}

bool parse_oid(std::string_view content, Oid& out) {
  Oid oid;
  std::uint64_t value = 0;
  bool is_inside = false;
  for (std::size_t i = 0; i < content.size(); ++i) {
    auto const byte = byte_at(content, i);
    if (!is_inside && byte == 0x80) return false;  // a leading zero
    value = value << 7U | (byte & 0x7FU);
    if (value > 0x7FFFFFFF) return false;
    is_inside = (byte & 0x80U) != 0;
    if (is_inside) continue;
    auto number = static_cast<std::uint32_t>(value);
    if (oid.empty()) {
      oid.push_back(number < 80 ? number / 40 : 2);
      number -= oid.front() * 40;
    }
    oid.push_back(number);
    value = 0;
  }
  if (is_inside || oid.empty()) return false;
  out = std::move(oid);
  return true;
}

std::string to_text(Oid const& oid) {
  std::string out;
  for (auto const part : oid) {
    if (!out.empty()) out += '.';
    out += std::to_string(part);
  }
  return out;
}

}  // namespace sallyport::rego::crypto
