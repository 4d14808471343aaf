// `sallyport servers login` and `logout`: a person signs in with a browser, which comes back to a
// port of this machine.
#pragma once

#include "src/app/cli.hpp"
#include "src/app/servers/visit.hpp"

#include <cstdint>

namespace sallyport::app::servers {

struct LoginRequest {
  bool open_browser{true};
  std::uint16_t port{0};  // 0: one that stays the same for the server, or any where that is taken
  std::chrono::milliseconds patience{std::chrono::minutes{10}};
};

// Fail with Cancelled only: what else went wrong was said on standard error. The exit code.
Task<int> log_in(Visit& visit, config::McpServerSettings const& server, LoginRequest const& request,
                 Surroundings const& surroundings);
Task<int> log_out(Visit& visit, config::McpServerSettings const& server,
                  Surroundings const& surroundings);

// The port that is tried first: between 49152 and 65535. Servers compare the address they send a
// browser back to, so that one which changes each time would need a new registration each time.
std::uint16_t usual_port(std::string_view server);

}  // namespace sallyport::app::servers
