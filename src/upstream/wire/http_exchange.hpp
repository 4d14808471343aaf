// HTTP to one MCP server, by the road out: with its headers and credentials, and a new try where
// the server wants other ones.
#pragma once

#include "src/http/authorizer.hpp"
#include "src/mcp/client/wire.hpp"
#include "src/pipeline/road.hpp"

#include <memory>
#include <string>

namespace sallyport::upstream {

struct HttpServer {
  std::string name;  // for policy and log
  url::Url url;
  http::Headers headers;  // of the settings
  std::vector<egress::Opening> open;
  std::size_t message_bytes{16UL * 1024 * 1024};
};

class HttpExchanger {
 public:
  // All outlive it; `authorizer` may be nothing.
  HttpExchanger(HttpServer server, pipeline::Road& road, http::Authorizer* authorizer)
      : server_{std::move(server)}, road_{road}, authorizer_{authorizer} {}

  HttpServer const& server() const noexcept { return server_; }

  struct Request {
    std::string method{"POST"};
    url::Url url;
    mcp::client::MessageHeaders headers;
    std::string body;
    std::string accept{"application/json, text/event-stream"};
    Deadline deadline;  // of the head; who reads the body bounds that
    RequestContext const* about{nullptr};
  };
  // Resumes with the head of the answer, whatever its status.
  Task<std::unique_ptr<pipeline::OutboundStream>> open(Request const& request);

 private:
  Task<std::unique_ptr<pipeline::OutboundStream>> open_once(Request const& request,
                                                            http::Headers const& credentials);

  HttpServer server_;
  pipeline::Road& road_;
  http::Authorizer* authorizer_;
};

// "application/json; charset=utf-8" → "application/json".
std::string essence_of(http::Headers const& headers);

// The body, to its end. Fails with LimitExceeded where it is longer.
Task<std::string> read_body(pipeline::OutboundStream& stream, std::size_t limit);

}  // namespace sallyport::upstream
