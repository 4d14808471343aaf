#include "src/tools/http_request/app_request.hpp"

#include "src/http/chars.hpp"
#include "src/pipeline/caller_headers.hpp"
#include "src/tools/http_request/body_encoding.hpp"
#include "src/url/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace sallyport::tools {
namespace {

using http::equals_ignoring_case;

// https://fetch.spec.whatwg.org/#concept-method-normalize: these and no others.
constexpr std::array<std::string_view, 6> kNormalized{"DELETE",  "GET",  "HEAD",
                                                      "OPTIONS", "POST", "PUT"};
constexpr std::array<std::string_view, 3> kForbidden{"CONNECT", "TRACE", "TRACK"};
// Fields that a page may always set
// (https://fetch.spec.whatwg.org/#cors-safelisted-request-header).
constexpr std::array<std::string_view, 4> kSafelisted{"accept", "accept-language",
                                                      "content-language", "content-type"};

bool has_name(auto const& names, std::string_view name) {
  return std::ranges::any_of(
      names, [&](std::string_view each) { return equals_ignoring_case(each, name); });
}

template <class T, std::size_t N>
T choice(json::Object const& arguments, std::string_view key,
         std::array<std::pair<std::string_view, T>, N> const& choices) {
  auto const* text = json::find_string(arguments, key);
  auto const* found = std::ranges::find_if(choices, [&](auto const& each) {
    return text != nullptr && json::view(*text) == each.first;
  });
  return found == choices.end() ? choices.front().second : found->second;
}

std::string string_or(json::Object const& arguments, std::string_view key, std::string_view other) {
  auto const* text = json::find_string(arguments, key);
  return std::string{text == nullptr ? other : json::view(*text)};
}

Result<std::string> read_method(std::string method) {
  if (!http::is_token(method)) {
    return fail(Errc::InvalidInput, "method is not the name of an HTTP method.");
  }
  if (has_name(kForbidden, method)) {
    return fail(Errc::InvalidInput,
                fmt::format("The method {} is forbidden, as in fetch().", method));
  }
  auto const* known = std::ranges::find_if(
      kNormalized, [&](std::string_view each) { return equals_ignoring_case(each, method); });
  return known == kNormalized.end() ? std::move(method) : std::string{*known};
}

Result<void> add_header(std::string_view name, std::string_view value, http::Headers& headers) {
  // As in fetch(): a value is bytes, each written as the character of that number.
  auto const bytes = url::to_latin1(value);
  // SECURITY: here, since each is looked for among the others later on.
  if (headers.size() == pipeline::kMostCallerHeaders) {
    return fail(Errc::LimitExceeded,
                fmt::format("headers has more than {} fields.", pipeline::kMostCallerHeaders));
  }
  if (!http::is_token(name)) {
    return fail(Errc::InvalidInput, "headers has a name that is not the name of a header.");
  }
  if (!bytes) {
    return fail(Errc::InvalidInput,
                fmt::format("The header {} has a character beyond U+00FF in its value.", name));
  }
  auto const text = http::trimmed(*bytes);
  if (!http::is_field_value(text)) {
    return fail(Errc::InvalidInput,
                fmt::format("The header {} has a control character in its value.", name));
  }
  headers.add(std::string{name}, std::string{text});
  return {};
}

// A record, or [name, value] pairs.
Result<http::Headers> read_headers(json::Object const& arguments) {
  http::Headers headers;
  if (auto const* record = json::find_object(arguments, "headers")) {
    for (auto const& member : *record) {
      SP_CHECK(add_header({member.key().data(), member.key().size()},
                          json::view(member.value().get_string()), headers));
    }
  }
  if (auto const* pairs = json::find_array(arguments, "headers")) {
    for (auto const& pair : *pairs) {
      auto const& both = pair.get_array();
      SP_CHECK(
          add_header(json::view(both[0].get_string()), json::view(both[1].get_string()), headers));
    }
  }
  return headers;
}

Result<std::chrono::milliseconds> read_timeout(json::Object const& arguments,
                                               HttpRequestOptions const& options) {
  auto const* value = json::find(arguments, "timeoutMs");
  if (value == nullptr) return options.timeout;
  auto const wanted = value->to_number<double>();
  if (!(wanted > 0)) return fail(Errc::InvalidInput, "timeoutMs must be more than 0.");
  auto const most = static_cast<double>(options.max_timeout.count());
  return std::chrono::milliseconds{static_cast<std::int64_t>(std::ceil(std::min(wanted, most)))};
}

bool may_set(Backend const& backend, std::string_view name) {
  if (pipeline::is_forbidden_for_apps(name) || has_name(backend.denied_headers, name)) return false;
  return backend.allowed_headers.empty() || has_name(backend.allowed_headers, name) ||
         has_name(kSafelisted, name);
}

void set_content_type(EncodedBody const& encoded, http::Headers& headers) {
  bool const has_own = headers.find("content-type") != nullptr;
  if (encoded.content_type.empty() || (has_own && !encoded.replaces_content_type)) return;
  headers.set("Content-Type", encoded.content_type);
}

}  // namespace

