// The record of one passage: who wanted what, what was decided and why, what happened.
//
// No secret and no body is ever part of it: query values are masked by rule, headers are names.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace sallyport::audit {

enum class Verdict { Allowed, Denied };

// An answer that is handed on while it comes has two records with the same id: the first before
// anyone sees its head, the second when it is over, with all of its bytes, its time and its error.
// Every other call has one.
enum class StreamState { None, Opened, Closed };

// One request on the wire, or one that was refused before it got there. A call has one per
// redirect.
struct Hop {
  std::string url;  // query values masked
  std::string method;
  std::vector<std::string> header_names;  // as sent, lower case
  std::vector<std::string> injected;      // those of them that rules added
  std::string policy;                     // revisions of the policies that judged it, with spaces
  std::vector<std::string> resolved;      // addresses, as DNS gave them
  std::string connected;                  // empty: nothing was dialled
  int status{0};                          // 0: no answer
};

struct Record {
  std::string id;                              // of the call; the caller's error and result name it
  std::chrono::system_clock::time_point time;  // it began; where a stream is closed: it ended
  std::string request_id;                      // of the MCP request behind it
  std::string principal;
  std::string issuer;
  std::string client;   // "name/version" as the MCP client calls itself
  std::string session;  // the beginning of its id
  std::string tool;
  std::string server;  // the upstream or backend, where there is one
  std::string purpose;
  std::string execution;  // of the script that made the call
  StreamState stream{StreamState::None};
  Verdict verdict{Verdict::Denied};
  std::vector<std::string> reasons;  // of the decision
  std::vector<Hop> hops;             // at least one
  int status{0};                     // of the last answer
  int close_code{0};                 // of a WebSocket, when it is closed
  std::uint64_t bytes_sent{0};
  std::uint64_t bytes_received{0};
  std::chrono::microseconds connect{0};
  std::chrono::microseconds first_byte{0};
  std::chrono::microseconds total{0};
  std::string error_code;  // as in Errc; empty: none
  std::string error;
};

}  // namespace sallyport::audit
