// The way to an MCP server that is a child process: one message per line on its standard streams.
#pragma once

#include "src/base/signal.hpp"
#include "src/base/task_group.hpp"
#include "src/mcp/client/wire.hpp"
#include "src/upstream/wire/child_process.hpp"
#include "src/upstream/wire/switchboard.hpp"

#include <memory>
#include <string>
#include <vector>

namespace sallyport::upstream {

// Of one loop.
class ChildWire final : public mcp::client::Wire {
 public:
  struct Limits {
    std::size_t message_bytes{16UL * 1024 * 1024};
    std::size_t waiting_bytes{32UL * 1024 * 1024};  // for a child that does not read
    std::size_t errors_bytes{8UL * 1024};           // of what it wrote to standard error last
  };

  // Fails as ChildProcess::start() does.
  static Result<std::unique_ptr<ChildWire>> start(ChildCommand const& command, Limits limits,
                                                  Executor executor);
  ChildWire(ChildWire const&) = delete;
  ChildWire& operator=(ChildWire const&) = delete;

  bool is_http() const noexcept override { return false; }
  Task<std::unique_ptr<mcp::client::Conversation>> post(mcp::client::Post post) override;
  Task<std::unique_ptr<mcp::client::Conversation>> listen(
      mcp::client::MessageHeaders headers) override;
  Task<void> end_session(mcp::client::MessageHeaders headers) override;

  // Whether it still speaks.
  bool is_alive() const noexcept { return alive_; }
  // The end of what it wrote to standard error.
  std::string const& errors() const noexcept { return errors_; }

  // Must have returned before it is destroyed.
  Async<void> close();

 private:
  ChildWire(ChildProcess process, Limits limits, Executor executor);

  Task<void> read();
  Task<void> read_errors();
  Task<void> write();
  Task<void> room();
  Result<void> take_lines(std::string& bytes, std::size_t from);
  void stop(std::string const& why);

  ChildProcess process_;
  Limits limits_;
  Switchboard switchboard_;
  bool alive_{true};
  std::string errors_;
  std::vector<std::string> outbox_;
  std::size_t waiting_bytes_{0};
  Signal to_write_;
  Signal has_room_;
  TaskGroup group_;
};

}  // namespace sallyport::upstream
