// A pdftotext child process: fed, drained, limited, and never left behind.
//
// Inside content; others use pdf_text (pdf.hpp).
#pragma once

#include "src/base/task.hpp"

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>

#include <cstddef>
#include <string>
#include <sys/types.h>

namespace sallyport::content {

// The program's path; empty when it is not installed.
std::string const& pdftotext_path();

class PdfProcess {
 public:
  // Started with its limits in force before it has seen a byte of the file.
  static Result<PdfProcess> start(Executor const& executor);

  PdfProcess(PdfProcess&& other) noexcept;
  PdfProcess& operator=(PdfProcess&&) = delete;
  // Kills and reaps it unless wait() has.
  ~PdfProcess();

  // Writes the file. A child that ends early is no failure here: wait() tells.
  Async<void> feed(std::string_view pdf);
  // All that it writes. Fails with LimitExceeded past `max_output`, and then kills it.
  Task<std::string> drain(std::size_t max_output);
  // Its wait status.
  Task<int> wait();

 private:
  // A socket pair instead of a pipe: writing to a dead child must not raise SIGPIPE.
  using Input = asio::basic_stream_socket<asio::local::stream_protocol, Executor>;
  using Descriptor = asio::posix::basic_stream_descriptor<Executor>;

  PdfProcess(pid_t pid, Input input, Descriptor output, Descriptor ending)
      : pid_{pid},
        input_{std::move(input)},
        output_{std::move(output)},
        ending_{std::move(ending)} {}

  void kill() const noexcept;

  pid_t pid_;  // 0: reaped, or moved away
  Input input_;
  Descriptor output_;
  Descriptor ending_;  // pidfd
};

}  // namespace sallyport::content
