#include "src/rego/builtins/tables.hpp"

namespace sallyport::rego::builtins {

BuiltinTable uuid() {
  return {};
}

}  // namespace sallyport::rego::builtins
