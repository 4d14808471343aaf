// One request to one origin, and its answer as a stream. No redirects, no policy: by now everything
// has been decided.
#pragma once

#include "src/base/task.hpp"
#include "src/egress/body_pipe.hpp"
#include "src/egress/guard.hpp"
#include "src/http/message.hpp"
#include "src/url/url.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace sallyport::egress {

struct ExchangeLimits {
  std::chrono::milliseconds connect{10'000};     // TCP and TLS
  std::chrono::milliseconds first_byte{30'000};  // from the request's end to the answer's head
  // Without a byte in the middle of a body. Not of an event stream that is read as it comes.
  std::chrono::milliseconds stall{30'000};
  std::size_t header_bytes{64UL * 1024};
  std::size_t body_bytes{10UL * 1024 * 1024};  // after decompression
  std::size_t ratio{200};                      // decompressed to received, once past 1 MiB
};

struct Dispatch {
  std::string method{"GET"};
  url::Url url;
  JudgedAddresses addresses;
  http::Headers headers;  // complete but for Host, Content-Length, Accept-Encoding
  std::string body;
  // Instead of `body`: one that is still being made. Sent with its length where that is known, else
  // in chunks. Time in which the writer gives nothing counts for the deadline alone; the answer may
  // begin before the body has ended.
  std::shared_ptr<BodyPipe> upload;
  ExchangeLimits limits;
  Deadline deadline;       // of the whole exchange
  Deadline head_deadline;  // until the answer's head; once an upload has begun, its limits count
  // Hand the answer over in one go, when it is complete: costs one switch of threads instead of
  // two.
  bool whole{true};
  // Fail with UpstreamFailed as soon as the head says that the answer is an event stream: most have
  // no end, and would take all the time there is.
  bool refuse_event_streams{false};
};

struct ResponseHead {
  int status{0};
  std::string reason;     // empty with HTTP/2
  std::string version;    // "1.1", "2"
  http::Headers headers;  // without Content-Encoding and Content-Length where we decompressed
};

struct ExchangeStats {
  std::string connected_address;  // "93.184.215.14"
  bool reused_connection{false};
  std::uint64_t bytes_sent{0};              // body, without the framing of chunks
  std::uint64_t bytes_received{0};          // body, as on the wire
  std::chrono::microseconds connect{0};     // until TCP and TLS stood; 0 when reused
  std::chrono::microseconds first_byte{0};  // from the start
  std::chrono::microseconds total{0};
};

// An answer under way. Destroying it ends the transfer.
class Exchange {
 public:
  virtual ~Exchange() = default;

  virtual ResponseHead& head() noexcept = 0;

  // The next piece of the body, decompressed; empty at its end. The origin is held back while
  // nobody reads. Fails with UpstreamFailed (reset, wrong length, bad encoding), LimitExceeded,
  // DeadlineExceeded or Cancelled. One call at a time.
  virtual Task<std::string> read() = 0;

  // Ends the transfer where it is under way still, so that stats() is complete. Not while another
  // call waits.
  virtual Async<void> end() { co_return; }

  // So far; complete once read() has given the end or failed, and after end().
  virtual ExchangeStats stats() const = 0;
};

// Port: sends. CurlConnector (curl_connector.hpp) is the real one; simulations have their own.
class Connector {
 public:
  virtual ~Connector() = default;

  // From any loop; resumes on the caller's, with the head (or with everything, see `whole`). Fails
  // with UpstreamFailed (with what failed: connect, TLS, protocol), DeadlineExceeded, LimitExceeded
  // or Cancelled. `stats` is filled in either way.
  virtual Task<std::unique_ptr<Exchange>> open(Dispatch dispatch, ExchangeStats& stats) = 0;
};

}  // namespace sallyport::egress
