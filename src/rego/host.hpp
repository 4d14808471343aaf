// What the program around the engine offers to policies. The engine itself does no I/O.
#pragma once

#include "src/base/result.hpp"
#include "src/rego/value.hpp"

#include <string_view>

namespace sallyport::rego {

class Host {
 public:
  virtual ~Host() = default;

  // For http.send. Blocks its caller, so whoever offers it evaluates off the event loops. Its
  // request has `method` and `url` and no member that OPA does not know. A failure with
  // UpstreamFailed is the network's. PolicyDenied, LimitExceeded, DeadlineExceeded and Cancelled
  // end the evaluation, whatever the policy says of errors; the default fails with PolicyDenied:
  // nothing is sent.
  virtual Result<Value> send(Value request, Arena& arena);
  // Whether other failures of http.send end the evaluation as well, unless the policy asks to see
  // them (`raise_error: false`): as OPA does with --strict-builtin-errors. Otherwise the call is
  // undefined, and a `deny` that depends on it allows.
  virtual bool failed_send_is_final() const { return false; }
  // For opa.runtime: an object without secrets. By default an empty one.
  virtual Value runtime(Arena& arena);
  // For print() and trace(). By default nothing.
  virtual void print(std::string_view text);
  virtual void trace(std::string_view text);
};

}  // namespace sallyport::rego
