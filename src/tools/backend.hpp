// A backend: an HTTP API that apps may call through `http_request`, as the operator configured it.
#pragma once

#include "src/credentials/injector.hpp"
#include "src/pipeline/limiter.hpp"
#include "src/url/url.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sallyport::tools {

enum class ForbiddenHeader { Drop, Refuse };

struct Backend {
  std::string name;
  url::Url base;                        // relative URLs are appended to its path
  std::vector<std::string> paths{"/"};  // prefixes by whole segments, below `base`
  std::vector<std::string> methods{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"};
  std::vector<std::string> allowed_headers;  // empty: all that are not forbidden
  std::vector<std::string> denied_headers;
  ForbiddenHeader forbidden_headers{ForbiddenHeader::Drop};
  std::size_t request_bytes{10UL * 1024 * 1024};
  std::size_t response_bytes{10UL * 1024 * 1024};  // inline; more needs a stream
  pipeline::Rate rate;                             // of each principal
  std::vector<credentials::Rule> credentials;      // reach is the backend itself
  bool private_network{false};                     // `base` may be on one
};

struct HttpRequestOptions {
  std::vector<Backend> backends;  // the first serves relative URLs that name none
  // Absolute URLs that are allowed besides those below a backend: origins, or prefixes by segment.
  std::vector<url::Url> absolute;
  std::chrono::milliseconds timeout{30'000};
  std::chrono::milliseconds max_timeout{120'000};
  std::size_t max_redirects{20};
  std::size_t cache_bytes_per_principal{8UL * 1024 * 1024};
  std::size_t cookies_per_principal{512};
  std::string user_agent{};  // where an app names none; empty: then none is sent
};

// Of the tools that carry streams; how much a view may have is in stream::Limits.
struct StreamOptions {
  std::size_t inline_bytes{256UL * 1024};         // a longer body is a stream
  std::size_t event_bytes{1024UL * 1024};         // of one server-sent event
  std::size_t message_bytes{16UL * 1024 * 1024};  // of one message of a WebSocket, either way
  std::uint64_t total_bytes{0};                   // of one stream, each way; 0: no end
};

}  // namespace sallyport::tools
