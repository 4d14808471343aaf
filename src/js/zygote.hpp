// The running `sallyport-js`: asks it for children, hears of their ends, and starts it again when
// it is lost.
#pragma once

#include "src/base/descriptor.hpp"
#include "src/base/one_shot_event.hpp"
#include "src/base/result.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace sallyport::js {

struct ChildLimits {
  std::size_t heap_mb{128};
  std::chrono::milliseconds cpu{10'000};           // of each run
  std::chrono::milliseconds total_cpu{3'600'000};  // of all its runs
};

// How a child ended. Written before the event is set.
struct ChildEnd {
  std::shared_ptr<OneShotEvent> happened = OneShotEvent::make();
  int signal{0};       // 0: it ended by itself
  bool lost{false};    // with the whole program, or it was never born
  std::string reason;  // why it was not
};

// A child as the gateway holds it. Going away kills it, where it has not ended.
class Child {
 public:
  Child(class Zygote& zygote, std::uint64_t id, Descriptor socket, std::shared_ptr<ChildEnd> end);
  ~Child();
  Child(Child const&) = delete;
  Child& operator=(Child const&) = delete;

  void kill();
  ChildEnd const& end() const noexcept { return *end_; }
  std::shared_ptr<OneShotEvent> ended() const noexcept { return end_->happened; }

  // A stream of frames (frame.hpp); taken out while a loop uses it, and put back.
  Descriptor socket;

 private:
  Zygote& zygote_;
  std::uint64_t id_;
  std::shared_ptr<ChildEnd> end_;
};

class Zygote {
 public:
  // Starts nothing yet. `program` is the path of sallyport-js.
  explicit Zygote(std::string program);
  // Ends the program and with it all children; they must be gone by now.
  ~Zygote();
  Zygote(Zygote const&) = delete;
  Zygote& operator=(Zygote const&) = delete;

  // From any thread; once is enough. Without it there are no children.
  void start();

  // From any thread; does not block. Fails with NotFound and the reason when the program does not
  // run, or with LimitExceeded when it is behind.
  Result<std::unique_ptr<Child>> fork(ChildLimits const& limits);

  // Set once the program is warm for the first time, or cannot be started.
  std::shared_ptr<OneShotEvent> first_attempt() const noexcept { return first_attempt_; }
  Result<void> ready() const;

 private:
  friend class Child;

  void serve();
  bool spawn_program();
  void listen();
  void note(std::string_view packet);
  void note_end(std::uint64_t id, int signal, std::string failure);
  void lose_children();
  void reap();
  void kill(std::uint64_t id);
  Result<void> ask(std::string const& packet, int descriptor);

  std::string const program_;
  std::atomic<std::uint64_t> next_id_{1};
  std::shared_ptr<OneShotEvent> const first_attempt_ = OneShotEvent::make();

  mutable std::mutex mutex_;  // what follows, up to the thread
  std::map<std::uint64_t, std::shared_ptr<ChildEnd>> children_;
  std::string why_not_{"it is being started"};  // empty: it is warm
  Descriptor control_;
  bool stops_{false};

  Descriptor stop_event_;
  int pid_{0};  // of the thread
  std::once_flag started_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace sallyport::js
