#include "src/rego/builtins/tables.hpp"

namespace sallyport::rego::builtins {

BuiltinTable arrays() {
  return {};
}

}  // namespace sallyport::rego::builtins
