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

  json::Object const& capabilities() const noexcept {
    return session ? session->agreement().capabilities : envelope.capabilities;
  }

  json::Value const* progress_token() const { return meta_value(params, meta::kProgressToken); }

  // Who may see what the request leaves behind (a task).
  std::string owner() const {
    return session ? "session " + session->id() : "principal " + context.principal.id;
  }
};

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
