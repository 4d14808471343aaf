#include "src/url/url.hpp"

#include "src/url/schemes.hpp"
#include "src/url/url_parser.hpp"
#include "src/url/utf8.hpp"

#include <algorithm>

namespace sallyport::url {
namespace {

bool is_control_or_space(char c) noexcept {
  return static_cast<unsigned char>(c) <= 0x20;
}

bool is_tab_or_newline(char c) noexcept {
  return c == '\t' || c == '\n' || c == '\r';
}

std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && is_control_or_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_control_or_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string cleaned(std::string_view text) {
  auto out = well_formed(text);
  std::erase_if(out, is_tab_or_newline);
  return out;
}

}  // namespace

Result<Url> Url::parse(std::string_view input, Url const* base) {
  input = trimmed(input);
  auto const is_clean = std::ranges::all_of(
      input, [](char c) { return static_cast<unsigned char>(c) < 0x80 && !is_tab_or_newline(c); });
  if (is_clean) return UrlParser{input, base}.run();
  auto const copy = cleaned(input);
  return UrlParser{copy, base}.run();
}

std::string Url::href() const {
  std::string out;
  out.reserve(scheme_.size() + username_.size() + password_.size() + path_.size() + 24 +
              (host_ ? host_->size() : 0) + (query_ ? query_->size() : 0) +
              (fragment_ ? fragment_->size() : 0));
  out.append(scheme_).push_back(':');
  if (host_) {
    out += "//";
    if (has_credentials()) {
      out += username_;
      if (!password_.empty()) out.append(":").append(password_);
      out.push_back('@');
    }
    out += authority();
  } else if (!opaque_path_ && path_.starts_with("//")) {
    out += "/.";  // or the path would be read as a host
  }
  out += path_;
  if (query_) out.append("?").append(*query_);
  if (fragment_) out.append("#").append(*fragment_);
  return out;
}

std::uint16_t Url::effective_port() const noexcept {
  return port_.value_or(default_port(scheme_));
}

bool Url::is_special() const noexcept {
  return is_special_scheme(scheme_);
}

std::string Url::origin() const {
  if (has_tuple_origin(scheme_)) return scheme_ + "://" + authority();
  if (scheme_ == "blob") {
    auto const inner = parse(path_);
    if (inner && (inner->scheme_ == "http" || inner->scheme_ == "https")) return inner->origin();
  }
  return "null";
}

std::string Url::authority() const {
  auto out = host_.value_or("");
  if (port_) out.append(":").append(std::to_string(*port_));
  return out;
}

std::string Url::target() const {
  return query_ ? path_ + "?" + *query_ : path_;
}

Url Url::without_fragment() const {
  auto copy = *this;
  copy.fragment_.reset();
  return copy;
}

Url Url::without_credentials() const {
  auto copy = *this;
  copy.username_.clear();
  copy.password_.clear();
  return copy;
}

bool same_origin(Url const& left, Url const& right) noexcept {
  if (has_tuple_origin(left.scheme()) && has_tuple_origin(right.scheme())) {
    return left.scheme() == right.scheme() && left.host() == right.host() &&
           left.port() == right.port();
  }
  auto const origin = left.origin();
  return origin != "null" && origin == right.origin();
}

}  // namespace sallyport::url
