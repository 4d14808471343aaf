#include "src/rego/builtins/tables.hpp"

namespace sallyport::rego::builtins {

BuiltinTable crypto() {
  return {};
}

}  // namespace sallyport::rego::builtins
