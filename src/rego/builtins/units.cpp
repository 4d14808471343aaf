#include "src/rego/builtins/tables.hpp"

namespace sallyport::rego::builtins {

BuiltinTable units() {
  return {};
}

}  // namespace sallyport::rego::builtins
