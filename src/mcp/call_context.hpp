// What a handler of a tool, resource or prompt can do besides compute: report, ask, notice.
//
// A handler never knows which revision the client speaks. It runs on one event loop, must not block
// it, and ends soon after it is cancelled (its co_awaits then end with operation_aborted).
#pragma once

#include "src/base/request_context.hpp"
#include "src/base/task.hpp"
#include "src/json/value.hpp"
#include "src/mcp/event.hpp"
#include "src/mcp/log_level.hpp"
#include "src/mcp/rpc.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::mcp {

enum class InputKind { Elicitation, UrlElicitation, Sampling, SamplingWithTools, Roots };

// A question to the client: the parameters of `elicitation/create`, `sampling/createMessage` or
// `roots/list`.
struct InputRequest {
  InputKind kind{InputKind::Elicitation};
  json::Object params;
  bool foreign{false};  // of another server, which judges the answer itself
};

// By a key that the handler chooses; the same key stands for the same question whenever the handler
// runs.
using InputRequests = std::map<std::string, InputRequest>;
using InputResponses = std::map<std::string, json::Object>;

// A form for the user: `properties` are flat and primitive (MCP, "Elicitation").
InputRequest elicit_form(std::string_view message, json::Object requested_schema);
InputRequest sample_text(std::string_view prompt, int max_tokens);
InputRequest list_roots();

// What comes back from a stateless client: what the handler kept, and the answers to its questions.
struct Resumption {
  json::Object kept;
  InputResponses answers;
};

class CallContext {
 public:
  virtual ~CallContext() = default;

  virtual RequestContext const& request() const noexcept = 0;

  // Says how far the work is, to a client that wants to know. A value that does not grow is
  // dropped.
  virtual void progress(double done, std::optional<double> total = {},
                        std::string_view message = {}) = 0;

  // Whether progress() reaches anybody, and whether notify() does.
  virtual bool hears_progress() const { return false; }
  virtual bool hears_notifications() const { return false; }
  // Progress with something under `_meta`: the text of a JSON object.
  virtual void progress_with(double /*done*/, std::string_view /*meta*/) {}
  // A notification of a kind of our own that belongs to the call. `params` is the text of a JSON
  // object.
  virtual void notify(std::string_view /*method*/, std::string_view /*params*/) {}
  // How much of what was said the client has yet to take: who says much waits until it is little.
  virtual std::size_t unheard_bytes() const { return 0; }

  // A log message for the client, if it asked for that level.
  virtual void log(LogLevel level, json::Value data, std::string_view logger = {}) = 0;

  // Whether the client said that it can answer such a question.
  virtual bool can_ask(InputKind kind) const = 0;

  // Asks the client, and gives its checked answers. Pass the failure on as it is: with a stateless
  // client the handler ends here, and is run again from its start when the answers have come. So
  // ask before you act. Fails with ClientCapabilityMissing when the client cannot answer that kind.
  virtual Task<InputResponses> ask(InputRequests requests) = 0;

  // For a handler that asks on behalf of work which must not begin again, because it goes on
  // somewhere else: what is kept when ask() fails with InputRequired goes to the client, sealed,
  // and comes back with the answers, to be taken once. ask() does not look at those.
  virtual void keep(json::Object /*state*/) {}
  virtual std::optional<Resumption> resume() { return std::nullopt; }

  // What the client said it can do, and from which level on it wants to hear of logs.
  virtual json::Object client_capabilities() const { return {}; }
  virtual std::optional<LogLevel> wanted_logs() const { return std::nullopt; }

  // What the request says about itself (`_meta`).
  virtual json::Object request_meta() const { return {}; }

  // The error of another server, which the client is to see instead of how the handler fails.
  virtual void refuse(RpcError /*error*/) {}

  // For a handler with bounds of its own: the call may take so long from now on, also where the
  // settings give calls less. Time in which the client is asked comes on top, in any call.
  virtual void may_take(std::chrono::milliseconds /*time*/) {}

  // For a tool with TaskStart::ByHandler: what follows takes long. A client that can handle tasks
  // is answered now, and asks for the result later.
  virtual Task<void> start_task() = 0;
  // Whether it was: nobody waits for the answer any longer.
  virtual bool runs_as_task() const { return false; }

  // Lets go of the connection while the work goes on, where the client can come back for the rest.
  virtual void release_connection(std::chrono::milliseconds come_back_after) = 0;

  // Tells every interested client.
  virtual void publish(Event event) = 0;
};

}  // namespace sallyport::mcp
