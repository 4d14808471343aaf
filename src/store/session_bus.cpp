#include "src/store/session_bus.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>
#include <systemd/sd-bus.h>

namespace sallyport::store {
namespace {

using Clock = std::chrono::steady_clock;

std::uint64_t microseconds(std::chrono::milliseconds time) {
  return static_cast<std::uint64_t>(std::chrono::microseconds{time}.count());
}

Error bus_failure(int code) {
  if (code == -ENOMEDIUM) {
    return fail(Errc::CredentialUnavailable,
                "There is no session bus: neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR "
                "leads to one.");
  }
  return fail(Errc::CredentialUnavailable, fmt::format("The session bus cannot be used: {}.",
                                                       std::generic_category().message(-code)));
}

class BusError {
 public:
  BusError() = default;
  BusError(BusError const&) = delete;
  BusError& operator=(BusError const&) = delete;
  ~BusError() { sd_bus_error_free(&error_); }

  sd_bus_error* get() noexcept { return &error_; }
  bool is(char const* name) const { return sd_bus_error_has_name(&error_, name) > 0; }
  std::string_view name() const { return error_.name == nullptr ? "" : error_.name; }

 private:
  sd_bus_error error_{};
};

Error call_failure(sd_bus_message* message, BusError const& error, int code) {
  std::string_view const service = sd_bus_message_get_destination(message);
  std::string_view const method = sd_bus_message_get_member(message);
  if (error.is(SD_BUS_ERROR_SERVICE_UNKNOWN) || error.is(SD_BUS_ERROR_NAME_HAS_NO_OWNER) ||
      error.name().starts_with("org.freedesktop.DBus.Error.Spawn.")) {
    return fail(Errc::NotFound, fmt::format("Nothing on the session bus offers {}.", service),
                std::string{error.name()});
  }
  if (code == -ETIMEDOUT || error.is(SD_BUS_ERROR_NO_REPLY) || error.is(SD_BUS_ERROR_TIMEOUT)) {
    return fail(Errc::DeadlineExceeded, fmt::format("{} did not answer {}.", service, method));
  }
  // What an object lacks that is not there differs from service to service.
  if (error.is("org.freedesktop.Secret.Error.NoSuchObject") ||
      error.is(SD_BUS_ERROR_UNKNOWN_OBJECT) || error.is(SD_BUS_ERROR_UNKNOWN_INTERFACE) ||
      error.is(SD_BUS_ERROR_UNKNOWN_METHOD)) {
    return fail(Errc::NotFound, fmt::format("{} has nothing there for {}.", service, method),
                std::string{error.name()});
  }
  auto const reason =
      error.name().empty() ? std::generic_category().message(-code) : std::string{error.name()};
  return fail(Errc::CredentialUnavailable,
              fmt::format("{} refused {}: {}.", service, method, reason));
}

}  // namespace

// Not flushed: that would wait for a bus that does not read.
void BusDeleter::operator()(sd_bus* bus) const noexcept {
  sd_bus_close_unref(bus);
}

void BusDeleter::operator()(sd_bus_message* message) const noexcept {
  sd_bus_message_unref(message);
}

void BusDeleter::operator()(sd_bus_slot* slot) const noexcept {
  sd_bus_slot_unref(slot);
}

Result<SessionBus> SessionBus::connect(std::chrono::milliseconds patience) {
  sd_bus* opened = nullptr;
  int const code = sd_bus_open_user(&opened);
  SessionBus bus{opened};
  if (code < 0) return bus_failure(code);
  sd_bus_set_method_call_timeout(opened, microseconds(patience));
  // The library itself would wait for half a minute where a bus takes connections and is silent.
  SP_TRY(bool const answered, bus.listen([&] { return sd_bus_is_ready(opened) != 0; }, patience));
  if (!answered) return fail(Errc::CredentialUnavailable, "The session bus does not answer.");
  if (int const ready = sd_bus_is_ready(opened); ready < 0) return bus_failure(ready);
  return bus;
}

Result<BusMessage> SessionBus::prepare(BusMethod const& method) const {
  sd_bus_message* message = nullptr;
  int const code = sd_bus_message_new_method_call(
      bus_.get(), &message, method.service, method.path.c_str(), method.interface, method.name);
  if (code < 0) return bus_failure(code);
  return BusMessage{message};
}

Result<BusMessage> SessionBus::call(BusMessage const& message,
                                    std::chrono::milliseconds patience) const {
  BusError error;
  sd_bus_message* answer = nullptr;
  int const code =
      sd_bus_call(bus_.get(), message.get(), microseconds(patience), error.get(), &answer);
  if (code < 0) return call_failure(message.get(), error, code);
  return BusMessage{answer};
}

Result<bool> SessionBus::listen(std::function<bool()> const& done,
                                std::chrono::milliseconds patience) const {
  auto const end = Clock::now() + patience;
  while (!done()) {
    auto const left = std::chrono::duration_cast<std::chrono::microseconds>(end - Clock::now());
    if (left.count() <= 0) return false;
    int const handed_out = sd_bus_process(bus_.get(), nullptr);
    if (handed_out < 0) return bus_failure(handed_out);
    if (handed_out > 0) continue;
    int const woken = sd_bus_wait(bus_.get(), static_cast<std::uint64_t>(left.count()));
    if (woken < 0 && woken != -EINTR) return bus_failure(woken);
  }
  return true;
}

}  // namespace sallyport::store
