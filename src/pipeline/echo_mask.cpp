#include "src/pipeline/echo_mask.hpp"

#include "src/base/base64.hpp"
#include "src/http/message.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sallyport::pipeline {
namespace {

constexpr std::size_t kShortestSecret = 8;

bool is_in(std::string_view text, std::string_view secret) noexcept {
  return text.find(secret) != std::string_view::npos;
}

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

enum class HexCase { Upper, Lower };

// As in a query; `blank` is "%20" or "+".
std::string percent_encoded(std::string_view text, HexCase hex, std::string_view blank) {
  std::string out;
  for (char const c : text) {
    auto const byte = static_cast<unsigned char>(c);
    if (is_unreserved(c)) {
      out += c;
    } else if (c == ' ') {
      out += blank;
    } else {
      out += hex == HexCase::Upper ? fmt::format("%{:02X}", byte) : fmt::format("%{:02x}", byte);
    }
  }
  return out;
}

// As in a JSON text; some writers escape the slash too.
std::string json_escaped(std::string_view text, bool slash) {
  std::string out;
  for (char const c : text) {
    if (c == '"' || c == '\\' || (slash && c == '/')) out += '\\';
    if (c == '\t') {
      out += "\\t";
    } else {
      out += c;
    }
  }
  return out;
}

std::string html_escaped(std::string_view text) {
  std::string out;
  for (char const c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

void cover(std::string& text, std::size_t begin, std::size_t end) {
  std::fill(text.begin() + static_cast<std::ptrdiff_t>(begin),
            text.begin() + static_cast<std::ptrdiff_t>(end), '*');
}

}  // namespace

void EchoMask::add(std::string_view value) {
  auto const blank = value.find(' ');
  auto const bare = blank == std::string_view::npos ? value : value.substr(blank + 1);
  add_forms_of(bare);
  if (!http::equals_ignoring_case(value.substr(0, blank), "basic")) return;
  auto const login = base64::decode(bare);
  auto const colon = login ? login->find(':') : std::string::npos;
  if (colon == std::string::npos) return;
  add_forms_of(*login);
  add_forms_of(std::string_view{*login}.substr(colon + 1));
}

void EchoMask::add_forms_of(std::string_view secret) {
  if (secret.size() < kShortestSecret) return;
  // What holds a secret is masked by it. Most tokens look the same in all forms.
  add_form(std::string{secret});
  add_form(percent_encoded(secret, HexCase::Upper, "%20"));
  add_form(percent_encoded(secret, HexCase::Lower, "%20"));
  add_form(percent_encoded(secret, HexCase::Upper, "+"));
  add_form(json_escaped(secret, false));
  add_form(json_escaped(secret, true));
  add_form(html_escaped(secret));
}

void EchoMask::add_form(std::string form) {
  bool const known =
      std::ranges::any_of(secrets_, [&](Secret const& secret) { return secret.reveal() == form; });
  if (!known) secrets_.emplace_back(std::move(form));
}

bool EchoMask::finds_in(std::string_view text) const noexcept {
  return std::ranges::any_of(secrets_,
                             [&](Secret const& secret) { return is_in(text, secret.reveal()); });
}

std::vector<EchoMask::Found> EchoMask::all_in(std::string_view text) const {
  std::vector<Found> all;
  for (auto const& secret : secrets_) {
    std::string_view const wanted = secret.reveal();
    auto const first = all.size();
    for (auto at = text.find(wanted); at != std::string_view::npos;
         at = text.find(wanted, at + 1)) {
      bool const joined = all.size() > first && at <= all.back().end;
      if (joined) {
        all.back().end = at + wanted.size();
      } else {
        all.push_back({at, at + wanted.size()});
      }
    }
  }
  return all;
}

std::size_t EchoMask::beginning_in(std::string_view text) const noexcept {
  auto earliest = text.size();
  for (auto const& secret : secrets_) {
    std::string_view const wanted = secret.reveal();
    // A whole one has been found; here it is about less than that.
    auto at = text.size() < wanted.size() ? 0 : text.size() - wanted.size() + 1;
    for (at = text.find(wanted.front(), at); at < earliest;
         at = text.find(wanted.front(), at + 1)) {
      if (wanted.starts_with(text.substr(at))) earliest = at;
    }
  }
  return earliest;
}

void EchoMask::apply(std::string& text) const {
  for (auto const& [begin, end] : all_in(text)) cover(text, begin, end);
}

std::string EchoStream::pass(std::string piece) {
  if (mask_.secrets_.empty()) return piece;
  auto text = kept_.empty() ? std::move(piece) : kept_ + piece;
  auto const found = mask_.all_in(text);
  auto const keep_from = mask_.beginning_in(text);
  kept_ = text.substr(keep_from);
  cover(text, 0, covered_);
  covered_ = covered_ > keep_from ? covered_ - keep_from : 0;
  for (auto const& [begin, end] : found) {
    cover(text, begin, end);
    // What begins later is found once more.
    if (begin < keep_from && end > keep_from) covered_ = std::max(covered_, end - keep_from);
  }
  text.resize(keep_from);
  return text;
}

std::string EchoStream::finish() {
  auto rest = std::exchange(kept_, {});
  auto const found = mask_.all_in(rest);
  cover(rest, 0, std::exchange(covered_, 0));
  for (auto const& [begin, end] : found) cover(rest, begin, end);
  return rest;
}

void EchoMask::apply(egress::ResponseHead& head) const {
  apply(head.reason);
  if (std::ranges::none_of(head.headers, [&](auto const& field) { return finds_in(field.value); }))
    return;
  http::Headers masked;
  for (auto const& field : head.headers) {
    auto value = field.value;
    apply(value);
    masked.add(field.name, std::move(value));
  }
  head.headers = std::move(masked);
}

}  // namespace sallyport::pipeline
