#include "src/pipeline/caller_headers.hpp"

#include "src/http/chars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace sallyport::pipeline {
namespace {

using http::equals_ignoring_case;

struct Reserved {
  std::string_view name;  // with a '*' at its end: every name that starts so
  std::string_view why;
};

constexpr std::string_view kTarget = "it follows from the URL";
constexpr std::string_view kFraming = "it says where a message ends, which is decided here";
constexpr std::string_view kConnection = "it is about the connection, which is not the caller's";
constexpr std::string_view kProxy = "it speaks to or for a proxy";
constexpr std::string_view kBrowser = "servers trust that only a browser sets it";
constexpr std::string_view kMetadata = "it opens the metadata services of clouds";
constexpr std::string_view kOverride =
    "it replaces the request's method, which rules decide about: use that method";

constexpr std::array kReserved = {
    Reserved{"host", kTarget},
    Reserved{":*", kTarget},
    Reserved{"content-length", kFraming},
    Reserved{"transfer-encoding", kFraming},
    Reserved{"trailer", kFraming},
    Reserved{"te", kFraming},
    Reserved{"connection", kConnection},
    Reserved{"keep-alive", kConnection},
    Reserved{"upgrade", kConnection},
    Reserved{"expect", kConnection},
    Reserved{"http2-settings", kConnection},
    Reserved{"alt-used", kConnection},
    Reserved{"proxy-*", kProxy},
    Reserved{"via", kProxy},
    Reserved{"forwarded", kProxy},
    Reserved{"x-forwarded", kProxy},
    Reserved{"x-forwarded-*", kProxy},
    Reserved{"x-original-*", kProxy},
    Reserved{"x-rewrite-url", kProxy},
    Reserved{"x-real-ip", kProxy},
    Reserved{"x-client-ip", kProxy},
    Reserved{"x-cluster-client-ip", kProxy},
    Reserved{"true-client-ip", kProxy},
    Reserved{"cf-connecting-ip", kProxy},
    Reserved{"x-envoy-*", kProxy},
    Reserved{"sec-*", kBrowser},
    Reserved{"metadata", kMetadata},         // Azure
    Reserved{"metadata-flavor", kMetadata},  // Google
    Reserved{"x-google-metadata-request", kMetadata},
    Reserved{"x-aws-ec2-metadata-token*", kMetadata},
    Reserved{"x-metadata-token*", kMetadata},  // Alibaba, Tencent and others
    Reserved{"x-aliyun-ecs-metadata-token*", kMetadata},
    Reserved{"x-identity-header", kMetadata},  // Azure's managed identities
    Reserved{"x-http-method", kOverride},
    Reserved{"x-http-method-override", kOverride},
    Reserved{"x-method-override", kOverride},
};

constexpr std::array<std::string_view, 4> kCredentials = {"authorization", "cookie", "cookie2",
                                                          "set-cookie"};

// What a request is about, in words that every site may hear.
constexpr std::array<std::string_view, 10> kSafe = {"accept",        "accept-language",
                                                    "user-agent",    "content-language",
                                                    "content-type",  "content-encoding",
                                                    "cache-control", "if-modified-since",
                                                    "range",         "dnt"};

bool among(auto const& names, std::string_view name) noexcept {
  return std::ranges::any_of(
      names, [&](std::string_view known) { return equals_ignoring_case(known, name); });
}

bool holds(std::string_view pattern, std::string_view name) noexcept {
  if (!pattern.ends_with('*')) return equals_ignoring_case(pattern, name);
  pattern.remove_suffix(1);
  return equals_ignoring_case(pattern, name.substr(0, pattern.size()));
}

std::optional<std::string_view> why_reserved(std::string_view name) noexcept {
  auto const found = std::ranges::find_if(
      kReserved, [&](Reserved const& reserved) { return holds(reserved.name, name); });
  if (found == kReserved.end()) return std::nullopt;
  return found->why;
}

std::optional<std::string_view> why_unsendable(std::string_view value, bool bytes) noexcept {
  for (char const c : value) {
    auto const byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 && !bytes) return "only ASCII characters can be sent: encode the value";
    if (c == '\r' || c == '\n') return "a line break would start another header";
    if (!http::is_field_value_char(c)) return "control characters cannot be sent";
  }
  return std::nullopt;
}

// Of a name that is no token: what can be shown of it.
std::string shown(std::string_view name) {
  std::string out;
  for (char const c : name.substr(0, 60)) out += c >= ' ' && c < 0x7F ? c : '?';
  return out;
}

Result<void> check(http::Headers::Field const& field, CallerHeaderRules rules) {
  auto const refused = [&](std::string_view verb, std::string_view why) {
    return fail(Errc::InvalidInput,
                fmt::format("The header \"{}\" {}: {}.", shown(field.name), verb, why));
  };
  if (auto const why = why_reserved(field.name)) return refused("cannot be set by a caller", *why);
  if (!http::is_token(field.name)) {
    return refused("has no valid name", "letters, digits and !#$%&'*+-.^_`|~ are allowed");
  }
  if (auto const why = why_unsendable(field.value, rules.bytes)) {
    return refused("has no valid value", *why);
  }
  if (!rules.credentials && among(kCredentials, field.name)) {
    return refused("cannot be set here", "credentials are added by the operator's rules");
  }
  return {};
}

}  // namespace

Result<void> check_caller_headers(http::Headers const& headers, CallerHeaderRules rules) {
  std::size_t bytes = 0;
  for (auto const& field : headers) bytes += field.name.size() + field.value.size();
  if (headers.size() > kMostCallerHeaders || bytes > kMostCallerHeaderBytes) {
    return fail(Errc::LimitExceeded,
                fmt::format("The request has {} headers of {} bytes; at most {} of {} bytes are "
                            "allowed.",
                            headers.size(), bytes, kMostCallerHeaders, kMostCallerHeaderBytes));
  }
  for (auto const& field : headers) SP_CHECK(check(field, rules));
  return {};
}

bool is_forbidden_for_apps(std::string_view name) noexcept {
  return why_reserved(name).has_value() || among(kCredentials, name);
}

bool survives_cross_origin(std::string_view name) noexcept {
  return among(kSafe, name);
}

}  // namespace sallyport::pipeline
