// What a caller hands to the road out, and what it gets back.
#pragma once

#include "src/audit/call_id.hpp"
#include "src/base/request_context.hpp"
#include "src/base/task.hpp"
#include "src/credentials/injector.hpp"
#include "src/egress/exchange.hpp"
#include "src/egress/guard.hpp"
#include "src/http/message.hpp"
#include "src/url/url.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::pipeline {

enum class Redirects { Follow, Refuse, Manual };

// Who asks and why: for policy, limits and the audit log.
struct Passage {
  std::string call_id{audit::new_call_id(std::chrono::system_clock::now())};  // for all to name
  RequestContext const* request{nullptr};                                     // never null
  std::string operation;  // "fetch", "http_request"; what policy rules name
  std::string purpose;    // the same, or more exactly: "robots"
  std::string tool;
  std::string server;  // the backend's name, where there is one
};

struct OutboundRequest {
  std::string method{"GET"};
  std::string url;  // as the caller wrote it; absolute unless there is a base
  std::optional<url::Url> base;
  // As the caller wrote them. Those that a caller may not set are refused (check_caller_headers).
  http::Headers headers;
  // Their values are bytes, as with fetch() in a browser, and not text.
  bool header_bytes{false};
  std::string body;
  // Instead of `body`: one that is still being made (egress::make_body_pipe). It is sent once only:
  // a redirect other than 303 fails, and a 401 is the answer, whatever credentials there are.
  std::shared_ptr<egress::BodyPipe> upload;

  Redirects redirects{Redirects::Follow};
  std::size_t max_redirects{5};
  std::vector<std::string> schemes{"http", "https"};
  std::size_t request_bytes{10UL * 1024 * 1024};
  std::size_t response_bytes{10UL * 1024 * 1024};  // decompressed
  // The body may fall silent for as long as it likes, as one that is written while things happen.
  bool may_pause{false};
  // Everything, redirects included. Of a stream: until its head, but not while an upload goes on.
  std::chrono::milliseconds timeout{30'000};
  // All of a stream; without one, only the request's own deadline ends it from outside.
  std::optional<std::chrono::milliseconds> stream_timeout;
  // The answer may take as long as `timeout` to begin, whatever the settings say of first bytes: it
  // is not fetched but worked out.
  bool slow_answer{false};
  bool robots{false};                // ask the site's robots.txt first
  bool refuse_event_streams{false};  // see egress::Dispatch
  // Give the beginning of a longer body, instead of failing. Not of a stream: its reader stops.
  bool cut_long_body{false};

  // Rules of the backend, besides those of the whole program. Outlives the call.
  credentials::Injector const* credentials{nullptr};
  // Whether credentials are added at all: neither those rules nor the program's own, where not.
  bool inject{true};
  // The URL stands in the operator's settings and nobody else chose any part of it. Where it
  // redirects to was chosen by somebody else, and is judged as any other URL.
  bool named_by_settings{false};
  // A policy asks for it (http.send), to judge another call, which has passed the limits.
  bool for_policy{false};
  // Holes for hosts that the operator's own settings name (a backend on a private network).
  std::vector<egress::Opening> open;
  // Whether a redirect may go there; without one, anywhere that policy and guard allow.
  std::function<bool(url::Url const&)> may_redirect_to;
  // Called for each hop before injection: headers of the hop (cookies). And with each answer's
  // head.
  std::function<void(url::Url const&, http::Headers&)> before_hop;
  std::function<void(url::Url const&, egress::ResponseHead const&)> after_hop;
};

// A call that ends before the road: refused by whoever would have sent it, or answered from memory.
struct UnsentCall {
  std::string method{"GET"};
  std::string url;  // as far as it is known; it may be no URL at all
  std::optional<Error> refusal;
  std::string reason;    // without a refusal: "served from cache"
  int status{0};         // of the answer, where there is one
  std::string revision;  // of the policies that judged it, where some did
};

struct OutboundAnswer {
  url::Url url;  // the last one asked
  bool redirected{false};
  egress::ResponseHead head;
  std::string body;
  egress::ExchangeStats stats;  // of the last hop
};

}  // namespace sallyport::pipeline
