#include "src/net/server_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace sallyport::net {
namespace {

Counter* by_class(Metrics& metrics, int status_class) {
  return &metrics.counter("sallyport_http_requests_total", "Answers sent, by class of status.",
                          fmt::format("class=\"{}xx\"", status_class));
}

Counter& refused_for(Metrics& metrics, std::string_view reason) {
  return metrics.counter("sallyport_http_refused_total",
                         "Requests and connections that the server refused by itself.",
                         fmt::format("reason=\"{}\"", reason));
}

}  // namespace

ServerMetrics::ServerMetrics(Metrics& metrics)
    : by_class{net::by_class(metrics, 1), net::by_class(metrics, 2), net::by_class(metrics, 3),
               net::by_class(metrics, 4), net::by_class(metrics, 5)},
      malformed{refused_for(metrics, "malformed")},
      head_too_large{refused_for(metrics, "head_too_large")},
      body_too_large{refused_for(metrics, "body_too_large")},
      too_slow{refused_for(metrics, "too_slow")},
      too_many{refused_for(metrics, "too_many_connections")},
      slow_reader{refused_for(metrics, "slow_reader")},
      abandoned{metrics.counter("sallyport_http_abandoned_total",
                                "Requests whose client closed before an answer began.")},
      handshake_failed{refused_for(metrics, "tls_handshake")},
      received_bytes{
          metrics.counter("sallyport_http_received_bytes_total", "Bytes read, without TLS.")},
      sent_bytes{metrics.counter("sallyport_http_sent_bytes_total", "Bytes written, without TLS.")},
      connections{metrics.gauge("sallyport_http_connections", "Open connections.")},
      latency{metrics.histogram("sallyport_http_request_seconds",
                                "From the last byte of a request to the end of its answer.")} {}

Counter& ServerMetrics::requests(int status) const noexcept {
  return *by_class[static_cast<std::size_t>(std::clamp(status / 100, 1, 5) - 1)];
}

Counter& ServerMetrics::refused(int status) const noexcept {
  switch (status) {
    case 408: return too_slow;
    case 413: return body_too_large;
    case 431: return head_too_large;
    case 503: return too_many;
    default: return malformed;
  }
}

}  // namespace sallyport::net
