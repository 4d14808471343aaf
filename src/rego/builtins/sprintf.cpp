#include "src/rego/builtins/tables.hpp"

namespace sallyport::rego::builtins {

BuiltinTable sprintf() {
  return {};
}

}  // namespace sallyport::rego::builtins
