// The numbers an HTTP server keeps, made once and shared by its loops.
#pragma once

#include "src/base/metrics.hpp"

#include <array>

namespace sallyport::net {

struct ServerMetrics {
  explicit ServerMetrics(Metrics& metrics);

  Counter& requests(int status) const noexcept;
  // What the server refused by itself; by the status of the answer.
  Counter& refused(int status) const noexcept;

  std::array<Counter*, 5> by_class;
  Counter& malformed;
  Counter& head_too_large;
  Counter& body_too_large;
  Counter& too_slow;
  Counter& too_many;
  Counter& slow_reader;
  Counter& abandoned;
  Counter& handshake_failed;
  Counter& received_bytes;
  Counter& sent_bytes;
  Gauge& connections;
  Histogram& latency;
};

}  // namespace sallyport::net
