#include "src/rego/builtins/tables.hpp"

namespace sallyport::rego::builtins {

BuiltinTable encoding() {
  return {};
}

}  // namespace sallyport::rego::builtins
