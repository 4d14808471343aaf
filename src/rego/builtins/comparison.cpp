#include "src/rego/builtins/tables.hpp"

namespace sallyport::rego::builtins {

BuiltinTable comparison() {
  return {};
}

}  // namespace sallyport::rego::builtins
