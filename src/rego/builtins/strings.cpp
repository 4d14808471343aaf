#include "src/rego/builtins/tables.hpp"

namespace sallyport::rego::builtins {

BuiltinTable strings() {
  return {};
}

}  // namespace sallyport::rego::builtins
