// A message bus and GNOME Keyring of the test's own, with a home of their own: nothing of the
// user's is seen or changed.
#pragma once

#include "src/store/keyring.hpp"

#include "tests/support/child_process.hpp"
#include "tests/support/not_tested.hpp"
#include "tests/support/temp_folder.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace sallyport::test {

inline constexpr auto* kKeyringPrograms = "apt-get install dbus gnome-keyring libsecret-tools";

class KeyringBus : public testing::Test {
 protected:
  enum class Keyring { Unlocked, Locked };

  // Starts no service when somebody calls one: only those of the test are there.
  static constexpr auto* kBusSettings = R"(<!DOCTYPE busconfig PUBLIC
 "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:dir=FOLDER</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
)";

  void SetUp() override {
    for (auto const* program : {"dbus-daemon", "gnome-keyring-daemon", "secret-tool"}) {
      if (!std::filesystem::exists(std::string{"/usr/bin/"} + program)) {
        SP_NOT_TESTED(kKeyringPrograms);
      }
    }
    std::string settings = kBusSettings;
    settings.replace(settings.find("FOLDER"), 6, folder_.path());
    auto const file = folder_.write("bus.conf", settings);
    bus_ = std::make_unique<ChildProcess>(
        std::vector<std::string>{"/usr/bin/dbus-daemon", "--config-file=" + file, "--nofork",
                                 "--nopidfile", "--print-address"},
        environment());
    address_ = bus_->line();
    ASSERT_NE(address_, "");
    use_bus(address_);
  }

  void TearDown() override { unsetenv("DBUS_SESSION_BUS_ADDRESS"); }

  // Where the test itself, and the programs that it starts, look for the bus.
  static void use_bus(std::string const& address) {
    setenv("DBUS_SESSION_BUS_ADDRESS", address.c_str(), 1);
  }

  void start_keyring(Keyring state) {
    std::vector<std::string> command{"/usr/bin/gnome-keyring-daemon", "--foreground",
                                     "--components=secrets"};
    if (state == Keyring::Unlocked) command.emplace_back("--unlock");
    keyring_ = std::make_unique<ChildProcess>(std::move(command), environment());
    if (state == Keyring::Unlocked) keyring_->write("a password");
    keyring_->close_input();
    auto const end = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    while (!store::Keyring::open({})) {
      ASSERT_LT(std::chrono::steady_clock::now(), end) << "the keyring does not start";
      std::this_thread::sleep_for(std::chrono::milliseconds{20});
    }
  }
  void stop_keyring() {
    keyring_->signal(SIGTERM);
    keyring_->wait();
    keyring_.reset();
  }

  struct Outcome {
    int code{-1};
    std::string output;  // both streams
  };
  // Runs it to its end in our folder; `command` is a shell's.
  Outcome shell(std::string const& command) const {
    ChildProcess child{{"/bin/sh", "-c", "exec 2>&1; " + command}, environment()};
    child.close_input();
    Outcome outcome;
    for (auto line = child.line(); !line.empty(); line = child.line()) {
      outcome.output += line + "\n";
    }
    outcome.code = child.wait();
    return outcome;
  }
  Outcome secret_tool(std::string const& command, std::string const& entry) const {
    return shell("secret-tool " + command + " application sallyport entry " + entry);
  }

  std::vector<std::string> environment() const {
    auto const home = folder_.path();
    return {"HOME=" + home, "XDG_RUNTIME_DIR=" + home, "XDG_DATA_HOME=" + home + "/data",
            "XDG_CONFIG_HOME=" + home + "/config", "XDG_CACHE_HOME=" + home + "/cache"};
  }

  TempFolder folder_;
  std::string address_;

 private:
  std::unique_ptr<ChildProcess> bus_;
  std::unique_ptr<ChildProcess> keyring_;
};

}  // namespace sallyport::test
