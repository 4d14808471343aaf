#include "src/rego/builtins/tables.hpp"

namespace sallyport::rego::builtins {

BuiltinTable graph() {
  return {};
}

}  // namespace sallyport::rego::builtins
