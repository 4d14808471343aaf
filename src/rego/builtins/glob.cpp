#include "src/rego/builtins/tables.hpp"

namespace sallyport::rego::builtins {

BuiltinTable glob() {
  return {};
}

}  // namespace sallyport::rego::builtins
