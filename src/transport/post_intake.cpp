#include "src/transport/post_intake.hpp"

#include "src/json/parse.hpp"
#include "src/transport/batch.hpp"
#include "src/transport/plain_response.hpp"
#include "src/transport/trace.hpp"

#include <boost/json/monotonic_resource.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace sallyport::transport {
namespace {

constexpr std::string_view kVersionHeader = "MCP-Protocol-Version";

// Up to here a message is parsed into the frame of take(), and a call that outlives it takes a
// copy: cheaper than counting references. A larger one has storage of its own and is never copied.
constexpr std::size_t kSmallBody = 8 * 1024;

class RequestHeaders final : public mcp::HeaderSource {
 public:
  explicit RequestHeaders(http::Headers const& headers) : headers_{headers} {}
  std::string const* find(std::string_view name) const override { return headers_.find(name); }

 private:
  http::Headers const& headers_;
};

http::Response refusal(int status, std::string message) {
  mcp::RpcError const error{mcp::code::kInvalidRequest, std::move(message), nullptr, status};
  return to_response(mcp::error_answer(nullptr, error, mcp::kLatestLegacy));
}

http::Response parse_failure(Error const& failure, mcp::HeaderSource const& headers) {
  auto const* version = headers.find(kVersionHeader);
  bool const modern = version != nullptr && mcp::names_modern_era(*version);
  mcp::RpcError const error{mcp::code::kParseError, failure.message, nullptr, 400};
  return to_response(mcp::error_answer(nullptr, error, modern ? mcp::kModern : mcp::kLatestLegacy));
}

http::Response accepted_response() {
  return {.status = 202};
}

RequestContext context_of(http::ServerRequest const& request, json::Object const& params,
                          Principal const& principal) {
  return {.request_id = request.request_id,
          .principal = principal,
          .trace = trace_of(request.headers, mcp::read_trace(params))};
}

// A batch is several requests with one storage between them.
bool may_be_batch(std::string_view body) {
  auto const first = body.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && body[first] == '[';
}

}  // namespace

http::Response to_response(mcp::Answer answer) {
  return json_response(answer.http_status, std::move(answer.body));
}

PostIntake::Taken PostIntake::take(http::ServerRequest& request, Principal const& principal,
                                   Accepts accepted, PostOutlet& outlet) {
  if (!has_json_body(request.headers)) {
    return error_response(415, "Content-Type must be application/json.");
  }
  if (!accepted.json && !accepted.stream) {
    return error_response(406, "Accept must allow application/json or text/event-stream.");
  }
  bool const borrowed = request.body.size() <= kSmallBody && !may_be_batch(request.body);
  std::array<unsigned char, 4096> buffer;  // NOLINT: only what is used is written
  boost::json::monotonic_resource arena{buffer.data(), buffer.size()};
  auto const storage = borrowed
                           ? json::Storage{&arena}
                           : boost::json::make_shared_resource<boost::json::monotonic_resource>();
  RequestHeaders const headers{request.headers};
  auto body = json::parse(request.body, storage, {.depth = options_.json_depth});
  if (!body) return parse_failure(body.error(), headers);

  Posted const posted{request, principal, accepted, borrowed};
  auto classified = mcp::classify(std::move(*body), &headers);
  if (auto* modern = std::get_if<mcp::ModernRequest>(&classified)) {
    return take_modern(std::move(*modern), posted, outlet);
  }
  if (auto* legacy = std::get_if<mcp::LegacyMessage>(&classified)) {
    return take_legacy(std::move(*legacy), posted);
  }
  if (auto* batch = std::get_if<mcp::LegacyBatch>(&classified)) {
    return take_batch(std::move(*batch), posted);
  }
  if (auto* refused = std::get_if<mcp::Refused>(&classified)) {
    return to_response(std::move(refused->answer));
  }
  return accepted_response();  // a modern notification
}

