// Keyrings that ask, are silent or talk nonsense: GNOME Keyring with a prompter that never answers,
// and a service of our own where it cannot be brought to misbehave.
#include "tests/integration/keyring_fixture.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <functional>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

namespace sallyport::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr auto* kSecret = "0123456789abcdef0123456789abcdef";

// A connection to the test's bus that has a name on it, and answers nobody.
class BusName {
 public:
  explicit BusName(char const* name) {
    sd_bus* opened = nullptr;
    if (sd_bus_open_user(&opened) >= 0) sd_bus_request_name(opened, name, 0);
    bus_.reset(opened);
  }
  sd_bus* get() const { return bus_.get(); }

 private:
  std::unique_ptr<sd_bus, store::BusDeleter> bus_;
};

// Has the name of keyrings and answers calls, in a thread of its own.
class Service {
 public:
  using Answer = std::function<void(sd_bus_message* call, std::string_view method)>;

  explicit Service(Answer answer) : answer_{std::move(answer)} {
    sd_bus_add_filter(bus_.get(), nullptr, &on_message, this);
    thread_ = std::thread{[this] {
      while (!stopped_) {
        if (sd_bus_process(bus_.get(), nullptr) == 0) sd_bus_wait(bus_.get(), 10'000);
      }
    }};
  }
  ~Service() {
    stopped_ = true;
    thread_.join();
  }
  Service(Service const&) = delete;
  Service& operator=(Service const&) = delete;

  sd_bus* bus() const { return bus_.get(); }

 private:
  static int on_message(sd_bus_message* message, void* self, sd_bus_error*) {
    if (sd_bus_message_is_method_call(message, nullptr, nullptr) <= 0) return 0;
    static_cast<Service*>(self)->answer_(message, sd_bus_message_get_member(message));
    return 1;
  }

  Answer answer_;
  BusName bus_{"org.freedesktop.secrets"};
  std::atomic<bool> stopped_{false};
  std::thread thread_;
};

void reply_with_secret(sd_bus_message* call, std::string_view secret) {
  sd_bus_message* made = nullptr;
  sd_bus_message_new_method_return(call, &made);
  store::BusMessage const reply{made};
  sd_bus_message_open_container(made, 'r', "oayays");
  sd_bus_message_append_basic(made, 'o', "/session");
  sd_bus_message_append_array(made, 'y', nullptr, 0);
  sd_bus_message_append_array(made, 'y', secret.data(), secret.size());
  sd_bus_message_append_basic(made, 's', "text/plain");
  sd_bus_message_close_container(made);
  sd_bus_send(nullptr, made, nullptr);
}

// One locked item, which its prompt unlocks.
class FakeService {
 public:
  enum class Manner { Helpful, NoCollection, Dismisses, NeverAnswersSearches, TalksNonsense };

  explicit FakeService(Manner manner) : manner_{manner} {}

 private:
  void answer(sd_bus_message* call, std::string_view method) {
    bool const nothing = manner_ == Manner::NoCollection;
    if (manner_ == Manner::TalksNonsense && method != "OpenSession") {
      sd_bus_reply_method_return(call, "sb", "nonsense", 1);
    } else if (method == "OpenSession") {
      sd_bus_reply_method_return(call, "vo", "s", "", "/session");
    } else if (method == "ReadAlias") {
      sd_bus_reply_method_return(call, "o", nothing ? "/" : "/collection");
    } else if (method == "SearchItems") {
      if (manner_ == Manner::NeverAnswersSearches) return;
      if (nothing) {
        sd_bus_reply_method_return(call, "aoao", 0, 0);
      } else if (locked_) {
        sd_bus_reply_method_return(call, "aoao", 0, 1, "/item");
      } else {
        sd_bus_reply_method_return(call, "aoao", 1, "/item", 0);
      }
    } else if (method == "Unlock") {
      sd_bus_reply_method_return(call, "aoo", 0, "/prompt");
    } else if (method == "Prompt") {
      prompt(call);
    } else if (method == "GetSecret") {
      secret(call);
    } else {
      sd_bus_reply_method_errorf(call, "org.example.Error.Odd", "quotes %s", kSecret);
    }
  }

