#include "src/rego/builtins/tables.hpp"

namespace sallyport::rego::builtins {

BuiltinTable net() {
  return {};
}

}  // namespace sallyport::rego::builtins
