// Lines that somebody writes at the terminal, wherever standard input comes from.
#pragma once

#include "src/base/task.hpp"

#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>

#include <fcntl.h>
#include <string>

namespace sallyport::app {

// The terminal is opened anew: waiting for a descriptor makes it non-blocking, for all who share
// it.
class TerminalLines {
 public:
  explicit TerminalLines(Executor const& executor)
      : terminal_{executor, open("/dev/tty", O_RDONLY | O_CLOEXEC)} {}

  // Fails with Cancelled after Ctrl+C, and with NotFound at the end.
  Task<std::string> next() {
    auto const [error, size] = co_await asio::async_read_until(
        terminal_, asio::dynamic_buffer(bytes_, kLongestLine), '\n', use_tuple);
    if (error == asio::error::operation_aborted) {
      bytes_.clear();
      co_return fail(Errc::Cancelled, "Interrupted.");
    }
    if (error) co_return fail(Errc::NotFound, "There are no more lines.");
    auto line = bytes_.substr(0, size - 1);
    bytes_.erase(0, size);
    co_return line;
  }

 private:
  static constexpr std::size_t kLongestLine = 1024UL * 1024;

  asio::posix::basic_stream_descriptor<Executor> terminal_;
  std::string bytes_;
};

}  // namespace sallyport::app
