// What the product offers its clients.
#pragma once

#include "src/config/settings.hpp"
#include "src/mcp/registry.hpp"
#include "src/pipeline/road.hpp"

#include <memory>

namespace sallyport::app {

Result<std::shared_ptr<mcp::Registry const>> product_registry(config::Settings const& settings,
                                                              pipeline::Road& road);

}  // namespace sallyport::app
