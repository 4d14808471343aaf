#include "src/rego/builtins/tables.hpp"

namespace sallyport::rego::builtins {

BuiltinTable json_schema() {
  return {};
}

}  // namespace sallyport::rego::builtins
