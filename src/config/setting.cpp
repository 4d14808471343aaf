#include "src/config/setting.hpp"

#include "src/config/units.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

namespace sallyport::config {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

constexpr std::string_view kMask = "****";

// The names of a choice, in the order of the enumerators.
template <class E>
  requires std::is_enum_v<E>
constexpr std::span<std::string_view const> kNames;

using Name = std::string_view;
constexpr Name kLevels[]{"trace", "debug", "info", "warn", "error", "off"};
constexpr Name kFormats[]{"text", "json"};
constexpr Name kDurabilities[]{"process", "power"};
constexpr Name kWhenFull[]{"refuse", "continue"};
constexpr Name kJsEnabled[]{"auto", "true", "false"};
constexpr Name kToolSearch[]{"off", "on", "auto"};
constexpr Name kApproval[]{"first_use", "always", "off"};
constexpr Name kServerNames[]{"prefixed", "original"};

template <>
constexpr std::span<Name const> kNames<log::Level>{kLevels};
template <>
constexpr std::span<Name const> kNames<log::Format>{kFormats};
template <>
constexpr std::span<Name const> kNames<audit::Durability>{kDurabilities};
template <>
constexpr std::span<Name const> kNames<audit::WhenFull>{kWhenFull};
template <>
constexpr std::span<Name const> kNames<JsEnabled>{kJsEnabled};
template <>
constexpr std::span<Name const> kNames<ToolSearch>{kToolSearch};
template <>
constexpr std::span<Name const> kNames<Approval>{kApproval};
template <>
constexpr std::span<Name const> kNames<ServerNames>{kServerNames};

template <class E>
Result<E> parse_choice(std::string_view text) {
  auto const names = kNames<E>;
  auto const found = std::ranges::find(names, text);
  if (found != names.end()) return static_cast<E>(found - names.begin());
  return fail(Errc::InvalidInput, fmt::format("must be one of {}", fmt::join(names, ", ")));
}

bool is_bytes(Setting const& setting) {
  return std::holds_alternative<BytesAt>(setting.place);
}

bool is_duration(Setting const& setting) {
  return std::holds_alternative<At<std::chrono::milliseconds>>(setting.place) ||
         std::holds_alternative<At<std::chrono::seconds>>(setting.place);
}

std::string in_unit(Setting const& setting, std::uint64_t value) {
  if (is_bytes(setting)) return format_size(value);
  if (is_duration(setting)) {
    return format_duration(std::chrono::milliseconds{static_cast<std::int64_t>(value)});
  }
  return fmt::format("{}", value);
}

Result<std::uint64_t> in_range(Setting const& setting, Result<std::uint64_t> value) {
  if (!value) {
    return fail(Errc::InvalidInput,
                fmt::format("{}, {}", value.error().message, allowed_range(setting)));
  }
  if (*value >= setting.minimum && *value <= setting.maximum) return value;
  return fail(Errc::InvalidInput, fmt::format("must be {}", allowed_range(setting)));
}

Result<std::uint64_t> parse_milliseconds(std::string_view text) {
  SP_TRY(auto const duration, parse_duration(text));
  return static_cast<std::uint64_t>(duration.count());
}

// Parses one text into whatever the place holds.
struct Assigner {
  Setting const& setting;
  Written const& written;
  Settings& settings;

  std::string const& text() const { return written.items.front(); }

  template <class T>
  Result<void> store(At<T> const& at, Result<std::uint64_t> parsed) const {
    SP_TRY(auto const value, in_range(setting, std::move(parsed)));
    at.of(settings) = static_cast<T>(value);
    return {};
  }

  Result<void> operator()(At<std::string> const& at) const {
    at.of(settings) = text();
    return {};
  }
  Result<void> operator()(At<Secret> const& at) const {
    at.of(settings) = Secret{text()};
    return {};
  }
  Result<void> operator()(At<bool> const& at) const {
    SP_TRY(at.of(settings), parse_switch(text()));
    return {};
  }
  Result<void> operator()(At<std::uint16_t> const& at) const {
    return store(at, parse_number(text()));
  }
  Result<void> operator()(At<std::size_t> const& at) const {
    return store(at, parse_number(text()));
  }
  Result<void> operator()(BytesAt const& at) const {
    return store(At<std::size_t>{at.of}, parse_size(text()));
  }
  Result<void> operator()(At<std::chrono::milliseconds> const& at) const {
    SP_TRY(auto const value, in_range(setting, parse_milliseconds(text())));
    at.of(settings) = std::chrono::milliseconds{static_cast<std::int64_t>(value)};
    return {};
  }
  Result<void> operator()(At<std::chrono::seconds> const& at) const {
    SP_TRY(auto const value, in_range(setting, parse_milliseconds(text())));
    if (value % 1000 != 0) return fail(Errc::InvalidInput, "must be a number of whole seconds");
    at.of(settings) = std::chrono::seconds{static_cast<std::int64_t>(value / 1000)};
    return {};
  }
  Result<void> operator()(At<std::vector<std::string>> const& at) const {
    at.of(settings) = written.items;
    return {};
  }
  template <class E>
    requires std::is_enum_v<E>
  Result<void> operator()(At<E> const& at) const {
    SP_TRY(at.of(settings), parse_choice<E>(text()));
    return {};
  }
  Result<void> operator()(EntriesAt const&) const {
    return fail(Errc::InvalidInput, "can only be written in the file");
  }
};

// An empty text is how one writes that a setting without a default is unset.
bool is_unset(Setting const& setting, Written const& written) {
  auto const* at = std::get_if<At<std::string>>(&setting.place);
  if (at == nullptr || !written.items.front().empty()) return false;
  Settings defaults;
  return at->of(defaults).empty();
}

Result<void> check_items(Setting const& setting, Written const& written) {
  if (setting.check == nullptr || is_unset(setting, written)) return {};
  for (auto const& item : written.items) {
    auto problem = setting.check(item);
    if (problem.empty()) continue;
    // Which item it was; a secret is never repeated.
    if (setting.is_list()) problem = fmt::format("\"{}\" {}", item, problem);
    return fail(Errc::InvalidInput, std::move(problem));
  }
  return {};
}

}  // namespace

