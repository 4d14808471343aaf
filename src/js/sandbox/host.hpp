// What the web APIs (src/js/web_apis) are made of: the object `__host`, its functions here, and the
// functions that the web APIs put on it for us.
#pragma once

#include "src/js/sandbox/run_socket.hpp"

#include <v8.h>

#include <optional>

namespace sallyport::js::sandbox {

// Monotonic milliseconds.
double now_ms() noexcept;

class Host {
 public:
  // Of the run at hand. Must outlive it.
  void serve(RunSocket& socket) noexcept { socket_ = &socket; }
  RunSocket& socket() noexcept { return *socket_; }

  // When the web APIs want to be woken.
  std::optional<double> alarm() const noexcept { return alarm_; }
  void set_alarm(std::optional<double> at) noexcept { alarm_ = at; }

  // The object `__host` with our functions. `this` must outlive the context.
  v8::Local<v8::Object> make_object(v8::Local<v8::Context> context);

 private:
  RunSocket nowhere_;
  RunSocket* socket_{&nowhere_};
  std::optional<double> alarm_;
};

// The functions that the web APIs gave us.
struct WebApis {
  using Function = v8::Global<v8::Function>;

  Function warm, begin, prepare, to_result, describe, on_frame, on_wake, is_busy, unhandled,
      handled_later;

  // The name of the first that is missing; nothing: they are all there.
  std::optional<std::string> take_from(v8::Local<v8::Context> context, v8::Local<v8::Object> host);
};

}  // namespace sallyport::js::sandbox
