// Console output on its way to the client that waits for the call.
#pragma once

#include "src/js/engine.hpp"
#include "src/mcp/call_context.hpp"

#include <chrono>
#include <cstddef>
#include <string_view>

namespace sallyport::tools {

// As log messages, and as progress for those who asked for that. A script that writes without end
// must not bury its client: after some output only progress goes on, now and then.
class ConsoleRelay final : public js::ConsoleListener {
 public:
  explicit ConsoleRelay(mcp::CallContext& context) : context_{context} {}

  void wrote(std::string_view level, std::string_view text) override;

 private:
  void log(std::string_view level, std::string_view text);
  void report(std::string_view text);

  mcp::CallContext& context_;
  std::size_t lines_{0};
  std::size_t logged_bytes_{0};
  bool silent_{false};
  Clock::time_point next_report_{};
};

}  // namespace sallyport::tools
