#include "src/rego/builtins/tables.hpp"

namespace sallyport::rego::builtins {

BuiltinTable numbers() {
  return {};
}

}  // namespace sallyport::rego::builtins
