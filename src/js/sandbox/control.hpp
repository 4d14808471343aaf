// What is said on the control socket: see src/js/README.md. Text in, text out.
#pragma once

#include "src/base/result.hpp"
#include "src/js/sandbox/limits.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace sallyport::js::sandbox {

using RunId = std::int64_t;

struct ForkRequest {
  RunId id{0};
  Limits limits;
  std::string refusal;  // why it cannot be done, where it cannot
};
struct KillRequest {
  RunId id{0};
};
using ControlRequest = std::variant<ForkRequest, KillRequest>;

// Fails with InvalidInput where not even the id can be read.
Result<ControlRequest> read_control(std::string_view packet);

std::string ready_message(std::size_t rss_kb, std::string_view namespaces);
std::string ended_message(RunId id, int wait_status);
std::string failed_message(RunId id, std::string_view why);
// About a packet that belongs to no fork.
std::string refused_message(std::string_view why);

}  // namespace sallyport::js::sandbox
