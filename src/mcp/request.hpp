// One request, whichever era it came from.
#pragma once

#include "src/base/request_context.hpp"
#include "src/mcp/envelope.hpp"
#include "src/mcp/header_mirror.hpp"
#include "src/mcp/message.hpp"
#include "src/mcp/revision.hpp"
#include "src/mcp/session.hpp"

#include <memory>
#include <string>

namespace sallyport::mcp {

struct Request {
  json::Value id;
  std::string method;
  json::Object params;
  RequestContext context;
  Revision revision{kModern};
  Envelope envelope;                 // modern
  std::shared_ptr<Session> session;  // legacy
  // Among which requests `id` is unique, so that a notification can cancel this one; empty where
  // none can (modern HTTP: closing the stream cancels).
  std::string cancel_scope;
  HeaderSource const* headers{nullptr};  // valid while the request is being taken in only
  // The values live in storage of the transport, for as long as the request is being taken in.
  bool borrowed{false};

  json::Object const& capabilities() const noexcept {
    return session ? session->agreement().capabilities : envelope.capabilities;
  }

  // What the client says it is: "name/version". Not to be trusted.
  std::string client() const {
    auto const& info = session ? session->agreement().client_info : envelope.client_info;
    auto const* name = json::find_string(info, "name");
    auto const* version = json::find_string(info, "version");
    std::string text{name == nullptr ? std::string_view{} : json::view(*name)};
    if (version != nullptr && !version->empty()) text.append("/").append(json::view(*version));
    return text;
  }

  json::Value const* progress_token() const { return meta_value(params, meta::kProgressToken); }

  // Who may see what the request leaves behind (a task).
  std::string owner() const {
    return session ? "session " + session->id() : "principal " + context.principal.key();
  }
};

// The request with values of its own, for a call that outlives the taking in.
inline Request owned(Request request) {
  if (!request.borrowed) return request;
  json::Storage const own;
  auto& envelope = request.envelope;
  return {.id = json::Value(request.id, own),
          .method = std::move(request.method),
          .params = json::Object(request.params, own),
          .context = std::move(request.context),
          .revision = request.revision,
          .envelope = {.version = std::move(envelope.version),
                       .capabilities = json::Object(envelope.capabilities, own),
                       .client_info = json::Object(envelope.client_info, own),
                       .log_level = envelope.log_level},
          .session = std::move(request.session),
          .cancel_scope = std::move(request.cancel_scope)};
}

// A modern request as the classifier found it.
inline Request modern_request(RequestMessage message, Envelope envelope, RequestContext context) {
  Request request{.id = std::move(message.id),
                  .method = std::move(message.method),
                  .params = std::move(message.params),
                  .context = std::move(context),
                  .envelope = std::move(envelope)};
  return request;
}

inline Request legacy_request(RequestMessage message, std::shared_ptr<Session> session,
                              RequestContext context) {
  Request request{.id = std::move(message.id),
                  .method = std::move(message.method),
                  .params = std::move(message.params),
                  .context = std::move(context),
                  .revision = session->agreement().revision};
  request.cancel_scope = session->id();
  request.session = std::move(session);
  return request;
}

}  // namespace sallyport::mcp
