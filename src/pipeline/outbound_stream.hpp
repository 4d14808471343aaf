// An answer that is handed on while it comes.
#pragma once

#include "src/pipeline/outbound.hpp"

#include <optional>
#include <string>

namespace sallyport::pipeline {

// Of the loop it was opened on. It keeps its place among the calls under way until it is over. The
// road outlives it; of its passage nothing is needed any more.
//
// Destroying it ends the transfer. Its end has a record like its beginning: next() writes it where
// the stream ends by itself, close() where its owner has enough; the destructor hands it over and
// does not wait.
class OutboundStream {
 public:
  virtual ~OutboundStream() = default;

  virtual url::Url const& url() const noexcept = 0;  // the last one asked
  virtual bool redirected() const noexcept = 0;
  virtual egress::ResponseHead& head() noexcept = 0;

  // The next piece of the body, decompressed and never empty; nothing at its end. The origin is
  // held back while nobody asks. Fails with UpstreamFailed, LimitExceeded, DeadlineExceeded or
  // Cancelled (which ends the transfer at once), and with what the audit log fails with at the end.
  // One call at a time. After the end, or a failure, it says the same again.
  virtual Task<std::optional<std::string>> next() = 0;

  // Ends the transfer, if need be, and returns when that is on record. Fails with what the audit
  // log fails with, or with Cancelled; it is closed all the same.
  virtual Task<void> close() = 0;

  // So far; complete after the end.
  virtual egress::ExchangeStats stats() const = 0;
};

// An answer that is there already, as a stream of one piece.
std::unique_ptr<OutboundStream> stream_of(OutboundAnswer answer);

}  // namespace sallyport::pipeline