  // The signal overtakes the reply.
  void prompt(sd_bus_message* call) {
    bool const dismissed = manner_ == Manner::Dismisses;
    locked_ = dismissed;
    sd_bus_emit_signal(service_.bus(), "/prompt", "org.freedesktop.Secret.Prompt", "Completed",
                       "bv", int{dismissed}, "ao", 1, "/item");
    sd_bus_reply_method_return(call, "");
  }

  void secret(sd_bus_message* call) const {
    if (locked_) {
      sd_bus_reply_method_errorf(call, "org.freedesktop.Secret.Error.IsLocked", "locked");
      return;
    }
    reply_with_secret(call, kSecret);
  }

  Manner manner_;
  bool locked_{true};
  Service service_{[this](auto* call, auto method) { answer(call, method); }};
};

// Where somebody else makes the same entry right after us, in the same second.
class RivalService {
 public:
  bool removed_ours() const { return removed_ours_; }

 private:
  void answer(sd_bus_message* call, std::string_view method) {
    bool const ours = sd_bus_message_get_path(call) == std::string_view{"/ours"};
    if (method == "OpenSession") {
      sd_bus_reply_method_return(call, "vo", "s", "", "/session");
    } else if (method == "ReadAlias") {
      sd_bus_reply_method_return(call, "o", "/collection");
    } else if (method == "Unlock") {
      sd_bus_reply_method_return(call, "aoo", 1, "/collection", "/");
    } else if (method == "CreateItem") {
      made_at_ = std::chrono::steady_clock::now();
      sd_bus_reply_method_return(call, "oo", "/ours", "/");
    } else if (method == "SearchItems") {
      search(call);
    } else if (method == "Get") {
      sd_bus_reply_method_return(call, "v", "t", std::uint64_t{7});
    } else if (method == "GetSecret") {
      reply_with_secret(call, ours ? "our secret" : kSecret);
    } else if (method == "Delete") {
      removed_ours_ = ours;
      sd_bus_reply_method_return(call, "o", "/");
    }
  }

  void search(sd_bus_message* call) const {
    if (!made_at_) {
      sd_bus_reply_method_return(call, "aoao", 0, 0);
    } else if (std::chrono::steady_clock::now() - *made_at_ < 500ms) {
      sd_bus_reply_method_return(call, "aoao", 1, "/ours", 0);
    } else {
      sd_bus_reply_method_return(call, "aoao", 2, "/ours", "/another", 0);
    }
  }

  std::optional<std::chrono::steady_clock::time_point> made_at_;
  std::atomic<bool> removed_ours_{false};
  Service service_{[this](auto* call, auto method) { answer(call, method); }};
};

class KeyringFaults : public KeyringBus {
 protected:
  // What is said of the entry, or its secret.
  std::string ask() {
    auto keyring = store::Keyring::open(
        {.answer = answer_, .unlock = unlock_, .on_locked = [this] { ++times_asked_; }});
    if (!keyring) return keyring.error().message;
    auto const found = keyring->find("grants");
    if (!found) return found.error().message;
    return *found ? (*found)->reveal() : "none";
  }