Result<AppRequest> read_app_request(json::Object const& arguments,
                                    HttpRequestOptions const& options) {
  using http::CacheMode;
  using pipeline::Redirects;
  static constexpr std::array<std::pair<std::string_view, Redirects>, 3> kRedirects{
      {{"follow", Redirects::Follow}, {"error", Redirects::Refuse}, {"manual", Redirects::Manual}}};
  static constexpr std::array<std::pair<std::string_view, CacheMode>, 6> kCache{
      {{"default", CacheMode::Default},
       {"no-store", CacheMode::NoStore},
       {"reload", CacheMode::Reload},
       {"no-cache", CacheMode::NoCache},
       {"force-cache", CacheMode::ForceCache},
       {"only-if-cached", CacheMode::OnlyIfCached}}};
  static constexpr std::array<std::pair<std::string_view, CredentialsMode>, 3> kCredentials{
      {{"same-origin", CredentialsMode::SameOrigin},
       {"omit", CredentialsMode::Omit},
       {"include", CredentialsMode::Include}}};
  static constexpr std::array<std::pair<std::string_view, ResponseType>, 4> kResponseTypes{
      {{"auto", ResponseType::Auto},
       {"json", ResponseType::Json},
       {"text", ResponseType::Text},
       {"base64", ResponseType::Base64}}};
  AppRequest request;
  SP_TRY(request.method, read_method(string_or(arguments, "method", "GET")));
  request.url = string_or(arguments, "url", "");
  request.backend = string_or(arguments, "backend", "");
  SP_TRY(request.headers, read_headers(arguments));
  request.redirects = choice(arguments, "redirect", kRedirects);
  request.cache = choice(arguments, "cache", kCache);
  request.credentials = choice(arguments, "credentials", kCredentials);
  request.response_type = choice(arguments, "responseType", kResponseTypes);
  SP_TRY(request.timeout, read_timeout(arguments, options));
  request.body = json::find(arguments, "body");
  request.body_type = string_or(arguments, "bodyType", "");
  return request;
}

Result<std::vector<std::string>> filter_headers(Backend const& backend, http::Headers& headers) {
  std::vector<std::string> dropped;
  for (auto const& field : headers) {
    if (!may_set(backend, field.name) && !has_name(dropped, field.name)) {
      dropped.push_back(field.name);
    }
  }
  if (!dropped.empty() && backend.forbidden_headers == ForbiddenHeader::Refuse) {
    return fail(Errc::InvalidInput,
                fmt::format("An app may not set the header {} on a request to {}.", dropped.front(),
                            backend.name));
  }
  for (auto const& name : dropped) headers.erase(name);
  return dropped;
}

Result<std::string> take_body(AppRequest const& request, Backend const& backend,
                              http::Headers& headers) {
  if (request.body == nullptr || request.method == "GET" || request.method == "HEAD") return {""};
  auto const type = request.body_type.empty()
                        ? inferred_type(*request.body)
                        : parse_body_type(request.body_type).value_or(BodyType::None);
  auto const* own = headers.find("content-type");
  SP_TRY(auto encoded, encode_body(*request.body, type, own == nullptr ? "" : *own));
  if (encoded.bytes.size() > backend.request_bytes) {
    return fail(Errc::LimitExceeded,
                fmt::format("The body of {} bytes is larger than the limit of {}; ask the operator "
                            "to raise request_bytes of {}.",
                            encoded.bytes.size(), backend.request_bytes, backend.name));
  }
  if (type != BodyType::None) set_content_type(encoded, headers);
  return std::move(encoded.bytes);
}

}  // namespace sallyport::tools
