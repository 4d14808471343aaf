#include "src/rego/builtins/tables.hpp"

namespace sallyport::rego::builtins {

BuiltinTable types() {
  return {};
}

}  // namespace sallyport::rego::builtins
