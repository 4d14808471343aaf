#include "src/rego/builtins/tables.hpp"

namespace sallyport::rego::builtins {

BuiltinTable regex() {
  return {};
}

}  // namespace sallyport::rego::builtins
