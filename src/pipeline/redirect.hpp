// Where a redirect leads: the next request, made of the one before and of the answer to it
// (https://fetch.spec.whatwg.org/#http-redirect-fetch). Nothing is sent here, and what comes out
// has yet to pass policy and guard like any other request.
#pragma once

#include "src/base/result.hpp"
#include "src/http/message.hpp"
#include "src/url/url.hpp"

#include <optional>
#include <string>

namespace sallyport::pipeline {

struct Hop {
  std::string method{"GET"};
  url::Url url;
  http::Headers headers;  // the caller's; SECURITY: without what was injected for this hop
  std::string body;
};

// A status that says where to go next, if there is a Location.
bool is_redirect(int status) noexcept;

// Without a value: the answer is no redirect, or says not where to, and is the caller's as it is.
// Fails with EgressBlocked (from https to http, or to another scheme than these) or UpstreamFailed
// (a Location that is no URL, or several).
Result<std::optional<Hop>> next_hop(Hop previous, int status, http::Headers const& answer);

}  // namespace sallyport::pipeline
