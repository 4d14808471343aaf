// The numbers that a source of tokens keeps. They are named after the rule that adds its tokens,
// and have nothing of a token, a secret or an endpoint's answer in them.
#pragma once

#include "src/base/metrics.hpp"

#include <string_view>

namespace sallyport::oauth {

struct TokenMetrics {
  // Sources of one name share their numbers.
  TokenMetrics(Metrics& metrics, std::string_view rule);

  // Requests to the token endpoint, by what came of them.
  Counter* granted;      // a token
  Counter* refused;      // an answer with the status of a failure
  Counter* unusable;     // an answer that has no token which can be sent
  Counter* unreachable;  // none

  Counter* refreshed;   // tokens that were renewed with a refresh token
  Counter* from_cache;  // calls that were given a token which was there
  Counter* replaced;    // tokens for a second attempt, after a site refused the first
  Counter* left_alone;  // calls without a token while the endpoint is left alone
  Gauge* failing;       // 1 from a failure to the next token
};

}  // namespace sallyport::oauth
