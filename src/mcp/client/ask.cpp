#include "src/mcp/client/ask.hpp"

#include "src/json/write.hpp"
#include "src/mcp/envelope.hpp"

#include <array>
#include <utility>

namespace sallyport::mcp::client {
namespace {

constexpr std::array<std::string_view, 6> kOurs{meta::kProtocolVersion, meta::kClientCapabilities,
                                                meta::kClientInfo,      meta::kLogLevel,
                                                meta::kProgressToken,   meta::kSubscriptionId};

// What somebody else's request said about itself is not true of ours.
json::Object meta_of(Ask const& ask, std::int64_t id, Agreement const& agreement,
                     json::Object const& client_info) {
  auto const* const given = json::find_object(ask.params, "_meta");
  json::Object made = given == nullptr ? json::Object{} : *given;
  for (auto const key : kOurs) made.erase(key);
  if (ask.wants_progress) made[meta::kProgressToken] = id;
  if (!is_modern(agreement.revision)) return made;
  made[meta::kProtocolVersion] = to_string(agreement.revision);
  made[meta::kClientCapabilities] = ask.capabilities;
  made[meta::kClientInfo] = client_info;
  if (ask.log_level) made[meta::kLogLevel] = to_string(*ask.log_level);
  return made;
}

MessageHeaders headers_of(Ask const& ask, Agreement const& agreement) {
  auto headers = session_headers(agreement);
  if (!is_modern(agreement.revision)) return headers;
  headers.emplace_back("Mcp-Method", ask.method);
  auto const member = mirrored_name_member(ask.method);
  if (member.empty()) return headers;
  if (auto const* const name = json::find_string(ask.params, member)) {
    headers.emplace_back("Mcp-Name", encode_header_value(json::view(*name)));
  }
  auto const* const arguments = json::find_object(ask.params, "arguments");
  if (ask.mirrored == nullptr || arguments == nullptr) return headers;
  for (auto& each : parameter_headers(*ask.mirrored, *arguments))
    headers.push_back(std::move(each));
  return headers;
}

// With another `_meta` than they have, and without a copy: they may be large.
void write_params(json::Object const& params, json::Object const& about, std::string& text) {
  std::string_view separator = R"(,"params":{)";
  auto const write_member = [&](std::string_view name) {
    text += std::exchange(separator, ",");
    json::write_string(name, text);
    text += ':';
  };
  for (auto const& [name, value] : params) {
    if (name == "_meta") continue;  // see `about`
    write_member({name.data(), name.size()});
    json::write(value, text);
  }
  if (!about.empty()) {
    write_member("_meta");
    json::write(about, text);
  }
  if (separator == ",") text += '}';
}

Post post_of(std::string message, Agreement const& agreement) {
  return {.message = std::move(message), .id = nullptr, .headers = session_headers(agreement)};
}

}  // namespace

MessageHeaders session_headers(Agreement const& agreement) {
  MessageHeaders headers{{"MCP-Protocol-Version", std::string{to_string(agreement.revision)}}};
  if (!agreement.session.empty()) headers.emplace_back("Mcp-Session-Id", agreement.session);
  return headers;
}

Post write_ask(Ask const& ask, std::int64_t id, Agreement const& agreement,
               json::Object const& client_info) {
  std::string text = R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":)";
  json::write_string(ask.method, text);
  write_params(ask.params, meta_of(ask, id, agreement, client_info), text);
  text += '}';
  return {.message = std::move(text),
          .id = id,
          .headers = headers_of(ask, agreement),
          .about = ask.about};
}

Post write_notification(std::string_view method, json::Object params, Agreement const& agreement) {
  return post_of(notification(method, std::move(params)), agreement);
}

Post write_reply(json::Value const& id, json::Object const& result, Agreement const& agreement) {
  return post_of(result_answer(id, json::to_text(result)).body, agreement);
}

Post write_refusal(json::Value const& id, RpcError const& error, Agreement const& agreement) {
  return post_of(error_answer(id, error, agreement.revision).body, agreement);
}

}  // namespace sallyport::mcp::client
