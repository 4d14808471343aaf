#include "src/rego/builtins/tables.hpp"

namespace sallyport::rego::builtins {

BuiltinTable objects() {
  return {};
}

}  // namespace sallyport::rego::builtins