  std::chrono::milliseconds answer_{10s};
  std::chrono::milliseconds unlock_{10s};
  int times_asked_{0};
};

TEST_F(KeyringFaults, EndWithTheSecretWhenTheUserUnlocksTheKeyring) {
  FakeService const service{FakeService::Manner::Helpful};

  EXPECT_EQ(ask(), kSecret);
  EXPECT_EQ(times_asked_, 1);
}

TEST_F(KeyringFaults, EndWhenTheUserDismissesTheQuestion) {
  FakeService const service{FakeService::Manner::Dismisses};

  EXPECT_THAT(ask(), HasSubstr("The keyring is locked, and its question was dismissed"));
}

TEST_F(KeyringFaults, SayThatThereIsNoCollectionToKeepAnEntryIn) {
  FakeService const service{FakeService::Manner::NoCollection};

  EXPECT_THAT(ask(), HasSubstr("no default collection: make one (a login keyring)"));
}

TEST_F(KeyringFaults, AreNotWaitedForBeyondTheTimeOfACall) {
  FakeService const service{FakeService::Manner::NeverAnswersSearches};
  answer_ = 200ms;

  EXPECT_EQ(ask(), "org.freedesktop.secrets did not answer SearchItems.");
}

TEST_F(KeyringFaults, AreNamedWhereAnAnswerIsNotUnderstood) {
  FakeService const service{FakeService::Manner::TalksNonsense};

  EXPECT_EQ(ask(), "The keyring's answer to SearchItems is not understood.");
}

TEST_F(KeyringFaults, AreToldByTheNameOfTheErrorAlone) {
  FakeService const service{FakeService::Manner::Helpful};
  auto const bus = store::SessionBus::connect(10s);
  ASSERT_TRUE(bus) << bus.error().message;

  auto const call = bus->prepare({"org.freedesktop.secrets", "/", "org.example.Odd", "Quote"});
  ASSERT_TRUE(call);
  auto const refused = bus->call(*call, 10s);

  // SECURITY: a service that quotes a secret does not get it into our log.
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "org.freedesktop.secrets refused Quote: org.example.Error.Odd.");
  EXPECT_EQ(refused.error().detail, "");
}

TEST_F(KeyringFaults, AreNoneWhereAnotherMakesTheEntryInTheSameSecond) {
  RivalService const rival;
  auto keyring = store::Keyring::open({});
  ASSERT_TRUE(keyring);

  auto const secret = keyring->find_or_add("grants", Secret{"our secret"});

  // Both come to the same of the two, and the other one is taken away.
  ASSERT_TRUE(secret) << secret.error().message;
  EXPECT_EQ(secret->reveal(), kSecret);
  EXPECT_TRUE(rival.removed_ours());
}

TEST_F(KeyringFaults, EndWhenNobodyUnlocksTheKeyring) {
  start_keyring(Keyring::Unlocked);
  {
    auto keyring = store::Keyring::open({});
    ASSERT_TRUE(keyring);
    ASSERT_TRUE(keyring->find_or_add("grants", Secret{kSecret}));
  }
  stop_keyring();
  BusName const prompter{"org.gnome.keyring.SystemPrompter"};
  start_keyring(Keyring::Locked);
  unlock_ = 300ms;

  auto const begun = std::chrono::steady_clock::now();
  EXPECT_EQ(ask(), "The keyring is locked, and nobody unlocked it within 0.3 seconds.");

  EXPECT_LT(std::chrono::steady_clock::now() - begun, 8s);
  EXPECT_EQ(times_asked_, 1);
  // Dismissing the question would have ended GNOME Keyring.
  EXPECT_TRUE(store::Keyring::open({}));
}

TEST_F(KeyringFaults, AreNotWaitedForOnABusThatIsSilent) {
  auto const path = folder_.file("silent");
  sockaddr_un address{.sun_family = AF_UNIX};
  path.copy(static_cast<char*>(address.sun_path), sizeof address.sun_path - 1);
  int const listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(listen(listener, 1), 0);
  use_bus("unix:path=" + path);
  answer_ = 200ms;

  EXPECT_EQ(ask(), "The session bus does not answer.");
  close(listener);
}

TEST_F(KeyringFaults, AreRefusedNamesThatNoEntryMayHave) {
  FakeService const service{FakeService::Manner::Helpful};
  auto keyring = store::Keyring::open({});
  ASSERT_TRUE(keyring);

  for (auto const& name : {std::string{}, std::string(65, 'a'), std::string{"a b"},
                           std::string{"a/b"}, std::string{"\xff"}, std::string{"a\0b", 3}}) {
    auto const found = keyring->find(name);
    ASSERT_FALSE(found) << name;
    EXPECT_EQ(found.error().code, Errc::InvalidInput) << name;
  }
}

}  // namespace
}  // namespace sallyport::test
