#include "src/rego/builtins/tables.hpp"

namespace sallyport::rego::builtins {

BuiltinTable jwt_sign() {
  return {};
}

}  // namespace sallyport::rego::builtins