PostIntake::Taken PostIntake::take_modern(mcp::ModernRequest request, Posted const& posted,
                                          PostOutlet& outlet) {
  RequestHeaders const headers{posted.http.headers};
  auto about = context_of(posted.http, request.message.params, posted.principal);
  auto taken = mcp::modern_request(std::move(request.message), std::move(request.envelope),
                                   std::move(about));
  taken.headers = &headers;
  taken.borrowed = posted.borrowed;
  dispatcher_.handle(std::move(taken), outlet);
  return InOutlet{};
}

std::variant<std::shared_ptr<mcp::Session>, http::Response> PostIntake::find_session(
    http::Headers const& headers, Principal const& principal) {
  auto const* version = headers.find(kVersionHeader);
  if (version != nullptr && !mcp::parse_revision(*version)) {
    return refusal(400, "The header MCP-Protocol-Version is not supported.");
  }
  auto const* id = headers.find(kSessionHeader);
  if (id == nullptr) {
    return refusal(400, "The header Mcp-Session-Id is missing. Send 'initialize' first.");
  }
  auto session = dispatcher_.sessions().find(*id);
  // SECURITY: a session belongs to who opened it; others learn nothing of it.
  if (!session || session->agreement().principal != principal.key()) {
    return refusal(404, "There is no such session.");
  }
  session->touch();
  return session;
}

http::Response PostIntake::initialize(mcp::RequestMessage const& message,
                                      Principal const& principal) {
  auto opened = dispatcher_.open_session(message, principal);
  auto response = to_response(std::move(opened.answer));
  if (opened.session) response.headers.add(std::string{kSessionHeader}, opened.session->id());
  return response;
}

std::unique_ptr<EventStream> PostIntake::make_stream(std::shared_ptr<mcp::Session> const& session,
                                                     Accepts accepted) {
  auto stream = store_.make(session);
  if (!accepted.stream) stream->forbid_streaming();
  if (!accepted.json) stream->begin_streaming();
  return stream;
}

PostIntake::Taken PostIntake::take_legacy(mcp::LegacyMessage message, Posted const& posted) {
  auto* const request = std::get_if<mcp::RequestMessage>(&message.message);
  if (request != nullptr && request->method == "initialize") {
    return initialize(*request, posted.principal);
  }
  auto found = find_session(posted.http.headers, posted.principal);
  if (auto* refused = std::get_if<http::Response>(&found)) return std::move(*refused);
  auto const& session = std::get<std::shared_ptr<mcp::Session>>(found);
  if (auto* reply = std::get_if<mcp::ResponseMessage>(&message.message)) {
    dispatcher_.server().deliver_reply(session->id(), std::move(*reply));
    return accepted_response();
  }
  if (auto const* notification = std::get_if<mcp::NotificationMessage>(&message.message)) {
    dispatcher_.handle_notification(*notification, session->id());
    return accepted_response();
  }
  auto stream = make_stream(session, posted.accepted);
  auto about = context_of(posted.http, request->params, posted.principal);
  auto taken = mcp::legacy_request(std::move(*request), session, std::move(about));
  taken.borrowed = posted.borrowed;
  dispatcher_.handle(std::move(taken), *stream);
  return stream;
}

PostIntake::Taken PostIntake::take_batch(mcp::LegacyBatch batch, Posted const& posted) {
  auto found = find_session(posted.http.headers, posted.principal);
  if (auto* refused = std::get_if<http::Response>(&found)) return std::move(*refused);
  auto const& session = std::get<std::shared_ptr<mcp::Session>>(found);
  if (!mcp::has_batching(session->agreement().revision)) {
    return refusal(400, "This protocol version has no batches.");
  }
  bool const asks = std::ranges::any_of(batch.messages, [](mcp::Message const& message) {
    return std::holds_alternative<mcp::RequestMessage>(message) ||
           std::holds_alternative<mcp::Malformed>(message);
  });
  // What wants no answer gets none: not even an empty stream.
  auto stream = make_stream(session, {posted.accepted.json || !asks, posted.accepted.stream});
  auto const about = context_of(posted.http, {}, posted.principal);
  stream->keep(start_batch(dispatcher_, std::move(batch), session, about, *stream));
  return stream;
}

}  // namespace sallyport::transport
