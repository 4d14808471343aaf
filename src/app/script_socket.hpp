// A WebSocket of a script, on the road out.
#pragma once

#include "src/js/world.hpp"
#include "src/pipeline/road.hpp"

#include <memory>

namespace sallyport::app {

// `road` outlives the socket.
Task<std::unique_ptr<js::Socket>> open_script_socket(pipeline::Road& road,
                                                     pipeline::Passage passage,
                                                     pipeline::SocketRequest request);

}  // namespace sallyport::app
