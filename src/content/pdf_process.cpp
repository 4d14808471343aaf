#include "src/content/pdf_process.hpp"

#include "src/base/assert.hpp"
#include "src/base/descriptor.hpp"
#include "src/content/no_network.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <optional>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace sallyport::content {
namespace {

struct Pair {
  Descriptor ours;
  Descriptor theirs;
};

std::optional<Pair> make_input() noexcept {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return std::nullopt;
  return Pair{Descriptor{ends[0]}, Descriptor{ends[1]}};
}

std::optional<Pair> make_output() noexcept {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  return Pair{Descriptor{ends[0]}, Descriptor{ends[1]}};
}

class SpawnSetup {
 public:
  SpawnSetup(int input, int output) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    // SECURITY: connections that were accepted are not closed by exec.
    posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    posix_spawnattr_init(&attributes_);
    sigset_t signals;
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  SpawnSetup(SpawnSetup const&) = delete;
  SpawnSetup& operator=(SpawnSetup const&) = delete;
  ~SpawnSetup() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  // 0 when it could not be started.
  pid_t spawn(std::string path) {
    std::array<std::string, 6> words{"pdftotext", "-q", "-nopgbrk", "-enc", "UTF-8", "-"};
    std::array<char*, 8> arguments{};
    for (std::size_t i = 0; i < words.size(); ++i) arguments[i] = words[i].data();
    arguments[6] = words[5].data();  // from standard input to standard output
    char* no_environment[] = {nullptr};
    pid_t pid = 0;
    int const error =
        posix_spawn(&pid, path.c_str(), &actions_, &attributes_, arguments.data(), no_environment);
    return error == 0 ? pid : 0;
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

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
  auto input = make_input();
  auto output = make_output();
  if (!input || !output) return cannot_start("making pipes");
  pid_t pid = 0;
  without_network([&](bool) {
    pid = SpawnSetup{input->theirs.get(), output->theirs.get()}.spawn(pdftotext_path());
  });
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
