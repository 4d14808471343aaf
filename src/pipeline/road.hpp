// The road out: the one order of stages for everything that leaves the program.
//
//   parse ─► limits ─► inject ─► policy ─► resolve + guard ─► connect ─► send ─► audit
//
// Each redirect hop starts again at parse. Whatever happens, a call has one audit record before its
// outcome is known; a stream one before its head is seen (not of a message) and one at its end.
#pragma once

#include "src/audit/receipt.hpp"
#include "src/pipeline/outbound.hpp"
#include "src/pipeline/outbound_socket.hpp"
#include "src/pipeline/outbound_stream.hpp"

#include <memory>

namespace sallyport::pipeline {

// Port for those who send: tools, streams, upstream servers and scripts.
class Road {
 public:
  virtual ~Road() = default;

  // From any loop. Fails with InvalidInput (URL, header), LimitExceeded (which limit, when to try
  // again), CredentialUnavailable, PolicyDenied, EgressBlocked, UpstreamFailed, DeadlineExceeded,
  // Cancelled. The message is for the caller and says what to do; a status of 400 and more is an
  // answer, not a failure.
  virtual Task<OutboundAnswer> send(Passage const& passage, OutboundRequest request) = 0;

  // The same stages, but the answer is handed on while it comes: resumes with its head. Fails as
  // send() does. `passage.request` must live until then. A road that knows no streams gives the
  // whole answer as one piece.
  virtual Task<std::unique_ptr<OutboundStream>> open(Passage passage, OutboundRequest request);

  // The same stages for the handshake of a WebSocket, whose operation is "websocket". Fails as
  // send() does, and with UpstreamFailed where the server does not agree to it. A road that knows
  // no sockets fails with NotFound.
  virtual Task<std::unique_ptr<OutboundSocket>> connect(Passage passage, SocketRequest request);

  // The record of a call that is not sent, before its caller learns why. Fails with what the audit
  // log fails with, or with Cancelled; the caller then gets that instead of an answer.
  virtual Task<void> record_unsent(Passage const& passage, UnsentCall call) = 0;

  // The same for a call that is made meanwhile, not on this road: its outcome is not handed out
  // before the receipt says that the record is kept. A road without a log has nothing to keep.
  virtual Result<audit::Receipt> begin_record(Passage const& passage, UnsentCall call,
                                              Executor loop);
};

}  // namespace sallyport::pipeline
