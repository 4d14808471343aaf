// What a client sends and what it takes, by its Content-Type and Accept headers.
#pragma once

#include "src/http/message.hpp"

namespace sallyport::transport {

// Which of the two forms of an answer the client takes.
struct Accepts {
  bool json{false};
  bool stream{false};
};

// No Accept header means anything. A client that names types gets one of them.
Accepts accepted_types(http::Headers const& headers);

bool has_json_body(http::Headers const& headers);

}  // namespace sallyport::transport
