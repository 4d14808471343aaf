// What an app asks of `http_request`, read from the arguments of the call.
#pragma once

#include "src/http/cache.hpp"
#include "src/json/value.hpp"
#include "src/pipeline/outbound.hpp"
#include "src/tools/backend.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace sallyport::tools {

enum class CredentialsMode { Omit, SameOrigin, Include };
enum class ResponseType { Auto, Json, Text, Base64 };

struct AppRequest {
  std::string method{"GET"};
  std::string url;
  std::string backend;
  http::Headers headers;  // as the app wrote them
  pipeline::Redirects redirects{pipeline::Redirects::Follow};
  http::CacheMode cache{http::CacheMode::Default};
  CredentialsMode credentials{CredentialsMode::SameOrigin};
  ResponseType response_type{ResponseType::Auto};
  std::chrono::milliseconds timeout{0};
  json::Value const* body{nullptr};  // of the arguments
  std::string body_type;             // empty: to be inferred
};

// `arguments` satisfy the input schema. Fails with InvalidInput.
Result<AppRequest> read_app_request(json::Object const& arguments,
                                    HttpRequestOptions const& options);

// Takes out what an app may not set on a request to `backend`, and gives the names of what it took.
// Fails with InvalidInput where the backend would rather refuse, or where a field cannot be sent.
Result<std::vector<std::string>> filter_headers(Backend const& backend, http::Headers& headers);

// Encodes the body and sets its Content-Type. Fails with InvalidInput or LimitExceeded.
Result<std::string> take_body(AppRequest const& request, Backend const& backend,
                              http::Headers& headers);

}  // namespace sallyport::tools
