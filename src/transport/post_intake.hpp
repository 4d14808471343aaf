// What becomes of a POST, decided without waiting: parsed, told apart, checked, and started.
#pragma once

#include "src/mcp/classify.hpp"
#include "src/mcp/dispatcher.hpp"
#include "src/transport/event_store.hpp"
#include "src/transport/negotiation.hpp"
#include "src/transport/options.hpp"
#include "src/transport/post_outlet.hpp"

#include <memory>
#include <optional>
#include <string_view>
#include <variant>

namespace sallyport::transport {

inline constexpr std::string_view kSessionHeader = "Mcp-Session-Id";

class PostIntake {
 public:
  PostIntake(mcp::Dispatcher& dispatcher, HttpOptions const& options, EventStore& store)
      : dispatcher_{dispatcher}, options_{options}, store_{store} {}

  // The outlet answers (modern requests), a stream does (legacy requests), or this is the answer.
  struct InOutlet {};
  using Taken = std::variant<InOutlet, std::unique_ptr<EventStream>, http::Response>;

  Taken take(http::ServerRequest& request, Principal const& principal, Accepts accepted,
             PostOutlet& outlet);

  // The session that a request names, or why there is none.
  std::variant<std::shared_ptr<mcp::Session>, http::Response> find_session(
      http::Headers const& headers, Principal const& principal);

 private:
  // Everything about the request that the branches need.
  struct Posted {
    http::ServerRequest const& http;
    Principal const& principal;
    Accepts accepted;
    bool borrowed;  // the message lives in the frame of take()
  };

  Taken take_modern(mcp::ModernRequest request, Posted const& posted, PostOutlet& outlet);
  Taken take_legacy(mcp::LegacyMessage message, Posted const& posted);
  Taken take_batch(mcp::LegacyBatch batch, Posted const& posted);
  http::Response initialize(mcp::RequestMessage const& message, Principal const& principal);
  std::unique_ptr<EventStream> make_stream(std::shared_ptr<mcp::Session> const& session,
                                           Accepts accepted);

  mcp::Dispatcher& dispatcher_;
  HttpOptions const& options_;
  EventStore& store_;
};

http::Response to_response(mcp::Answer answer);

}  // namespace sallyport::transport
