// Lines from and to file descriptors, each side in a thread of its own. poll() is used rather than
// the event loop because standard input may be a file, which epoll refuses.
#pragma once

#include "src/transport/stdio.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace sallyport::transport {

class Stdio::LineReader {
 public:
  struct Limits {
    std::size_t line_bytes;
    std::size_t lines;
  };
  // Called in the reader's thread.
  struct Events {
    std::function<void(std::string line, bool too_long)> on_line;
    std::function<void()> on_end;
    std::function<void()> before_read;
  };

  LineReader(int descriptor, Limits limits, Events events);
  ~LineReader();
  LineReader(LineReader const&) = delete;
  LineReader& operator=(LineReader const&) = delete;

  // Makes room for another line. From any thread.
  void line_taken();
  void stop();

 private:
  void run();
  bool wait_readable() const;
  void split(std::string_view bytes);
  void emit();

  int descriptor_;
  int wake_;  // an eventfd: stops the wait
  Limits limits_;
  Events events_;
  std::string partial_;
  bool too_long_{false};
  std::mutex mutex_;
  std::condition_variable room_;
  std::size_t waiting_{0};
  bool stopped_{false};
  std::thread thread_;
};

class Stdio::LineWriter {
 public:
  LineWriter(int descriptor, std::size_t max_bytes);
  ~LineWriter();
  LineWriter(LineWriter const&) = delete;
  LineWriter& operator=(LineWriter const&) = delete;

  // Queues one line. From any thread; does not block.
  void write(std::string line);
  // What was queued and is not written. From any thread.
  std::size_t unwritten() const noexcept { return unwritten_.load(); }
  // Blocks while the peer does not read what it is sent.
  void wait_for_room();
  // Writes what is queued, for at most a second, and ends the thread.
  void finish();

 private:
  void run();
  bool write_all(std::string const& bytes);

  int descriptor_;
  std::size_t max_bytes_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string pending_;
  std::atomic<std::size_t> unwritten_{0};
  bool finished_{false};
  std::thread thread_;
};

}  // namespace sallyport::transport
