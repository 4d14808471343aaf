#include "src/rego/builtins/tables.hpp"

namespace sallyport::rego::builtins {

BuiltinTable x509() {
  return {};
}

}  // namespace sallyport::rego::builtins
