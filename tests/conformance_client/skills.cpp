#include "tests/conformance_client/skills.hpp"

#include "src/json/parse.hpp"
#include "src/mcp/client/listing.hpp"
#include "src/rego/json.hpp"
#include "src/rego/yaml_value.hpp"
#include "src/store/digest.hpp"

#include "tests/conformance_client/obliging_listener.hpp"
#include "tests/conformance_client/scenarios.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace sallyport::conformance {
namespace {

using mcp::client::Client;

std::optional<SkillFile> file_of(json::Value const& described) {
  auto const* const object = described.if_object();
  if (object == nullptr) return std::nullopt;
  auto const* const size = json::find(*object, "size");
  SkillFile file{.uri = text_in(*object, "uri"), .digest = text_in(*object, "digest")};
  if (file.uri.empty() || file.digest.empty() || size == nullptr) return std::nullopt;
  if (!size->is_int64() || size->get_int64() < 0) return std::nullopt;
  file.size = static_cast<std::uint64_t>(size->get_int64());
  return file;
}

std::optional<SkillEntry> entry_of(json::Object const& described) {
  auto const* const frontmatter = json::find_object(described, "frontmatter");
  auto const* const files = json::find_array(described, "resources");
  if (frontmatter == nullptr || files == nullptr) return std::nullopt;
  SkillEntry entry{.uri = text_in(described, "uri"), .frontmatter = *frontmatter};
  bool has_itself = false;
  for (auto const& each : *files) {
    auto file = file_of(each);
    if (!file) return std::nullopt;
    has_itself = has_itself || file->uri == entry.uri;
    entry.files.push_back(std::move(*file));
  }
  return has_itself ? std::optional{std::move(entry)} : std::nullopt;
}

Result<json::Value> frontmatter_of(std::string_view text) {
  constexpr std::string_view kFence = "---\n";
  auto const end = text.find("\n---\n", kFence.size() - 1);
  if (!text.starts_with(kFence) || end == std::string_view::npos) {
    return fail(Errc::UpstreamFailed, "The skill has no frontmatter.");
  }
  rego::Arena arena;
  auto const yaml = std::string{text.substr(kFence.size(), end + 1 - kFence.size())};
  SP_TRY(auto const value, rego::parse_yaml(yaml, arena));
  return json::parse(rego::to_json(value));
}

Result<void> check_frontmatter(SkillEntry const& skill, std::string_view text) {
  SP_TRY(auto const said, frontmatter_of(text));
  if (said == json::Value(skill.frontmatter)) return {};
  return fail(Errc::UpstreamFailed,
              fmt::format("The frontmatter of {} is another one.", skill.uri));
}

Result<std::string> only_text(json::Object const& result, std::string const& uri) {
  auto const* const contents = json::find_array(result, "contents");
  bool const one = contents != nullptr && contents->size() == 1 && contents->front().is_object();
  auto const* const text =
      one ? json::find_string(contents->front().get_object(), "text") : nullptr;
  if (text == nullptr) return fail(Errc::UpstreamFailed, fmt::format("{} is no text.", uri));
  return std::string{json::view(*text)};
}

}  // namespace

Task<std::vector<SkillEntry>> list_skills(Client& client) {
  SP_CO_TRY(auto const listing, co_await mcp::client::list_all(client, "skills/list", "skills"));
  std::vector<SkillEntry> skills;
  for (auto const& each : listing.entries) {
    if (auto entry = entry_of(each)) skills.push_back(std::move(*entry));
  }
  co_return skills;
}

Task<std::string> read_skill_file(Client& client, SkillEntry const& skill, SkillFile const& file) {
  SP_CO_TRY(auto const outcome, co_await client.request({.method = "resources/read",
                                                         .params = {{"uri", file.uri}},
                                                         .capabilities = capabilities()},
                                                        std::make_shared<ObligingListener>()));
  if (outcome.error) co_return fail(Errc::UpstreamFailed, outcome.error->message);
  SP_CO_TRY(auto text, only_text(outcome.result, file.uri));
  if (text.size() != file.size) {
    co_return fail(Errc::UpstreamFailed,
                   fmt::format("{} has {} bytes, not {}.", file.uri, text.size(), file.size));
  }
  if ("sha256:" + store::sha256_hex(text) != file.digest) {
    co_return fail(Errc::UpstreamFailed, fmt::format("{} has another digest.", file.uri));
  }
  if (file.uri == skill.uri) SP_CO_CHECK(check_frontmatter(skill, text));
  co_return text;
}

Task<void> load_skill(Client& client, SkillEntry const& skill) {
  for (auto const& file : skill.files) {
    if (file.uri == skill.uri) SP_CO_CHECK(co_await read_skill_file(client, skill, file));
  }
  for (auto const& file : skill.files) {
    if (file.uri != skill.uri) SP_CO_CHECK(co_await read_skill_file(client, skill, file));
  }
  co_return Result<void>{};
}

}  // namespace sallyport::conformance