std::string_view Setting::section() const noexcept {
  auto const dot = key.find('.');
  return dot == std::string_view::npos ? std::string_view{} : key.substr(0, dot);
}

Setting const* find_setting(std::string_view key) noexcept {
  auto const table = setting_table();
  auto const found = std::ranges::find(table, key, &Setting::key);
  return found == table.end() ? nullptr : &*found;
}

std::string variable_of_key(std::string_view key) {
  std::string name = "SALLYPORT_" + std::string{key};
  for (char& c : name) {
    c = c == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

std::string environment_name(Setting const& setting) {
  if (setting.entries() != nullptr && !setting.takes_many()) return {};
  if (!setting.environment.empty()) return std::string{setting.environment};
  return variable_of_key(setting.key);
}

std::string flag_name(Setting const& setting) {
  if (setting.is_secret() || (setting.entries() != nullptr && !setting.takes_many())) return {};
  if (!setting.flag.empty()) return std::string{setting.flag};
  std::string name = "--" + std::string{setting.key};
  std::ranges::replace(name, '.', '-');
  std::ranges::replace(name, '_', '-');
  return name;
}

Result<void> assign(Setting const& setting, Written const& written, Settings& settings) {
  if (!setting.is_list() && (written.is_list || written.items.size() != 1)) {
    return fail(Errc::InvalidInput, fmt::format("must be one {}, not a list", type_name(setting)));
  }
  SP_CHECK(check_items(setting, written));
  return std::visit(Assigner{setting, written, settings}, setting.place);
}

json::Value shown_value(Setting const& setting, Settings const& settings) {
  // A copy, because asking for a member of an absent section makes the section.
  Settings copy = settings;
  auto const text = [](std::string_view value) { return json::Value(value); };
  return std::visit(Overloaded{
      [&](At<std::string> const& at) { return text(at.of(copy)); },
      [&](At<bool> const& at) { return json::Value(at.of(copy)); },
      [&](At<std::uint16_t> const& at) { return json::Value(at.of(copy)); },
      [&](At<std::size_t> const& at) { return json::Value(at.of(copy)); },
      [&](BytesAt const& at) { return text(format_size(at.of(copy))); },
      [&](At<std::chrono::milliseconds> const& at) { return text(format_duration(at.of(copy))); },
      [&](At<std::chrono::seconds> const& at) { return text(format_duration(at.of(copy))); },
      [&](At<std::vector<std::string>> const& at) {
        json::Array items;
        for (auto const& item : at.of(copy)) items.emplace_back(item);
        return json::Value(std::move(items));
      },
      // SECURITY: the only place where a secret meets something that is shown.
      [&](At<Secret> const& at) { return at.of(copy).empty() ? json::Value() : text(kMask); },
      [&]<class E>(At<E> const& at)
        requires std::is_enum_v<E>
      { return text(kNames<E>[static_cast<std::size_t>(at.of(copy))]); },
      [&](EntriesAt const& at) { return at.list->shown(settings); },
      },
      setting.place);
}

std::string_view type_name(Setting const& setting) noexcept {
  return std::visit(Overloaded{
      [](At<std::string> const&) { return "text"; },
      [](At<bool> const&) { return "true or false"; },
      [](At<std::uint16_t> const&) { return "number"; },
      [](At<std::size_t> const&) { return "number"; },
      [](BytesAt const&) { return "size"; },
      [](At<std::chrono::milliseconds> const&) { return "duration"; },
      [](At<std::chrono::seconds> const&) { return "duration"; },
      [](At<std::vector<std::string>> const&) { return "list"; },
      [](At<Secret> const&) { return "secret"; },
      []<class E>(At<E> const&)
        requires std::is_enum_v<E>
      { return "choice"; },
      [](EntriesAt const&) { return "list of sections"; },
      },
      setting.place);
}

std::string allowed_range(Setting const& setting) {
  auto const names = std::visit(Overloaded{
      []<class E>(At<E> const&)
        requires std::is_enum_v<E>
      { return kNames<E>; },
      [](auto const&) { return std::span<Name const>{}; },
      },
      setting.place);
  if (!names.empty()) return fmt::format("{}", fmt::join(names, ", "));
  if (setting.maximum == std::numeric_limits<std::uint64_t>::max()) return {};
  return fmt::format("{} to {}", in_unit(setting, setting.minimum),
                     in_unit(setting, setting.maximum));
}

bool is_present(Setting const& setting, Settings const& settings) noexcept {
  if (setting.key.starts_with("auth.jwt.")) return settings.auth.jwt.has_value();
  if (setting.key.starts_with("auth.forward.")) return settings.auth.forward.has_value();
  return true;
}

}  // namespace sallyport::config
