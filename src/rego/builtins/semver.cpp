#include "src/rego/builtins/tables.hpp"

namespace sallyport::rego::builtins {

BuiltinTable semver() {
  return {};
}

}  // namespace sallyport::rego::builtins
