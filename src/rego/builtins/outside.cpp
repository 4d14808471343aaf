#include "src/rego/builtins/tables.hpp"

namespace sallyport::rego::builtins {

BuiltinTable outside() {
  return {};
}

}  // namespace sallyport::rego::builtins
