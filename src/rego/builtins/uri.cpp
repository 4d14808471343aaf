#include "src/rego/builtins/tables.hpp"

namespace sallyport::rego::builtins {

BuiltinTable uri() {
  return {};
}

}  // namespace sallyport::rego::builtins
