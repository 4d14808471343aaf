// What the product offers its clients.
#pragma once

#include "src/mcp/registry.hpp"

#include <memory>

namespace sallyport::app {

std::shared_ptr<mcp::Registry const> product_registry();

}  // namespace sallyport::app
