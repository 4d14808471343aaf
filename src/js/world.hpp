// Port: what a script can reach. All it asks for is judged, given its credentials, guarded and
// written down by whoever is behind this; the sandbox itself has nothing.
#pragma once

#include "src/base/task.hpp"
#include "src/http/message.hpp"
#include "src/json/value.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sallyport::js {

struct FetchCall {
  std::string method{"GET"};
  std::string url;
  http::Headers headers;
  std::string redirect{"follow"};  // "error", "manual"
  bool has_body{false};
  std::optional<std::uint64_t> body_bytes;  // where it is known beforehand
};

// An answer to fetch(), whose body is read as the script reads it. Destroying it ends the transfer.
class FetchAnswer {
 public:
  virtual ~FetchAnswer() = default;

  virtual int status() const = 0;
  virtual std::string const& reason() const = 0;
  virtual http::Headers const& headers() const = 0;
  virtual std::string url() const = 0;
  virtual bool redirected() const = 0;
  virtual Task<std::optional<std::string>> next() = 0;
};

// A fetch() under way. Destroying it ends it.
class Fetch {
 public:
  virtual ~Fetch() = default;

  // The body of the request, piece by piece, while answer() waits; then finish(). Who does not get
  // that far fails(). Only where there is a body.
  virtual Task<void> write(std::string piece) = 0;
  virtual Result<void> finish() = 0;
  virtual void fail(Error why) = 0;

  // Sends the request. Once.
  virtual Task<std::unique_ptr<FetchAnswer>> answer() = 0;
};

struct SocketCall {
  std::string url;
  std::vector<std::string> protocols;
};

struct SocketMessage {
  bool text{true};  // then its data is UTF-8
  std::string data;
};

struct SocketClosing {
  std::uint16_t code{1006};  // 1005: it closed without one; 1006: it broke
  std::string reason;
};

// An open WebSocket. Destroying it breaks the connection.
class Socket {
 public:
  virtual ~Socket() = default;

  virtual std::string const& protocol() const = 0;
  virtual std::string const& extensions() const = 0;

  // Nothing once it is closed. One call at a time, while send() may wait.
  virtual Task<std::optional<SocketMessage>> next() = 0;
  virtual Task<void> send(SocketMessage message) = 0;
  virtual Task<void> close(std::optional<std::uint16_t> code, std::string reason) = 0;
  // How it ended, once next() has given nothing or has failed.
  virtual SocketClosing const& closing() const = 0;
};

// Whether an API is there; else a sentence that says how to turn it on.
struct Available {
  std::string why_not;  // empty: it is

  explicit operator bool() const noexcept { return why_not.empty(); }
};

// Lives as long as the run. Its operations run on the loop of the run, several at once.
class World {
 public:
  virtual ~World() = default;

  virtual Available can_fetch() const = 0;
  virtual Available can_open_sockets() const = 0;
  virtual Available can_call_tools() const = 0;

  virtual std::unique_ptr<Fetch> fetch(FetchCall call) = 0;
  // Asked for only where can_open_sockets().
  virtual Task<std::unique_ptr<Socket>> connect(SocketCall) {
    co_return sallyport::fail(Errc::NotFound, "There are no WebSockets in this world.");
  }
  virtual Task<json::Value> call_tool(std::string server, std::string tool,
                                      json::Object arguments) = 0;
  virtual Task<json::Value> list_tools(std::optional<std::string> server) = 0;
};

}  // namespace sallyport::js
