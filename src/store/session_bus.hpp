// The user's message bus (D-Bus), by sd-bus: messages and calls as values.
//
// One thread at a time. A call waits for its answer, at most as long as it is told: never on an
// event loop. What a bus or a service does wrong is a failure; nothing waits without an end.
#pragma once

#include "src/base/result.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

struct sd_bus;
struct sd_bus_message;
struct sd_bus_slot;

namespace sallyport::store {

struct BusDeleter {
  void operator()(sd_bus* bus) const noexcept;
  void operator()(sd_bus_message* message) const noexcept;
  void operator()(sd_bus_slot* slot) const noexcept;
};

using BusMessage = std::unique_ptr<sd_bus_message, BusDeleter>;
using BusSlot = std::unique_ptr<sd_bus_slot, BusDeleter>;

// Which method of which object.
struct BusMethod {
  char const* service;
  std::string path;
  char const* interface;
  char const* name;
};

class SessionBus {
 public:
  // Fails with CredentialUnavailable where there is no bus, or one that does not speak.
  static Result<SessionBus> connect(std::chrono::milliseconds patience);

  // For the arguments to be appended.
  Result<BusMessage> prepare(BusMethod const& method) const;
  // Fails with NotFound (no such service or object), DeadlineExceeded, and CredentialUnavailable.
  // SECURITY: of what the service says, failures have the error's name alone: its text might quote
  // what it was given.
  Result<BusMessage> call(BusMessage const& message, std::chrono::milliseconds patience) const;
  // Hands out what comes in until `done`; false: it was not, in that time.
  Result<bool> listen(std::function<bool()> const& done, std::chrono::milliseconds patience) const;

  sd_bus* get() const noexcept { return bus_.get(); }

 private:
  explicit SessionBus(sd_bus* bus) : bus_{bus} {}

  std::unique_ptr<sd_bus, BusDeleter> bus_;
};

}  // namespace sallyport::store
