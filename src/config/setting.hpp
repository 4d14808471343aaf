// The description of one setting. Everything that is done with settings (reading YAML, environment
// and flags, help, `config show`, the reference) is derived from these descriptions.
#pragma once

#include "src/base/result.hpp"
#include "src/config/entry_list.hpp"
#include "src/config/settings.hpp"
#include "src/json/value.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sallyport::config {

// Where the value lives. Asking for a member of an optional section (auth.jwt) makes the section.
template <class T>
struct At {
  T& (*of)(Settings&);
};

// A std::size_t that counts bytes, written with units.
struct BytesAt {
  std::size_t& (*of)(Settings&);
};

// A list of sections, which have a table of their own (entry_list.hpp).
struct EntriesAt {
  EntryList const* list;
};

using Place = std::variant<At<std::string>, At<bool>, At<std::uint16_t>, At<std::size_t>, BytesAt,
                           At<std::chrono::milliseconds>, At<std::chrono::seconds>,
                           At<std::vector<std::string>>, At<Secret>, At<log::Level>,
                           At<log::Format>, At<audit::Durability>, At<audit::WhenFull>,
                           At<JsEnabled>, At<ToolSearch>, At<Approval>, At<ServerNames>, EntriesAt>;

struct Setting {
  std::string_view key;  // the path in the file: "listen.port"
  Place place;
  std::string_view help;  // one line, no period

  // Where the names do not follow from the key: see environment_name() and flag_name().
  std::string_view environment;
  std::string_view flag;

  // Numbers, sizes in bytes, durations in milliseconds.
  std::uint64_t minimum{0};
  std::uint64_t maximum{std::numeric_limits<std::uint64_t>::max()};

  // What the type does not say. Returns what is wrong, or an empty text.
  std::string (*check)(std::string_view item){nullptr};

  // Shown instead of the default where that one differs from build to build.
  std::string_view default_note;

  bool is_secret() const noexcept { return std::holds_alternative<At<Secret>>(place); }
  bool is_list() const noexcept {
    return std::holds_alternative<At<std::vector<std::string>>>(place);
  }
  bool is_switch() const noexcept { return std::holds_alternative<At<bool>>(place); }
  // Null for every other kind.
  EntryList const* entries() const noexcept {
    auto const* at = std::get_if<EntriesAt>(&place);
    return at == nullptr ? nullptr : at->list;
  }

  // Whether a flag for it may be repeated.
  bool takes_many() const noexcept {
    return is_list() || (entries() != nullptr && entries()->read_texts != nullptr);
  }

  // "listen" for "listen.tls.key_file"; empty for a key without a dot.
  std::string_view section() const noexcept;
};

std::span<Setting const> setting_table() noexcept;
Setting const* find_setting(std::string_view key) noexcept;

// "SALLYPORT_LISTEN_PATH" for "listen.path"; empty: not from the environment.
std::string environment_name(Setting const& setting);
std::string variable_of_key(std::string_view key);  // whether or not the setting has another name

// "--listen-path" for "listen.path"; empty: no flag. SECURITY: a secret never has one, because the
// command line of a process is public.
std::string flag_name(Setting const& setting);

// What the operator wrote. A text that stands for a list is split by the source that knows how.
struct Written {
  std::vector<std::string> items;
  bool is_list{false};
};

// Fails with InvalidInput; the message says what is wrong and what is allowed, and never repeats a
// secret. `settings` is unchanged then.
Result<void> assign(Setting const& setting, Written const& written, Settings& settings);

// Secrets are masked; an unset secret is null.
json::Value shown_value(Setting const& setting, Settings const& settings);

// "duration", "list of texts", …; and what is allowed beyond the type: "1 to 65535", or empty.
std::string_view type_name(Setting const& setting) noexcept;
std::string allowed_range(Setting const& setting);

// False for a member of an optional section that is not there.
bool is_present(Setting const& setting, Settings const& settings) noexcept;

}  // namespace sallyport::config
