#include "src/rego/builtins/tables.hpp"

namespace sallyport::rego::builtins {

BuiltinTable arithmetic() {
  return {};
}

}  // namespace sallyport::rego::builtins
