// The answers a stateless client has given so far, sealed and in the client's keeping.
//
// A handler that asks is run again when the client comes back; the answers of earlier rounds come
// out of `requestState`. SECURITY: the text is sealed (AEAD), expires, and is bound to the
// principal, the method and the parameters, so an answer cannot be forged, kept or moved to another
// call.
#pragma once

#include "src/base/result.hpp"
#include "src/base/sealer.hpp"
#include "src/mcp/call_context.hpp"

#include <chrono>
#include <string>

namespace sallyport::mcp {

using WallClock = std::chrono::system_clock;

// What a sealed state is bound to. `params` without `_meta`, `inputResponses`, `requestState`.
std::string input_binding(std::string_view principal, std::string_view method,
                          json::Object const& params);

// What is sealed: one of the two.
struct InputRounds {
  InputResponses answers;  // of earlier rounds
  json::Object kept;       // CallContext::keep()
};

std::string seal_rounds(Sealer const& sealer, std::string const& binding, InputRounds const& rounds,
                        WallClock::time_point expires);

// Fails with InvalidInput: tampered, expired, or of another call.
Result<InputRounds> open_rounds(Sealer const& sealer, std::string const& binding,
                                std::string_view sealed, WallClock::time_point now);

// Fails with InvalidInput when `response` is not an answer to `request`: wrong shape, or contents
// that the requested schema does not allow.
Result<void> check_answer(std::string const& key, InputRequest const& request,
                          json::Object const& response);

}  // namespace sallyport::mcp
