#include "src/store/keyring.hpp"

#include "src/base/ascii.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <systemd/sd-bus.h>
#include <thread>

namespace sallyport::store {
namespace {

constexpr auto* kService = "org.freedesktop.secrets";
constexpr auto* kServicePath = "/org/freedesktop/secrets";
constexpr auto* kServiceInterface = "org.freedesktop.Secret.Service";
constexpr auto* kCollectionInterface = "org.freedesktop.Secret.Collection";
constexpr auto* kItemInterface = "org.freedesktop.Secret.Item";
constexpr auto* kPromptInterface = "org.freedesktop.Secret.Prompt";
constexpr auto* kSchema = "io.sallyport.Key";
constexpr std::string_view kNoObject = "/";
constexpr std::size_t kLongestName = 64;
constexpr std::size_t kLongestSecretBytes = 64UL * 1024;
constexpr std::size_t kMostItems = 16;
// The service has whole seconds for when an item was made. Once this time is over, everything that
// was made in the same second as ours can be seen.
constexpr std::chrono::milliseconds kSettled{1'100};

Error not_understood(char const* what) {
  return fail(Errc::CredentialUnavailable,
              fmt::format("The keyring's answer to {} is not understood.", what));
}

Error not_sent(char const* what) {
  return fail(Errc::Internal, fmt::format("The question {} to the keyring cannot be put.", what));
}

Error still_locked(std::string_view why) {
  return fail(Errc::CredentialUnavailable, fmt::format("The keyring is locked, and {}.", why));
}

BusMethod service_method(char const* name) {
  return {kService, kServicePath, kServiceInterface, name};
}

// Reads one `ao`. Negative: it is none.
int read_paths(sd_bus_message* message, std::vector<std::string>& paths) {
  int code = sd_bus_message_enter_container(message, SD_BUS_TYPE_ARRAY, "o");
  char const* path = nullptr;
  while (code >= 0 && (code = sd_bus_message_read(message, "o", &path)) > 0) {
    paths.emplace_back(path);
  }
  return code < 0 ? code : sd_bus_message_exit_container(message);
}

int append_paths(sd_bus_message* message, std::vector<std::string> const& paths) {
  int code = sd_bus_message_open_container(message, SD_BUS_TYPE_ARRAY, "o");
  for (auto const& path : paths) {
    if (code >= 0) code = sd_bus_message_append_basic(message, 'o', path.c_str());
  }
  return code < 0 ? code : sd_bus_message_close_container(message);
}

// The specification's struct of a secret: session, parameters, value, content type. With a plain
// session there are no parameters.
int append_secret(sd_bus_message* message, std::string const& session, Secret const& secret) {
  auto const& value = secret.reveal();
  int code = sd_bus_message_open_container(message, SD_BUS_TYPE_STRUCT, "oayays");
  if (code >= 0) code = sd_bus_message_append_basic(message, 'o', session.c_str());
  if (code >= 0) code = sd_bus_message_append_array(message, 'y', nullptr, 0);
  if (code >= 0) code = sd_bus_message_append_array(message, 'y', value.data(), value.size());
  if (code >= 0) code = sd_bus_message_append_basic(message, 's', "text/plain");
  return code < 0 ? code : sd_bus_message_close_container(message);
}

struct Completion {
  bool done{false};
  bool dismissed{true};
};

int on_completed(sd_bus_message* message, void* given, sd_bus_error*) noexcept {
  auto& completion = *static_cast<Completion*>(given);
  int dismissed = 1;
  if (sd_bus_message_read_basic(message, 'b', &dismissed) >= 0) {
    completion.dismissed = dismissed != 0;
  }
  completion.done = true;
  return 0;
}

}  // namespace

bool Keyring::is_entry_name(std::string_view name) noexcept {
  return !name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, [](char c) {
    char const lower = to_lower(c);
    return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '-';
  });
}

Result<Keyring> Keyring::open(Options options) {
  SP_TRY(auto bus, SessionBus::connect(options.answer));
  Keyring keyring{std::move(bus), std::move(options)};
  SP_CHECK(keyring.open_session());
  return keyring;
}

// Secrets pass the bus as they are: whoever could read them there could ask the keyring as well.
Result<void> Keyring::open_session() {
  SP_TRY(auto const message, bus_.prepare(service_method("OpenSession")));
  if (sd_bus_message_append(message.get(), "sv", "plain", "s", "") < 0) {
    return not_sent("OpenSession");
  }
  SP_TRY(auto const answer, bus_.call(message, options_.answer));
  char const* path = nullptr;
  if (sd_bus_message_skip(answer.get(), "v") < 0 ||
      sd_bus_message_read(answer.get(), "o", &path) <= 0) {
    return not_understood("OpenSession");
  }
  session_ = path;
  return {};
}

Result<Keyring::Found> Keyring::search(std::string const& entry) {
  SP_TRY(auto const message, bus_.prepare(service_method("SearchItems")));
  if (sd_bus_message_append(message.get(), "a{ss}", 2, "application", "sallyport", "entry",
                            entry.c_str()) < 0) {
    return not_sent("SearchItems");
  }
  SP_TRY(auto const answer, bus_.call(message, options_.answer));
  Found found;
  if (read_paths(answer.get(), found.unlocked) < 0 || read_paths(answer.get(), found.locked) < 0) {
    return not_understood("SearchItems");
  }
  return found;
}

Result<Keyring::Paths> Keyring::unlocked_items(std::string const& entry) {
  SP_TRY(auto found, search(entry));
  if (!found.unlocked.empty() || found.locked.empty()) return std::move(found.unlocked);
  SP_CHECK(unlock(found.locked));
  return std::move(found.locked);
}

Result<std::string> Keyring::default_collection() {
  SP_TRY(auto const message, bus_.prepare(service_method("ReadAlias")));
  if (sd_bus_message_append_basic(message.get(), 's', "default") < 0) return not_sent("ReadAlias");
  SP_TRY(auto const answer, bus_.call(message, options_.answer));
  char const* path = nullptr;
  if (sd_bus_message_read(answer.get(), "o", &path) <= 0) return not_understood("ReadAlias");
  if (path == kNoObject) {
    return fail(Errc::CredentialUnavailable,
                "The keyring has no default collection: make one (a login keyring) with the "
                "desktop's program for passwords.");
  }
  return std::string{path};
}

Result<void> Keyring::unlock(Paths const& objects) {
  SP_TRY(auto const message, bus_.prepare(service_method("Unlock")));
  if (append_paths(message.get(), objects) < 0) return not_sent("Unlock");
  SP_TRY(auto const answer, bus_.call(message, options_.answer));
  Paths unlocked;
  char const* prompt = nullptr;
  if (read_paths(answer.get(), unlocked) < 0 ||
      sd_bus_message_read(answer.get(), "o", &prompt) <= 0) {
    return not_understood("Unlock");
  }
  if (prompt != kNoObject) return ask_user(prompt);
  if (unlocked.empty()) return still_locked("does not say how to unlock it");
  return {};
}

// The service shows a window of its own.
Result<void> Keyring::ask_user(std::string const& prompt) {
  Completion completion;
  sd_bus_slot* match = nullptr;
  // Before the question: the answer may come at once.
  if (sd_bus_match_signal(bus_.get(), &match, kService, prompt.c_str(), kPromptInterface,
                          "Completed", &on_completed, &completion) < 0) {
    return not_sent("Prompt");
  }
  BusSlot const slot{match};
  SP_TRY(auto const question, bus_.prepare({kService, prompt, kPromptInterface, "Prompt"}));
  if (sd_bus_message_append_basic(question.get(), 's', "") < 0) return not_sent("Prompt");
  if (options_.on_locked) options_.on_locked();
  SP_TRY(auto const shown, bus_.call(question, options_.answer));
  SP_TRY(bool const answered, bus_.listen([&] { return completion.done; }, options_.unlock));
  if (!answered) {
    // Not dismissed: GNOME Keyring 42 ends with an assertion then, for all who use it.
    auto const seconds = std::chrono::duration<double>{options_.unlock}.count();
    return still_locked(fmt::format("nobody unlocked it within {} seconds", seconds));
  }
  if (completion.dismissed) {
    return still_locked("its question was dismissed, or there is no desktop to show it on");
  }
  return {};
}

Result<std::uint64_t> Keyring::created(std::string const& item) {
  SP_TRY(auto const message,
         bus_.prepare({kService, item, "org.freedesktop.DBus.Properties", "Get"}));
  if (sd_bus_message_append(message.get(), "ss", kItemInterface, "Created") < 0) {
    return not_sent("Get");
  }
  SP_TRY(auto const answer, bus_.call(message, options_.answer));
  std::uint64_t seconds = 0;
  if (sd_bus_message_read(answer.get(), "v", "t", &seconds) <= 0) return not_understood("Get");
  return seconds;
}

// Everyone comes to the same, in whatever order the service names them.
Result<std::string> Keyring::oldest(Paths const& items) {
  if (items.size() == 1) return items.front();
  if (items.size() > kMostItems) {
    return fail(Errc::CredentialUnavailable,
                fmt::format("The keyring has {} entries of that name; take away all but one.",
                            items.size()));
  }
  std::optional<std::pair<std::uint64_t, std::string>> first;
  for (auto const& item : items) {
    auto const seconds = created(item);
    // One that was second takes its own away again (find_or_add).
    if (!seconds && seconds.error().code == Errc::NotFound) continue;
    if (!seconds) return seconds.error();
    std::pair candidate{*seconds, item};
    if (!first || candidate < *first) first = std::move(candidate);
  }
  if (!first) return fail(Errc::CredentialUnavailable, "The keyring's entry was taken away.");
  return std::move(first->second);
}

Result<Secret> Keyring::secret_of(std::string const& item) {
  SP_TRY(auto const message, bus_.prepare({kService, item, kItemInterface, "GetSecret"}));
  if (sd_bus_message_append_basic(message.get(), 'o', session_.c_str()) < 0) {
    return not_sent("GetSecret");
  }
  SP_TRY(auto const answer, bus_.call(message, options_.answer));
  sd_bus_message_sensitive(answer.get());  // its memory is wiped
  void const* bytes = nullptr;
  std::size_t size = 0;
  if (sd_bus_message_enter_container(answer.get(), SD_BUS_TYPE_STRUCT, "oayays") <= 0 ||
      sd_bus_message_skip(answer.get(), "oay") < 0 ||
      sd_bus_message_read_array(answer.get(), 'y', &bytes, &size) < 0) {
    return not_understood("GetSecret");
  }
  if (size == 0 || size > kLongestSecretBytes) {
    return fail(Errc::CredentialUnavailable,
                fmt::format("The secret in the keyring must have 1 to {} bytes; it has {}.",
                            kLongestSecretBytes, size));
  }
  return Secret{std::string{static_cast<char const*>(bytes), size}};
}

// Never in the place of another: whoever was first has used it already.
Result<std::string> Keyring::add(std::string const& entry, Secret const& fresh) {
  SP_TRY(auto const collection, default_collection());
  SP_TRY(auto const message,
         bus_.prepare({kService, collection, kCollectionInterface, "CreateItem"}));
  sd_bus_message_sensitive(message.get());
  auto const label = fmt::format("Sallyport: {}", entry);
  int const replace = 0;
  if (sd_bus_message_append(message.get(), "a{sv}", 2, "org.freedesktop.Secret.Item.Label", "s",
                            label.c_str(), "org.freedesktop.Secret.Item.Attributes", "a{ss}", 3,
                            "xdg:schema", kSchema, "application", "sallyport", "entry",
                            entry.c_str()) < 0 ||
      append_secret(message.get(), session_, fresh) < 0 ||
      sd_bus_message_append_basic(message.get(), 'b', &replace) < 0) {
    return not_sent("CreateItem");
  }
  SP_TRY(auto const answer, bus_.call(message, options_.answer));
  char const* item = nullptr;
  char const* prompt = nullptr;
  if (sd_bus_message_read(answer.get(), "oo", &item, &prompt) <= 0) {
    return not_understood("CreateItem");
  }
  if (prompt != kNoObject) SP_CHECK(ask_user(prompt));
  return std::string{item};  // "/" where the user was asked
}

void Keyring::remove(std::string const& item) {
  auto const message = bus_.prepare({kService, item, kItemInterface, "Delete"});
  if (message) (void)bus_.call(*message, options_.answer);
}

Result<std::optional<Secret>> Keyring::find(std::string const& entry) {
  if (!is_entry_name(entry)) {
    return fail(Errc::InvalidInput,
                "The name of an entry in the keyring is 1 to 64 letters, digits, `_`, `.` or `-`.");
  }
  SP_TRY(auto items, unlocked_items(entry));
  if (items.empty()) {
    // Some show what they hold only when they are unlocked.
    SP_TRY(auto const collection, default_collection());
    SP_CHECK(unlock({collection}));
    SP_TRY(items, unlocked_items(entry));
  }
  if (items.empty()) return std::optional<Secret>{};
  SP_TRY(auto const item, oldest(items));
  SP_TRY(auto secret, secret_of(item));
  return std::optional{std::move(secret)};
}

Result<Secret> Keyring::find_or_add(std::string const& entry, Secret const& fresh) {
  SP_TRY(auto known, find(entry));
  if (known) return *std::move(known);
  SP_TRY(auto const ours, add(entry, fresh));
  std::this_thread::sleep_for(kSettled);
  SP_TRY(auto const items, unlocked_items(entry));
  if (items.empty()) {
    return fail(Errc::CredentialUnavailable, "The keyring did not keep the new entry.");
  }
  SP_TRY(auto const first, oldest(items));
  if (first != ours && ours != kNoObject) remove(ours);
  return secret_of(first);
}

}  // namespace sallyport::store
