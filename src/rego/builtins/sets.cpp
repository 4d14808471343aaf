#include "src/rego/builtins/tables.hpp"

namespace sallyport::rego::builtins {

BuiltinTable sets() {
  return {};
}

}  // namespace sallyport::rego::builtins
