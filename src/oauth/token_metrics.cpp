#include "src/oauth/token_metrics.hpp"

#include <string>

namespace sallyport::oauth {
namespace {

Counter* by_outcome(Metrics& metrics, std::string const& rule, std::string_view outcome) {
  return &metrics.counter("sallyport_token_requests_total",
                          "Requests to token endpoints, by what came of them.",
                          rule + "," + metric_label("outcome", outcome));
}

Counter* counter(Metrics& metrics, std::string_view name, std::string help, std::string rule) {
  return &metrics.counter("sallyport_token_" + std::string{name}, std::move(help), std::move(rule));
}

}  // namespace

TokenMetrics::TokenMetrics(Metrics& metrics, std::string_view rule_name) {
  auto const rule = metric_label("rule", rule_name);
  granted = by_outcome(metrics, rule, "granted");
  refused = by_outcome(metrics, rule, "refused");
  unusable = by_outcome(metrics, rule, "unusable");
  unreachable = by_outcome(metrics, rule, "unreachable");
  refreshed =
      counter(metrics, "refreshes_total", "Tokens that were renewed with a refresh token.", rule);
  from_cache = counter(metrics, "cache_hits_total", "Calls that used a token at hand.", rule);
  replaced = counter(metrics, "retries_total",
                     "Calls that were sent again with another token after a 401.", rule);
  left_alone = counter(metrics, "backoff_total",
                       "Calls without a token while a failing endpoint was left alone.", rule);
  failing = &metrics.gauge("sallyport_token_failing",
                           "1 from a failure of the token endpoint to its next token.", rule);
}

}  // namespace sallyport::oauth
