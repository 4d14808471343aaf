#include "src/rego/builtins/tables.hpp"

namespace sallyport::rego::builtins {

BuiltinTable bits() {
  return {};
}

}  // namespace sallyport::rego::builtins
