#include "src/rego/builtins/tables.hpp"

namespace sallyport::rego::builtins {

BuiltinTable templates() {
  return {};
}

}  // namespace sallyport::rego::builtins
