#include "src/rego/host.hpp"

#include "src/rego/build.hpp"

namespace sallyport::rego {

Result<Value> Host::send(Value, Arena&) {
  return fail(Errc::PolicyDenied,
              "http.send is off: policies may not open connections unless the gateway's "
              "configuration allows it");
}

Value Host::runtime(Arena& arena) {
  return ObjectBuilder{arena}.finish();
}

void Host::print(std::string_view) {}
void Host::trace(std::string_view) {}

}  // namespace sallyport::rego
