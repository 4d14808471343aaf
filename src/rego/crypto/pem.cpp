#include "src/rego/crypto/pem.hpp"

#include "src/rego/crypto/base64.hpp"

namespace sallyport::rego::crypto {
namespace {

constexpr std::string_view kBegin = "-----BEGIN ";
constexpr std::string_view kEnd = "\n-----END ";  // of a line of its own
constexpr std::string_view kDashes = "-----";

// Up to the line's end, without it and the spaces before it; moves behind it.
std::string_view take_line(std::string_view& rest) noexcept {
  auto const end = rest.find('\n');
  auto line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r')) {
    line.remove_suffix(1);
  }
  return line;
}

// Lines with a colon; RFC 1421.
void skip_headers(std::string_view& rest) noexcept {
  while (!rest.empty()) {
    auto after = rest;
    if (take_line(after).find(':') == std::string_view::npos) return;
    rest = after;
  }
}

std::optional<std::string> decode_body(std::string_view body) {
  std::string clean;
  clean.reserve(body.size());
  for (auto const c : body) {
    if (c != ' ' && c != '\t') clean += c;
  }
  auto decoded = decode_base64(clean, Base64::Standard);
  if (!decoded.problem.empty()) return std::nullopt;
  return std::move(decoded.bytes);
}

}  // namespace

std::optional<PemBlock> next_pem_block(std::string_view& rest) {
  // From each END back to the last BEGIN before it: whatever a text holds, each of its bytes is
  // looked at a few times only.
  auto ahead = rest;
  while (true) {
    auto const line_end = ahead.find(kEnd);
    if (line_end == std::string_view::npos) return std::nullopt;
    auto before = ahead.substr(0, line_end + 1);
    ahead.remove_prefix(line_end + kEnd.size());
    auto const begin = before.rfind(kBegin);
    if (begin == std::string_view::npos || (begin > 0 && before[begin - 1] != '\n')) continue;
    before.remove_prefix(begin + kBegin.size());
    auto const type_line = take_line(before);
    if (!type_line.ends_with(kDashes)) continue;
    auto const type = type_line.substr(0, type_line.size() - kDashes.size());
    if (!ahead.starts_with(type) || !ahead.substr(type.size()).starts_with(kDashes)) continue;
    auto after = ahead.substr(type.size() + kDashes.size());
    if (!take_line(after).empty()) continue;
    skip_headers(before);
    auto bytes = decode_body(before);
    if (!bytes) continue;
    rest = after;
    return PemBlock{.type = type, .bytes = std::move(*bytes)};
  }
}

}  // namespace sallyport::rego::crypto
