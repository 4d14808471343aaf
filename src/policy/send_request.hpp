// http.send in OPA's words: the object that a policy sends, and the one that it gets.
#pragma once

#include "src/policy/sender.hpp"
#include "src/rego/value.hpp"

#include <chrono>

namespace sallyport::policy {

// How the body of an answer is read where its Content-Type does not say it.
enum class Decode { ByType, Json, Yaml };

// Whether an answer may be had from an earlier judgement, and be kept for later ones.
enum class Reuse { No, AsItSays, Forced };

struct ReadRequest {
  SendRequest request;  // without its deadline
  std::chrono::nanoseconds timeout{std::chrono::seconds{5}};
  Decode decode{Decode::ByType};
  Reuse reuse{Reuse::No};
  std::chrono::seconds forced_lifetime{0};
  // Requests with equal keys have one answer: the whole object but for the headers that it leaves
  // out (`cache_ignored_headers`).
  std::string key;
};

// Of an object that has `method`, `url` and no unknown member. Fails with InvalidInput: what is of
// the wrong type, too large, or not offered here.
Result<ReadRequest> read_send_request(rego::Value object);

// {status, status_code, body, raw_body, headers}. A body that cannot be decoded is null; bytes that
// are no UTF-8 are replaced.
rego::Value answer_value(http::Response const& response, Decode decode, rego::Arena& arena);

}  // namespace sallyport::policy
