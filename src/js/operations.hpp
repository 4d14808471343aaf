// Makes the operations that have more to them than a question and an answer. Inside js.
#pragma once

#include "src/js/script_call.hpp"

#include <cstdint>
#include <memory>

namespace sallyport::js {

// By what the Call frame says. Fail with InvalidInput.
Result<std::unique_ptr<ScriptCall>> make_fetch(std::uint32_t id, json::Object const& asked,
                                               CallShare& share, Executor executor);
Result<std::unique_ptr<ScriptCall>> make_socket(std::uint32_t id, json::Object const& asked,
                                                CallShare& share, Executor executor);

}  // namespace sallyport::js
