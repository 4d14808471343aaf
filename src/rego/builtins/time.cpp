#include "src/rego/builtins/tables.hpp"

namespace sallyport::rego::builtins {

BuiltinTable time() {
  return {};
}

}  // namespace sallyport::rego::builtins
