#include "src/rego/builtins/tables.hpp"

namespace sallyport::rego::builtins {

BuiltinTable jwt() {
  return {};
}

}  // namespace sallyport::rego::builtins
