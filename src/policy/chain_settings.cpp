#include "src/policy/chain_settings.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sallyport::policy {
namespace {

Error wrong(std::string_view place, std::string_view what) {
  return fail(Errc::InvalidInput,
              place.empty() ? std::string{what} : fmt::format("{}: {}", place, what));
}

constexpr std::string_view kHttpSendMember = "http_send";

// As JSON has it, or as a text: YAML's scalars are handed on as such.
Result<bool> read_switch(json::Value const& value) {
  if (auto const* const flag = value.if_bool()) return *flag;
  auto const* const text = value.if_string();
  if (text != nullptr && *text == "true") return true;
  if (text != nullptr && *text == "false") return false;
  return wrong("", fmt::format("`{}` is true or false.", kHttpSendMember));
}

std::string known_sections() {
  std::string names;
  for (auto const& kind : kSections)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", kind.name);
  return names;
}

Result<void> check_members(json::Object const& object, std::string_view place,
                           std::initializer_list<std::string_view> known) {
  for (auto const& [key, value] : object) {
    std::string_view const name{key.data(), key.size()};
    if (std::ranges::find(known, name) != known.end()) continue;
    return wrong(place,
                 fmt::format("there is no `{}` here; known are {}.", name, fmt::join(known, ", ")));
  }
  return {};
}

Result<std::string> text_of(json::Object const& object, std::string_view key,
                            std::string_view place) {
  auto const* const value = json::find(object, key);
  if (value == nullptr) return std::string{};
  auto const* const text = value->if_string();
  if (text == nullptr || text->empty()) {
    return wrong(place, fmt::format("`{}` is a text that is not empty.", key));
  }
  return std::string{json::view(*text)};
}

bool is_web(std::string_view url) {
  return url.starts_with("http://") || url.starts_with("https://");
}

Result<SourceSettings> read_source(json::Value const& value, SectionKind const& kind,
                                   std::string const& place) {
  auto const* const object = value.if_object();
  if (object == nullptr) return wrong(place, "a source is an object with a `url`.");
  SP_CHECK(check_members(*object, place, {"url", "rule", "policy_path"}));
  SourceSettings source;
  SP_TRY(source.url, text_of(*object, "url", place));
  SP_TRY(source.rule, text_of(*object, "rule", place));
  SP_TRY(source.policy_path, text_of(*object, "policy_path", place));
  if (source.url.empty()) return wrong(place, "a source needs a `url`.");
  bool const is_file = source.url.starts_with("file:///");
  if (!is_file && !is_web(source.url)) {
    return wrong(place, fmt::format("`url` begins with file:/// (a Rego file or a folder of them), "
                                    "http:// or https:// (an OPA server), unlike \"{}\".",
                                    source.url));
  }
  if (is_file && !source.policy_path.empty()) {
    return wrong(place, "`policy_path` is for OPA servers; a file has a `rule`.");
  }
  if (!is_file && !source.rule.empty()) {
    return wrong(place, "`rule` is for files; an OPA server has a `policy_path`.");
  }
  if (source.rule.empty()) source.rule = fmt::format("data.{}.allow", kind.package);
  if (source.policy_path.empty()) {
    source.policy_path = kind.package;
    std::ranges::replace(source.policy_path, '.', '/');
  }
  if (!source.rule.starts_with("data.")) {
    return wrong(place, fmt::format("`rule` begins with \"data.\", unlike \"{}\".", source.rule));
  }
  return source;
}

Result<ChainMode> read_mode(json::Object const& section, std::string_view place) {
  SP_TRY(auto const mode, text_of(section, "mode", place));
  if (mode.empty() || mode == "all") return ChainMode::All;
  if (mode == "any") return ChainMode::Any;
  return wrong(place, fmt::format("`mode` is \"all\" or \"any\", not \"{}\".", mode));
}

Result<SectionSettings> read_section(SectionKind const& kind, json::Value const& value) {
  std::string const place{kind.name};
  auto const* const object = value.if_object();
  if (object == nullptr) return wrong(place, "a section is an object with `policies`.");
  SP_CHECK(check_members(*object, place, {"mode", "policies"}));
  SectionSettings section{.name = std::string{kind.name}};
  SP_TRY(section.mode, read_mode(*object, place));
  auto const* const sources = json::find_array(*object, "policies");
  if (sources == nullptr || sources->empty()) {
    return wrong(place,
                 "`policies` lists at least one source. Without any, nothing would judge; to "
                 "allow everything, write a policy that says so.");
  }
  for (std::size_t i = 0; i < sources->size(); ++i) {
    SP_TRY(auto source, read_source((*sources)[i], kind, fmt::format("{}.policies[{}]", place, i)));
    section.sources.push_back(std::move(source));
  }
  return section;
}

}  // namespace

std::string_view section_of(std::string_view operation) noexcept {
  return operation == "websocket" ? operation : std::string_view{"fetch"};
}

Result<ChainSettings> read_chain_settings(json::Value const& value) {
  auto const* const object = value.if_object();
  if (object == nullptr) return wrong("", "must be a section per operation, such as fetch.");
  ChainSettings settings;
  for (auto const& [key, section] : *object) {
    std::string_view const name{key.data(), key.size()};
    if (name == kHttpSendMember) {
      SP_TRY(settings.http_send, read_switch(section));
      continue;
    }
    auto const kind = std::ranges::find(kSections, name, &SectionKind::name);
    if (kind == kSections.end()) {
      return wrong("policies",
                   fmt::format("there is no section `{}`; known are {}, and the switch {}.", name,
                               known_sections(), kHttpSendMember));
    }
    SP_TRY(auto each, read_section(*kind, section));
    settings.sections.push_back(std::move(each));
  }
  return settings;
}

}  // namespace sallyport::policy
