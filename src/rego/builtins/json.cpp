#include "src/rego/builtins/tables.hpp"

namespace sallyport::rego::builtins {

BuiltinTable json() {
  return {};
}

}  // namespace sallyport::rego::builtins
