#include "src/rego/builtins/tables.hpp"

namespace sallyport::rego::builtins {

BuiltinTable aggregates() {
  return {};
}

}  // namespace sallyport::rego::builtins
