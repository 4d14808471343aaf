// The coroutines of streams: from an origin into frames, and from pieces to an origin.
//
// Each reads only while its stream has room. What one fails with becomes the stream's last frame.
#pragma once

#include "src/egress/body_pipe.hpp"
#include "src/pipeline/outbound_socket.hpp"
#include "src/pipeline/outbound_stream.hpp"
#include "src/stream/stream.hpp"

#include <memory>
#include <string>

namespace sallyport::stream {

// An answer's body as it comes.
Task<void> pump_body(std::shared_ptr<Stream> to, std::unique_ptr<pipeline::OutboundStream> from);

// An event stream, event by event; none may be larger than `event_bytes`.
Task<void> pump_events(std::shared_ptr<Stream> to, std::unique_ptr<pipeline::OutboundStream> from,
                       std::size_t event_bytes, std::string last_event_id);

// The messages of a WebSocket, and how it closed.
Task<void> pump_messages(std::shared_ptr<Stream> to,
                         std::shared_ptr<pipeline::OutboundSocket> from);

// What the view pushes: the body of a request, and messages.
Task<void> send_body(std::shared_ptr<Stream> from, egress::BodyWriter to);
Task<void> send_messages(std::shared_ptr<Stream> from,
                         std::shared_ptr<pipeline::OutboundSocket> to);

}  // namespace sallyport::stream
