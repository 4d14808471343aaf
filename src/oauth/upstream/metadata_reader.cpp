#include "src/oauth/upstream/metadata_reader.hpp"

#include "src/http/chars.hpp"
#include "src/json/parse.hpp"
#include "src/oauth/upstream/secure_url.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sallyport::oauth::upstream {
namespace {

constexpr std::size_t kLargestDocument = 64UL * 1024;
constexpr int kMostRedirects = 3;
// Servers of 2025-03-26 may want to know (its section on metadata discovery).
constexpr std::string_view kProtocolVersion = "2026-07-28";

Error unusable(std::string_view why, std::string detail = {}) {
  return fail(Errc::CredentialUnavailable,
              fmt::format("The server's metadata cannot be used: {}.", why), std::move(detail));
}

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

Result<url::Url> redirect_target(http::Response const& answer, url::Url const& from) {
  auto const* const location = answer.headers.find("Location");
  if (location == nullptr) return unusable("a redirect leads nowhere", shown(from));
  auto const target = url::Url::parse(*location, &from);
  if (!target) return unusable("a redirect leads nowhere", shown(from));
  SP_TRY(auto secure, secure_url(target->without_fragment().href(), "redirect"));
  // SECURITY: what began on a safe wire ends on one.
  if (from.scheme() == "https" && secure.scheme() != "https") {
    return unusable("it is redirected from https to http", shown(from));
  }
  return secure;
}

// How many members the object that begins `text` has, twins included. Only for text that was parsed
// before.
std::size_t members_in(std::string_view text) {
  std::size_t members = 0;
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    char const c = text[at];
    if (c == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
    } else if (c == ':' && depth == 1) {
      ++members;
    }
  }
  return members;
}

}  // namespace

bool is_json_type(std::string_view content_type) noexcept {
  auto const type = http::trimmed(content_type.substr(0, content_type.find(';')));
  constexpr std::string_view kSuffix = "+json";
  return http::equals_ignoring_case(type, "application/json") ||
         (type.size() > kSuffix.size() &&
          http::equals_ignoring_case(type.substr(type.size() - kSuffix.size()), kSuffix));
}

Result<json::Object> unambiguous_object(std::string_view text) {
  auto document = json::parse(text, {}, {.depth = 16});
  // The parser's message could quote the document; it stays here.
  if (!document || !document->is_object()) return unusable("it is not a JSON object");
  auto& object = document->get_object();
  if (members_in(text) != object.size()) return unusable("a member is there twice");
  return std::move(object);
}

std::nullopt_t MetadataReader::absent(std::string why) {
  absence_ = std::move(why);
  return std::nullopt;
}

Task<http::Response> MetadataReader::get(url::Url const& address) {
  if (requests_left_-- <= 0) co_return unusable("it takes too many requests", shown(address));
  http::ClientRequest request{.url = address.href(),
                              .headers = {{"Accept", "application/json"},
                                          {"MCP-Protocol-Version", std::string{kProtocolVersion}}},
                              .deadline = deadline_,
                              .max_response_bytes = kLargestDocument};
  co_return co_await client_.send(std::move(request));
}

Task<std::optional<json::Object>> MetadataReader::read(url::Url address) {
  for (int redirects = 0; redirects <= kMostRedirects; ++redirects) {
    SP_CO_TRY(auto const answer, co_await get(address));
    if (is_redirect(answer.status)) {
      SP_CO_TRY(address, redirect_target(answer, address));
      continue;
    }
    if (answer.status >= 400 && answer.status < 500) {
      co_return absent(fmt::format("{}: status {}", shown(address), answer.status));
    }
    if (answer.status != 200) {
      co_return unusable(fmt::format("its server answers with status {}", answer.status),
                         shown(address));
    }
    if (!is_json_type(answer.content_type)) {
      co_return absent(fmt::format("{}: not JSON", shown(address)));
    }
    // A client that reads on past the limit is no reason for us to parse it.
    if (answer.body.size() > kLargestDocument) {
      co_return unusable("it is too large", shown(address));
    }
    SP_CO_TRY(auto object, unambiguous_object(answer.body));
    co_return std::optional{std::move(object)};
  }
  co_return unusable("it is redirected too often", shown(address));
}

}  // namespace sallyport::oauth::upstream
