#include "src/mcp/envelope.hpp"

#include "src/mcp/message.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>
#include <vector>

namespace sallyport::mcp {
namespace {

RpcError bad_meta(std::string message) {
  auto error = invalid_params(std::move(message));
  error.http_status = 400;
  return error;
}

std::string text_of(json::Object const& params, std::string_view key) {
  auto const* value = meta_value(params, key);
  auto const* text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? std::string{} : std::string{json::view(*text)};
}

}  // namespace

bool has_version_claim(json::Object const& params) {
  return meta_value(params, meta::kProtocolVersion) != nullptr;
}

std::variant<Envelope, RpcError> read_envelope(json::Object const& params) {
  auto const* version = meta_value(params, meta::kProtocolVersion);
  auto const* capabilities = meta_value(params, meta::kClientCapabilities);
  std::vector<std::string_view> missing;
  if (version == nullptr) missing.push_back(meta::kProtocolVersion);
  if (capabilities == nullptr) missing.push_back(meta::kClientCapabilities);
  if (!missing.empty()) {
    return bad_meta(fmt::format("'params._meta' lacks {}.", fmt::join(missing, " and ")));
  }
  if (!version->is_string()) {
    return bad_meta(fmt::format("'params._meta.{}' is not a string.", meta::kProtocolVersion));
  }
  if (!capabilities->is_object()) {
    return bad_meta(fmt::format("'params._meta.{}' is not an object.", meta::kClientCapabilities));
  }
  auto const* info = meta_value(params, meta::kClientInfo);
  if (info != nullptr && !info->is_object()) {
    return bad_meta(fmt::format("'params._meta.{}' is not an object.", meta::kClientInfo));
  }
  Envelope envelope{.version = std::string{json::view(version->get_string())},
                    .capabilities = capabilities->get_object(),
                    .client_info = info == nullptr ? json::Object{} : info->get_object()};
  if (auto const* level = meta_value(params, meta::kLogLevel); level != nullptr) {
    auto const* text = level->if_string();
    envelope.log_level = text == nullptr ? std::nullopt : parse_log_level(json::view(*text));
    if (!envelope.log_level) {
      return bad_meta(fmt::format("'params._meta.{}' is not a log level; one of {}.",
                                  meta::kLogLevel, fmt::join(kLogLevelNames, ", ")));
    }
  }
  return envelope;
}

TraceContext read_trace(json::Object const& params) {
  return {text_of(params, "traceparent"), text_of(params, "tracestate"),
          text_of(params, "baggage")};
}

CallerKind read_caller_kind(json::Object const& params) {
  auto const kind = text_of(params, meta::kCaller);
  if (kind == "app") return CallerKind::App;
  if (kind == "model") return CallerKind::Model;
  return CallerKind::Unknown;
}

}  // namespace sallyport::mcp
