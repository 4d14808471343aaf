// What the product offers its clients.
#pragma once

#include "src/app/js_service.hpp"
#include "src/config/settings.hpp"
#include "src/mcp/registry.hpp"
#include "src/pipeline/road.hpp"
#include "src/stream/views.hpp"

#include <memory>

namespace sallyport::app {

// The entries of it, to which others may be added.
mcp::Registry::Builder product_entries(config::Settings const& settings, pipeline::Road& road,
                                       JsService* scripts, stream::Views* views);

// `scripts` and `views` may be nothing: then there are no tools for scripts, and none for streams.
Result<std::shared_ptr<mcp::Registry const>> product_registry(config::Settings const& settings,
                                                              pipeline::Road& road,
                                                              JsService* scripts = nullptr,
                                                              stream::Views* views = nullptr);

}  // namespace sallyport::app
