#include "src/transport/line_io.hpp"

#include "src/base/assert.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

namespace sallyport::transport {

Stdio::LineReader::LineReader(int descriptor, Limits limits, Events events)
    : descriptor_{descriptor},
      wake_{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)},
      limits_{limits},
      events_{std::move(events)},
      thread_{[this] { run(); }} {
  SP_ASSERT(wake_ >= 0, "an eventfd can be made");
}

Stdio::LineReader::~LineReader() {
  stop();
  thread_.join();
  close(wake_);
}

void Stdio::LineReader::stop() {
  {
    std::lock_guard const lock{mutex_};
    stopped_ = true;
  }
  room_.notify_all();
  std::uint64_t const one = 1;
  auto const written = ::write(wake_, &one, sizeof one);
  (void)written;  // full: then it is readable anyway
}

void Stdio::LineReader::line_taken() {
  {
    std::lock_guard const lock{mutex_};
    --waiting_;
  }
  room_.notify_one();
}

bool Stdio::LineReader::wait_readable() const {
  std::array<pollfd, 2> watched = {pollfd{descriptor_, POLLIN, 0}, pollfd{wake_, POLLIN, 0}};
  while (poll(watched.data(), watched.size(), -1) < 0) {
    if (errno != EINTR) return false;
  }
  return watched[1].revents == 0;
}

void Stdio::LineReader::run() {
  std::array<char, 64 * 1024> buffer{};
  while (wait_readable()) {
    events_.before_read();
    auto const count = read(descriptor_, buffer.data(), buffer.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) break;
    split({buffer.data(), static_cast<std::size_t>(count)});
  }
  if (!partial_.empty()) emit();  // a last line without its end
  std::lock_guard const lock{mutex_};
  if (!stopped_) events_.on_end();
}

void Stdio::LineReader::split(std::string_view bytes) {
  while (!bytes.empty()) {
    auto const end = bytes.find('\n');
    auto const piece = bytes.substr(0, end);
    // The rest of a line that is too long is skipped, not kept.
    if (partial_.size() + piece.size() > limits_.line_bytes) {
      too_long_ = true;
      partial_.clear();
    } else if (!too_long_) {
      partial_ += piece;
    }
    if (end == std::string_view::npos) return;
    bytes.remove_prefix(end + 1);
    emit();
  }
}

void Stdio::LineReader::emit() {
  {
    std::unique_lock lock{mutex_};
    room_.wait(lock, [this] { return stopped_ || waiting_ < limits_.lines; });
    if (stopped_) return;
    ++waiting_;
  }
  events_.on_line(std::exchange(partial_, {}), std::exchange(too_long_, false));
}

Stdio::LineWriter::LineWriter(int descriptor, std::size_t max_bytes)
    : descriptor_{descriptor}, max_bytes_{max_bytes}, thread_{[this] { run(); }} {}

Stdio::LineWriter::~LineWriter() {
  finish();
}

void Stdio::LineWriter::write(std::string line) {
  {
    std::lock_guard const lock{mutex_};
    pending_ += line;
    pending_ += '\n';
    unwritten_.fetch_add(line.size() + 1);
  }
  changed_.notify_all();
}

void Stdio::LineWriter::wait_for_room() {
  std::unique_lock lock{mutex_};
  changed_.wait(lock, [this] { return finished_ || pending_.size() < max_bytes_; });
}

void Stdio::LineWriter::finish() {
  {
    std::lock_guard const lock{mutex_};
    finished_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Stdio::LineWriter::run() {
  for (;;) {
    std::string bytes;
    {
      std::unique_lock lock{mutex_};
      changed_.wait(lock, [this] { return finished_ || !pending_.empty(); });
      if (pending_.empty()) return;
      bytes = std::exchange(pending_, {});
    }
    changed_.notify_all();
    if (!write_all(bytes)) return;
  }
}

bool Stdio::LineWriter::write_all(std::string const& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    pollfd watched{descriptor_, POLLOUT, 0};
    // A peer that has stopped reading must not keep the program from ending.
    int const ready = poll(&watched, 1, 1000);
    if (ready == 0) {
      std::lock_guard const lock{mutex_};
      if (finished_) return false;
      continue;
    }
    // So much never blocks a pipe that poll() calls writable.
    auto const piece = std::min<std::size_t>(bytes.size() - done, PIPE_BUF);
    auto const count = ::write(descriptor_, bytes.data() + done, piece);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) return false;  // the peer is gone; the end of its input will tell
    done += static_cast<std::size_t>(count);
    unwritten_.fetch_sub(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace sallyport::transport
