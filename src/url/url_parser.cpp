#include "src/url/url_parser.hpp"

#include "src/url/ascii.hpp"
#include "src/url/percent_encode.hpp"
#include "src/url/schemes.hpp"

#include <algorithm>

namespace sallyport::url {
namespace {

PathScheme kind_of(std::string_view scheme) noexcept {
  if (scheme == "file") return PathScheme::File;
  return is_special_scheme(scheme) ? PathScheme::Special : PathScheme::Other;
}

bool is_scheme_character(char c) noexcept {
  return is_alpha(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
}

}  // namespace

Result<Url> UrlParser::run() && {
  SP_CHECK(scheme_start());
  return std::move(url_);
}

bool UrlParser::next_is_slash() const noexcept {
  return next_is('/') || (kind_ != PathScheme::Other && next_is('\\'));
}

Result<void> UrlParser::scheme_start() {
  if (input_.empty() || !is_alpha(input_.front())) return no_scheme();
  auto const* const end = std::ranges::find_if_not(input_, is_scheme_character);
  if (end == input_.end() || *end != ':') return no_scheme();
  auto const scheme = input_.substr(0, static_cast<std::size_t>(end - input_.begin()));
  url_.scheme_.resize(scheme.size());
  std::ranges::transform(scheme, url_.scheme_.begin(), to_lower);
  kind_ = kind_of(url_.scheme_);
  at_ = scheme.size() + 1;
  return after_scheme();
}

Result<void> UrlParser::after_scheme() {
  if (kind_ == PathScheme::File) return file();
  if (kind_ == PathScheme::Special) {
    auto const is_relative =
        base_ != nullptr && base_->scheme_ == url_.scheme_ && !rest().starts_with("//");
    return is_relative ? relative() : authority_after_slashes();
  }
  if (rest().starts_with("//")) {
    at_ += 2;
    return authority();
  }
  if (next_is('/')) {
    ++at_;
    path();
  } else {
    opaque_path();
  }
  return {};
}

Result<void> UrlParser::no_scheme() {
  if (base_ == nullptr) {
    return fail(Errc::InvalidInput,
                "The URL has no scheme: write it in full, like https://example.com/.");
  }
  url_.scheme_ = base_->scheme_;
  kind_ = kind_of(url_.scheme_);
  if (base_->opaque_path_) {
    if (!next_is('#')) {
      return fail(Errc::InvalidInput, "The URL is relative, and " + base_->scheme_ + ":" +
                                          " URLs cannot be the base of one.");
    }
    url_.path_ = base_->path_;
    url_.opaque_path_ = true;
    url_.query_ = base_->query_;
    fragment();
    return {};
  }
  return kind_ == PathScheme::File ? file() : relative();
}

void UrlParser::take_authority_of_base() {
  url_.username_ = base_->username_;
  url_.password_ = base_->password_;
  url_.host_ = base_->host_;
  url_.address_ = base_->address_;
  url_.port_ = base_->port_;
}

Result<void> UrlParser::relative() {
  if (next_is_slash()) {
    ++at_;
    return relative_slash();
  }
  take_authority_of_base();
  url_.path_ = base_->path_;
  if (is_at_end() || next_is('#')) url_.query_ = base_->query_;
  if (is_at_end() || next_is('?') || next_is('#')) {
    query_and_fragment();
    return {};
  }
  shorten(url_.path_, kind_);
  path();
  return {};
}

Result<void> UrlParser::relative_slash() {
  if (kind_ != PathScheme::Other && next_is_slash()) return authority_after_slashes();
  if (next_is('/')) {
    ++at_;
    return authority();
  }
  take_authority_of_base();
  path();
  return {};
}

Result<void> UrlParser::authority_after_slashes() {
  while (next_is_slash()) ++at_;
  return authority();
}

Result<void> UrlParser::file() {
  url_.host_.emplace();
  if (next_is_slash()) {
    ++at_;
    return file_slash();
  }
  if (base_ == nullptr || base_->scheme_ != "file") {
    path();
    return {};
  }
  url_.host_ = base_->host_;
  url_.address_ = base_->address_;
  url_.path_ = base_->path_;
  if (is_at_end() || next_is('#')) url_.query_ = base_->query_;
  if (is_at_end() || next_is('?') || next_is('#')) {
    query_and_fragment();
    return {};
  }
  if (starts_with_drive_letter(rest())) {
    url_.path_.clear();
  } else {
    shorten(url_.path_, kind_);
  }
  path();
  return {};
}

Result<void> UrlParser::file_slash() {
  if (next_is_slash()) {
    ++at_;
    return file_host();
  }
  if (base_ != nullptr && base_->scheme_ == "file") {
    url_.host_ = base_->host_;
    url_.address_ = base_->address_;
    if (!starts_with_drive_letter(rest())) url_.path_ = drive_of(base_->path_);
  }
  path();
  return {};
}

Result<void> UrlParser::file_host() {
  auto const host = rest().substr(0, rest().find_first_of("/\\?#"));
  if (is_drive_letter(host)) {
    path();
    return {};
  }
  at_ += host.size();
  if (!host.empty()) {
    SP_CHECK(set_host(host));
    if (url_.host_ == "localhost") url_.host_.emplace();
  }
  path_start();
  return {};
}

void UrlParser::path_start() {
  if (kind_ == PathScheme::Other && !next_is('/')) {
    query_and_fragment();
    return;
  }
  if (next_is_slash()) ++at_;
  path();
}

void UrlParser::path() {
  url_.path_.reserve(url_.path_.size() + rest().size() + 1);
  at_ += append_segments(url_.path_, rest(), kind_);
  query_and_fragment();
}

void UrlParser::opaque_path() {
  url_.opaque_path_ = true;
  auto text = rest().substr(0, rest().find_first_of("?#"));
  at_ += text.size();
  // The last space is encoded, so that it is not lost when what follows is removed one day.
  auto const ends_in_space = text.ends_with(' ') && !is_at_end();
  if (ends_in_space) text.remove_suffix(1);
  append_encoded(url_.path_, text, kControlSet);
  if (ends_in_space) url_.path_ += "%20";
  query_and_fragment();
}

void UrlParser::query_and_fragment() {
  if (next_is('?')) {
    auto const text = rest().substr(1, rest().find('#') - 1);
    append_encoded(url_.query_.emplace(), text,
                   kind_ == PathScheme::Other ? kQuerySet : kSpecialQuerySet);
    at_ += 1 + text.size();
  }
  fragment();
}

void UrlParser::fragment() {
  if (next_is('#')) append_encoded(url_.fragment_.emplace(), rest().substr(1), kFragmentSet);
}

}  // namespace sallyport::url
