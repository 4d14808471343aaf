#include "tests/conformance_client/scenarios.hpp"

#include "src/mcp/client/listing.hpp"

#include "tests/conformance_client/obliging_listener.hpp"
#include "tests/conformance_client/skills.hpp"

#include <fmt/format.h>

#include <utility>

namespace sallyport::conformance {
namespace {

using mcp::client::Client;

json::Object object_in(json::Object const& object, std::string_view member) {
  auto const* const found = json::find_object(object, member);
  return found == nullptr ? json::Object{} : *found;
}

struct KnownTool {
  std::string name;
  json::Object schema;
  std::vector<mcp::MirroredParameter> mirrored;
};

// Those that may be called: headers that cannot be made rule a tool out.
Task<std::vector<KnownTool>> tools_of(Client& client) {
  SP_CO_TRY(auto const listing, co_await mcp::client::list_all(client, "tools/list", "tools"));
  std::vector<KnownTool> tools;
  for (auto const& entry : listing.entries) {
    auto const schema = object_in(entry, "inputSchema");
    auto mirrored = mcp::mirrored_parameters(schema);
    if (mirrored) tools.push_back({text_in(entry, "name"), schema, std::move(*mirrored)});
  }
  co_return tools;
}

Task<json::Object> ask(Client& client, std::string method, json::Object params,
                       std::vector<mcp::MirroredParameter> const* mirrored = nullptr) {
  SP_CO_TRY(auto outcome, co_await client.request({.method = std::move(method),
                                                   .params = std::move(params),
                                                   .capabilities = capabilities(),
                                                   .mirrored = mirrored},
                                                  std::make_shared<ObligingListener>()));
  if (outcome.error) co_return fail(Errc::UpstreamFailed, outcome.error->message);
  co_return std::move(outcome.result);
}

Task<void> call(Client& client, std::vector<KnownTool> const& tools, std::string const& name,
                json::Object arguments = {}) {
  for (auto const& tool : tools) {
    if (tool.name != name) continue;
    json::Object params{{"name", name}, {"arguments", std::move(arguments)}};
    SP_CO_CHECK(co_await ask(client, "tools/call", std::move(params), &tool.mirrored));
    co_return Result<void>{};
  }
  co_return fail(Errc::NotFound, fmt::format("The server has no tool {}.", name));
}

// Whatever is there first, as the suite looks at the headers only.
Task<void> touch_everything(Client& client, std::vector<KnownTool> const& tools) {
  if (!tools.empty()) SP_CO_CHECK(co_await call(client, tools, tools.front().name));
  SP_CO_TRY(auto const resources,
            co_await mcp::client::list_all(client, "resources/list", "resources"));
  for (auto const& resource : resources.entries) {
    SP_CO_CHECK(co_await ask(client, "resources/read", {{"uri", text_in(resource, "uri")}}));
  }
  SP_CO_TRY(auto const prompts, co_await mcp::client::list_all(client, "prompts/list", "prompts"));
  for (auto const& prompt : prompts.entries) {
    SP_CO_CHECK(co_await ask(client, "prompts/get", {{"name", text_in(prompt, "name")}}));
  }
  co_return Result<void>{};
}

Task<void> call_as_told(Client& client, std::vector<KnownTool> const& tools,
                        json::Object const& context) {
  auto const* const calls = json::find_array(context, "toolCalls");
  if (calls == nullptr) co_return fail(Errc::InvalidInput, "The context has no toolCalls.");
  for (auto const& each : *calls) {
    auto const& told = each.as_object();
    SP_CO_CHECK(co_await call(client, tools, text_in(told, "name"), object_in(told, "arguments")));
  }
  co_return Result<void>{};
}

Task<void> echo_schema(Client& client, std::vector<KnownTool> const& tools) {
  for (auto const& tool : tools) {
    if (tool.name != "json_schema_2020_12_tool") continue;
    co_return co_await call(client, tools, "json_schema_echo", {{"schema", tool.schema}});
  }
  co_return fail(Errc::NotFound, "The server has no json_schema_2020_12_tool.");
}

Task<void> call_all(Client& client, std::vector<KnownTool> const& tools) {
  for (auto const& tool : tools) SP_CO_CHECK(co_await call(client, tools, tool.name));
  co_return Result<void>{};
}

// Of those that the user has picked: all, or none yet.
Task<void> use_skills(Client& client, bool picked) {
  SP_CO_TRY(auto const skills, co_await list_skills(client));
  if (skills.empty()) co_return fail(Errc::NotFound, "The server lists no skill that can be used.");
  if (!picked) co_return Result<void>{};
  for (auto const& skill : skills) SP_CO_CHECK(co_await load_skill(client, skill));
  co_return Result<void>{};
}

}  // namespace

std::string text_in(json::Object const& object, std::string_view member) {
  auto const* const text = json::find_string(object, member);
  return text == nullptr ? std::string{} : std::string{json::view(*text)};
}

Task<void> play(Client& client, Scenario const& scenario) {
  SP_CO_TRY(auto const tools, co_await tools_of(client));
  auto const& name = scenario.name;
  if (name == "tools_call")
    co_return co_await call(client, tools, "add_numbers", {{"a", 5}, {"b", 3}});
  if (name == "elicitation-sep1034-client-defaults") {
    co_return co_await call(client, tools, "test_client_elicitation_defaults");
  }
  if (name == "sse-retry") co_return co_await call(client, tools, "test_reconnection");
  if (name == "sep-2322-client-request-state") co_return co_await call_all(client, tools);
  if (name == "http-standard-headers") co_return co_await touch_everything(client, tools);
  if (name == "http-custom-headers") {
    co_return co_await call_as_told(client, tools, scenario.context);
  }
  if (name == "http-invalid-tool-headers") {
    co_return co_await call(client, tools, "valid_tool", {{"region", "us-west1"}});
  }
  if (name == "json-schema-2020-12-preservation") co_return co_await echo_schema(client, tools);
  if (name.starts_with("sep-2640-client-")) {
    co_return co_await use_skills(client, name != "sep-2640-client-no-prefetch");
  }
  if (name.starts_with("auth/")) co_return co_await call(client, tools, "test-tool");
  co_return Result<void>{};
}

}  // namespace sallyport::conformance
