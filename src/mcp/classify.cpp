#include "src/mcp/classify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace sallyport::mcp {
namespace {

constexpr std::string_view kVersionHeader = "MCP-Protocol-Version";

Refused refuse(json::Value const& id, RpcError const& error, Revision revision) {
  return {error_answer(id, error, revision)};
}

RpcError invalid_request(std::string message) {
  return {code::kInvalidRequest, std::move(message), nullptr, 400};
}

std::string const* header(HeaderSource const* headers, std::string_view name) {
  return headers == nullptr ? nullptr : headers->find(name);
}

bool header_names_modern(HeaderSource const* headers) {
  auto const* version = header(headers, kVersionHeader);
  return version != nullptr && names_modern_era(*version);
}

RpcError unsupported_version(std::string const& requested) {
  json::Array supported;
  supported.emplace_back(to_string(kModern));
  return {code::kUnsupportedVersion, fmt::format("Unsupported protocol version: {}", requested),
          json::Object{{"supported", std::move(supported)}, {"requested", requested}}, 400};
}

// The header rungs of the ladder, in the order in which clients observe them.
std::optional<RpcError> check_headers(HeaderSource const& headers, RequestMessage const& message,
                                      Envelope const& envelope) {
  auto const* version = headers.find(kVersionHeader);
  if (version != nullptr && *version != envelope.version) {
    return header_mismatch("The header MCP-Protocol-Version differs from 'params._meta'.");
  }
  auto const* method = headers.find("Mcp-Method");
  if (method != nullptr && *method != message.method) {
    return header_mismatch("The header Mcp-Method differs from 'method'.");
  }
  if (envelope.version != to_string(kModern)) return unsupported_version(envelope.version);
  if (version == nullptr) return header_mismatch("The header MCP-Protocol-Version is missing.");
  if (method == nullptr) return header_mismatch("The header Mcp-Method is missing.");
  return check_name_header(headers, message.method, message.params);
}

Classified classify_modern(RequestMessage message, HeaderSource const* headers) {
  auto read = read_envelope(message.params);
  if (auto const* error = std::get_if<RpcError>(&read)) return refuse(message.id, *error, kModern);
  auto& envelope = std::get<Envelope>(read);
  if (headers != nullptr) {
    if (auto const error = check_headers(*headers, message, envelope)) {
      return refuse(message.id, *error, kModern);
    }
  } else if (envelope.version != to_string(kModern)) {
    return refuse(message.id, unsupported_version(envelope.version), kModern);
  }
  return ModernRequest{std::move(message), std::move(envelope)};
}

// `initialize` opens a legacy session, unless it carries a whole modern envelope: then it is a
// method that 2026-07-28 does not have.
bool is_legacy_handshake(RequestMessage const& message) {
  if (message.method != "initialize") return false;
  if (!has_version_claim(message.params)) return true;
  auto const envelope = read_envelope(message.params);
  auto const* valid = std::get_if<Envelope>(&envelope);
  return valid == nullptr || !names_modern_era(valid->version);
}

Classified classify_request(RequestMessage message, HeaderSource const* headers) {
  if (is_legacy_handshake(message)) {
    if (header_names_modern(headers)) {
      return refuse(message.id,
                    header_mismatch("'initialize' is a method of older revisions, but the header "
                                    "MCP-Protocol-Version names a newer one."),
                    kModern);
    }
    return LegacyMessage{std::move(message)};
  }
  // `server/discover` exists in the modern era only, so a bare one is a modern request with an
  // incomplete envelope.
  bool const modern = has_version_claim(message.params) || header_names_modern(headers) ||
                      message.method == "server/discover";
  if (modern) return classify_modern(std::move(message), headers);
  return LegacyMessage{std::move(message)};
}

bool carries_claim(json::Value const& element) {
  auto const* object = element.if_object();
  auto const* params = object == nullptr ? nullptr : json::find_object(*object, "params");
  return params != nullptr && has_version_claim(*params);
}

Classified classify_batch(json::Array elements, HeaderSource const* headers) {
  auto const refuse_batch = [](std::string message) {
    return refuse(nullptr, invalid_request(std::move(message)), Revision::V2025_11_25);
  };
  if (elements.empty()) return refuse_batch("The batch is empty.");
  if (elements.size() > kMaxBatch) {
    return refuse_batch(fmt::format("The batch has more than {} messages.", kMaxBatch));
  }
  if (header_names_modern(headers) || std::ranges::any_of(elements, carries_claim)) {
    return refuse(nullptr, invalid_request("2026-07-28 has no batches."), kModern);
  }
  LegacyBatch batch;
  for (auto& element : elements) batch.messages.push_back(read_message(std::move(element)));
  return batch;
}

struct ClassifyOne {
  HeaderSource const* headers;

  Classified operator()(RequestMessage message) const {
    return classify_request(std::move(message), headers);
  }
  Classified operator()(NotificationMessage message) const {
    if (has_version_claim(message.params) || header_names_modern(headers)) {
      return ModernNotification{std::move(message)};
    }
    return LegacyMessage{std::move(message)};
  }
  Classified operator()(ResponseMessage message) const { return LegacyMessage{std::move(message)}; }
  Classified operator()(Malformed message) const {
    auto const revision = header_names_modern(headers) ? kModern : kLatestLegacy;
    return refuse(message.id, invalid_request(std::move(message.message)), revision);
  }
};

}  // namespace

Classified classify(json::Value body, HeaderSource const* headers) {
  if (body.is_array()) return classify_batch(std::move(body.get_array()), headers);
  return std::visit(ClassifyOne{headers}, read_message(std::move(body)));
}

}  // namespace sallyport::mcp
