#include "src/content/pdf_process.hpp"

#include "src/base/assert.hpp"
#include "src/base/child_launch.hpp"
#include "src/content/no_network.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace sallyport::content {
namespace {

// 0 when it could not be started.
pid_t start_pdftotext(int input, int output) {
  pid_t pid = 0;
  int const error =
      ChildLaunch{}
          .give(input, STDIN_FILENO)
          .give(output, STDOUT_FILENO)
          .give_nothing(STDERR_FILENO)
          // From standard input to standard output.
          .start({pdftotext_path(), "-q", "-nopgbrk", "-enc", "UTF-8", "-", "-"}, {}, pid);
  return error == 0 ? pid : 0;
}

// SECURITY: the child parses what a stranger wrote. It may not write files, fork, or take more time
// and memory than this; from the network it is cut off since its start (no_network.hpp). It gets
// nothing to parse before this has been done.
bool confine(pid_t pid) noexcept {
  struct Limit {
    __rlimit_resource resource;
    rlim_t value;
  };
  constexpr Limit kLimits[] = {{RLIMIT_CPU, 30},     {RLIMIT_AS, 1UL << 30U}, {RLIMIT_FSIZE, 0},
                               {RLIMIT_NOFILE, 32},  {RLIMIT_NPROC, 0},       {RLIMIT_CORE, 0},
                               {RLIMIT_MSGQUEUE, 0}, {RLIMIT_MEMLOCK, 0}};
  for (auto const& limit : kLimits) {
    rlimit const value{.rlim_cur = limit.value, .rlim_max = limit.value};
    if (::prlimit(pid, limit.resource, &value, nullptr) != 0) return false;
  }
  return true;
}

void end(pid_t pid) noexcept {
  ::kill(-pid, SIGKILL);
  ::kill(pid, SIGKILL);  // where the group is not made yet
}

// Short: it has been killed.
void reap(pid_t pid) noexcept {
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Error cannot_start(std::string_view what) {
  return fail(Errc::LimitExceeded, "The server cannot read PDF files at the moment.",
              fmt::format("pdftotext: {} failed: errno {}", what, errno));
}

}  // namespace

std::string const& pdftotext_path() {
  static std::string const path = [] {
    for (auto const* const place : {"/usr/bin/pdftotext", "/usr/local/bin/pdftotext"}) {
      if (::access(place, X_OK) == 0) return std::string{place};
    }
    return std::string{};
  }();
  return path;
}

Result<PdfProcess> PdfProcess::start(Executor const& executor) {
  auto input = make_socket_pair(SOCK_STREAM);
  auto output = make_pipe_from_child();
  if (!input || !output) return cannot_start("making pipes");
  pid_t pid = 0;
  without_network([&](bool) { pid = start_pdftotext(input->theirs.get(), output->theirs.get()); });
  if (pid == 0) return cannot_start("starting");
  // Not pidfd_open(): its header has no extern "C" in glibc 2.36.
  sallyport::Descriptor ending{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))};
  if (ending.get() < 0 || !confine(pid)) {
    auto error = cannot_start("limiting");
    end(pid);
    reap(pid);
    return error;
  }
  return PdfProcess{pid, Input{executor, asio::local::stream_protocol{}, input->ours.release()},
                    Descriptor{executor, output->ours.release()},
                    Descriptor{executor, ending.release()}};
}

PdfProcess::PdfProcess(PdfProcess&& other) noexcept
    : pid_{std::exchange(other.pid_, 0)},
      input_{std::move(other.input_)},
      output_{std::move(other.output_)},
      ending_{std::move(other.ending_)} {}

PdfProcess::~PdfProcess() {
  if (pid_ == 0) return;
  kill();
  reap(pid_);
}

void PdfProcess::kill() const noexcept {
  end(pid_);
}

Async<void> PdfProcess::feed(std::string_view pdf) {
  co_await asio::async_write(input_, asio::buffer(pdf), use_tuple);
  boost::system::error_code ignored;
  input_.close(ignored);  // NOLINT(bugprone-unused-return-value)
}

Task<std::string> PdfProcess::drain(std::size_t max_output) {
  constexpr std::size_t kPiece = 64UL * 1024;
  std::string text;
  while (true) {
    auto const had = text.size();
    text.resize(had + kPiece);
    auto const [error, count] =
        co_await output_.async_read_some(asio::buffer(text.data() + had, kPiece), use_tuple);
    text.resize(had + count);
    if (error == asio::error::eof) co_return text;
    if (error) {
      kill();
      co_return fail(Errc::Cancelled, "The request was cancelled.", error.message());
    }
    if (text.size() <= max_output) continue;
    kill();
    co_return fail(Errc::LimitExceeded,
                   fmt::format("The text of the PDF is longer than {} bytes.", max_output));
  }
}

Task<int> PdfProcess::wait() {
  auto const [error] = co_await ending_.async_wait(Descriptor::wait_read, use_tuple);
  if (error) co_return fail(Errc::Cancelled, "The request was cancelled.", error.message());
  int status = 0;
  auto const reaped = ::waitpid(pid_, &status, 0);
  SP_ASSERT(reaped == pid_, "nobody else reaps the child");
  pid_ = 0;
  co_return status;
}

}  // namespace sallyport::content
