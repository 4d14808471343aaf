#include "src/js/sandbox/last_words.hpp"

#include "src/js/sandbox/cpu_time.hpp"
#include "src/json/write.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace sallyport::js::sandbox {
namespace {

// The CPU time is known at the end only. Spaces around a number are fine in JSON, and the length of
// the frame is known before.
constexpr std::size_t kNumberWidth = 20;

struct LastWords {
  RunSocket* socket{nullptr};
  std::string out_of_memory;
  std::string out_of_time;
  std::uint64_t started_us{0};
};

LastWords& last_words() noexcept {
  static LastWords words;
  return words;
}

std::string frame_of(std::string_view limit, std::string_view message, std::size_t heap_bytes) {
  std::string payload = R"({"error":{"name":"RangeError","message":)";
  json::write_string(message, payload);
  payload += fmt::format(R"(,"stack":""}},"limit":"{}","heap_bytes":{},"cpu_us":{:>{}}}})", limit,
                         heap_bytes, 0, kNumberWidth);
  std::string frame;
  append_frame(frame, FrameKind::Done, 0, payload);
  return frame;
}

void write_cpu_time(std::string& frame) noexcept {
  auto microseconds = cpu_time_us() - last_words().started_us;
  auto at = frame.size() - 1;  // of the closing brace
  auto const first = at - kNumberWidth;
  do {
    frame[--at] = static_cast<char>('0' + microseconds % 10);
    microseconds /= 10;
  } while (microseconds != 0 && at > first);
}

[[noreturn]] void say_and_end(std::string LastWords::* what, ExitCode code) noexcept {
  auto& words = last_words();
  if (words.socket != nullptr) {
    write_cpu_time(words.*what);
    words.socket->send_last_words(words.*what);
  }
  end_process(code);
}

}  // namespace

std::string out_of_memory_message(Limits const& limits) {
  return fmt::format(
      "The script ran out of memory: it may use {} MB for objects, and {} MB for everything.",
      limits.heap_mb, limits.data_mb);
}

std::string out_of_time_message(Limits const& limits) {
  return fmt::format("The script used up its CPU time: {} ms.", limits.cpu_ms);
}

void prepare_last_words(RunSocket& socket, Limits const& limits) {
  auto& words = last_words();
  words.out_of_memory =
      frame_of(kOutOfMemory, out_of_memory_message(limits), limits.heap_mb * kMegabyte);
  words.out_of_time = frame_of(kOutOfTime, out_of_time_message(limits), 0);
  words.started_us = cpu_time_us();
  words.socket = &socket;
}

void forget_last_words() noexcept {
  last_words().socket = nullptr;
}

void end_out_of_memory() noexcept {
  say_and_end(&LastWords::out_of_memory, ExitCode::OutOfMemory);
}

void end_out_of_time() noexcept {
  say_and_end(&LastWords::out_of_time, ExitCode::OutOfTime);
}

}  // namespace sallyport::js::sandbox
