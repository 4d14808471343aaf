// What the program around the engine offers to policies. The engine itself does no I/O.
#pragma once

#include "src/base/result.hpp"
#include "src/rego/value.hpp"

#include <string_view>

namespace sallyport::rego {

class Host {
 public:
  virtual ~Host() = default;

  // For http.send. Blocks its caller, so whoever offers it evaluates off the event loops. The
  // answer of the default is a failure that says that it is off and how to turn it on.
  virtual Result<Value> send(Value request, Arena& arena);
  // For opa.runtime: an object without secrets. By default an empty one.
  virtual Value runtime(Arena& arena);
  // For print() and trace(). By default nothing.
  virtual void print(std::string_view text);
  virtual void trace(std::string_view text);
};

}  // namespace sallyport::rego
