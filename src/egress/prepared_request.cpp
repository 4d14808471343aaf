#include "src/egress/prepared_request.hpp"

#include "src/http/chars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace sallyport::egress {
namespace {

using http::equals_ignoring_case;

// They say where the message goes and where it ends: the connector alone does.
constexpr std::array<std::string_view, 3> kOwnHeaders{"Host", "Content-Length",
                                                      "Transfer-Encoding"};

// What libcurl would add by itself where the caller has none. A name without a value takes it out.
constexpr std::array<std::string_view, 3> kUnwantedDefaults{"Accept", "Content-Type", "Expect"};

// No blank, no control character: the request line has blanks of its own.
bool is_target(std::string_view target) {
  return target.starts_with('/') && std::ranges::all_of(target, [](char c) {
           auto const byte = static_cast<unsigned char>(c);
           return byte > 0x20 && byte != 0x7F;
         });
}

bool is_own(std::string_view name) {
  return std::ranges::any_of(
      kOwnHeaders, [name](std::string_view own) { return equals_ignoring_case(name, own); });
}

void append_line(std::string& text, std::string_view name, std::string_view value) {
  text.append(name);
  if (value.empty()) {
    text.push_back(';');  // libcurl's spelling of a header without a value
  } else {
    text.append(": ").append(value);
  }
  text.push_back('\0');
}

}  // namespace

Result<void> check_sendable(Dispatch const& dispatch, std::string_view target) {
  auto const& scheme = dispatch.url.scheme();
  if ((scheme != "http" && scheme != "https") || !dispatch.url.host()) {
    return fail(Errc::InvalidInput, "Only http and https URLs can be sent to.");
  }
  // CONNECT would make the origin a tunnel to somewhere that nobody judged.
  if (!http::is_token(dispatch.method) || dispatch.method == "CONNECT") {
    return fail(Errc::InvalidInput, "The method is not one that can be sent.");
  }
  if (dispatch.method == "HEAD" && (!dispatch.body.empty() || dispatch.upload)) {
    return fail(Errc::InvalidInput, "A HEAD request cannot have a body.");
  }
  if (!is_target(target)) return fail(Errc::InvalidInput, "The URL has no path that can be sent.");
  if (dispatch.addresses.all().empty()) {
    return fail(Errc::EgressBlocked, "There is no address to which the request may go.");
  }
  for (auto const& [name, value] : dispatch.headers) {
    // SECURITY: a line break in a value would start another header, or another request.
    if (!http::is_token(name) || !http::is_field_value(value)) {
      return fail(Errc::InvalidInput, "A header of the request is not valid.");
    }
    if (is_own(name)) {
      return fail(Errc::InvalidInput,
                  fmt::format("The header {} is set by the gateway; leave it out.", name));
    }
  }
  return {};
}

bool sends_length(Dispatch const& dispatch) noexcept {
  auto const& method = dispatch.method;
  return !dispatch.body.empty() || method == "POST" || method == "PUT" || method == "PATCH";
}

bool is_idempotent(std::string_view method) noexcept {
  constexpr std::array<std::string_view, 6> kIdempotent{"GET",     "HEAD",  "PUT",
                                                        "OPTIONS", "TRACE", "DELETE"};
  return std::ranges::find(kIdempotent, method) != kIdempotent.end();
}

Result<std::unique_ptr<PreparedRequest>> PreparedRequest::create(Dispatch dispatch) {
  std::unique_ptr<PreparedRequest> request{new PreparedRequest{std::move(dispatch)}};
  SP_CHECK(check_sendable(request->dispatch_, request->target_));
  request->spell_headers();
  return request;
}

PreparedRequest::PreparedRequest(Dispatch dispatch)
    : dispatch_{std::move(dispatch)}, target_{dispatch_.url.target()} {}

void PreparedRequest::spell_headers() {
  origin_ = fmt::format("{}://{}/", dispatch_.url.scheme(), dispatch_.url.authority());
  auto missing = kUnwantedDefaults;
  std::size_t lines = missing.size();
  bool names_encodings = false;
  bool names_range = false;
  for (auto const& [name, value] : dispatch_.headers) {
    append_line(header_text_, name, value);
    ++lines;
    for (auto& other : missing) {
      if (equals_ignoring_case(name, other)) other = {};
    }
    names_encodings = names_encodings || equals_ignoring_case(name, "Accept-Encoding");
    names_range = names_range || equals_ignoring_case(name, "Range");
  }
  decompresses_ = !names_encodings && !names_range;
  // A part of something compressed cannot be decompressed.
  if (names_range && !names_encodings) {
    append_line(header_text_, "Accept-Encoding", "identity");
    ++lines;
  }
  for (auto const name : missing) {
    if (name.empty()) {
      --lines;
    } else {
      header_text_.append(name).append(":").push_back('\0');
    }
  }
  header_lines_.resize(lines);
  auto* line = header_text_.data();
  for (std::size_t i = 0; i < lines; ++i) {
    header_lines_[i] = {line, i + 1 < lines ? &header_lines_[i + 1] : nullptr};
    line += std::string_view{line}.size() + 1;
  }
}

bool PreparedRequest::is_repeatable() const noexcept {
  if (dispatch_.upload && dispatch_.upload->taken() > 0) return false;
  return is_idempotent(dispatch_.method);
}

curl_slist* PreparedRequest::route_to(std::size_t address) {
  auto const& to = dispatch_.addresses.all()[address];
  route_text_ = to.is_v4() ? fmt::format("::{}:{}", to.to_string(), dispatch_.addresses.port())
                           : fmt::format("::[{}]:{}", to.to_string(), dispatch_.addresses.port());
  route_ = {route_text_.data(), nullptr};
  return &route_;
}

}  // namespace sallyport::egress
