#include "src/app/product_registry.hpp"

#include "src/base/assert.hpp"
#include "src/tools/whoami.hpp"

namespace sallyport::app {

std::shared_ptr<mcp::Registry const> product_registry() {
  mcp::Registry::Builder builder;
  builder.add(tools::whoami());
  auto registry = builder.build();
  SP_ASSERT(registry.has_value(), "the product's own tools are well formed");
  return *registry;
}

}  // namespace sallyport::app
