// Which era a message belongs to, decided per message: body first, then headers.
//
// One endpoint serves all revisions. A 2026-07-28 request says so in `params._meta` (the "claim")
// and repeats it in the headers; everything else is legacy. The order of the checks is what clients
// of either era rely on to find out what a server speaks.
#pragma once

#include "src/mcp/envelope.hpp"
#include "src/mcp/header_mirror.hpp"
#include "src/mcp/message.hpp"
#include "src/mcp/rpc.hpp"

#include <variant>
#include <vector>

namespace sallyport::mcp {

struct ModernRequest {
  RequestMessage message;
  Envelope envelope;
};

struct ModernNotification {
  NotificationMessage message;
};

struct LegacyMessage {
  std::variant<RequestMessage, NotificationMessage, ResponseMessage> message;
};

// Only revisions up to 2025-03-26 have batches; the session's revision decides later.
struct LegacyBatch {
  std::vector<Message> messages;
};

// Refused before anything was looked up.
struct Refused {
  Answer answer;
};

using Classified =
    std::variant<ModernRequest, ModernNotification, LegacyMessage, LegacyBatch, Refused>;

inline constexpr std::size_t kMaxBatch = 100;

// `headers` is nullptr on transports without headers (stdio): nothing is then mirrored.
Classified classify(json::Value body, HeaderSource const* headers);

}  // namespace sallyport::mcp
