// MCP over standard input and output: one message per line.
//
// Reading and writing block, so each has a thread; the loop only ever sees whole lines. Standard
// output carries the protocol and nothing else.
#pragma once

#include "src/mcp/server.hpp"
#include "src/transport/duplex_peer.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace sallyport::transport {

struct StdioOptions {
  std::size_t line_bytes{4 * 1024 * 1024};
  std::size_t json_depth{128};
  std::size_t queue_bytes{64 * 1024 * 1024};  // unread output beyond which no more is taken in
  std::size_t queue_lines{64};                // lines read and not yet taken in
  std::chrono::milliseconds grace{10'000};    // for calls in flight when the input ends
  int input{0};
  int output{1};
};

class Stdio {
 public:
  // Serves on loop 0. `on_end` is called there once, when the input has ended and what was in
  // flight is answered, or stop() was called.
  Stdio(StdioOptions options, mcp::Server& server, std::function<void()> on_end);
  ~Stdio();  // after on_end
  Stdio(Stdio const&) = delete;
  Stdio& operator=(Stdio const&) = delete;

  void start();
  // On loop 0.
  void stop();

 private:
  class LineReader;
  class LineWriter;

  void take_line(std::string line, bool too_long);
  void on_input_end();
  void check_end();
  void end();

  StdioOptions options_;
  mcp::Server& server_;
  std::function<void()> on_end_;
  std::unique_ptr<LineWriter> writer_;
  std::unique_ptr<LineReader> reader_;
  std::unique_ptr<DuplexPeer> peer_;
  Timer ending_;
  Clock::time_point give_up_{Clock::time_point::max()};
  bool ended_{false};
};

}  // namespace sallyport::transport
