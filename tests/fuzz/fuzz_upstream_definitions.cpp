// Whatever another server lists or answers, we make entries and results of it that a registry takes
// and every revision can show, and its URIs stay its own.
//
// Input: JSON. An array is taken as each of the four lists, and its objects as results.
#include "src/base/assert.hpp"
#include "src/json/parse.hpp"
#include "src/json/write.hpp"
#include "src/mcp/codec.hpp"
#include "src/mcp/registry.hpp"
#include "src/upstream/catalog/definitions.hpp"
#include "src/upstream/catalog/hidden_text.hpp"
#include "src/upstream/catalog/names.hpp"
#include "src/upstream/catalog/results.hpp"
#include "src/upstream/catalog/uris.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace sallyport;
using namespace sallyport::upstream;

constexpr std::string_view kServer = "s";

using Publish = void (*)(std::string_view, json::Object&);

json::Array published(json::Array list, Publish publish) {
  for (auto& each : list) {
    if (auto* const object = each.if_object()) publish(kServer, *object);
  }
  return list;
}

template <class Entry>
std::vector<std::string> names_of(std::vector<Entry> const& entries) {
  std::vector<std::string> names;
  for (auto const& each : entries) names.push_back(each.name);
  return names;
}

void build_registry(json::Array const& list) {
  AliasBook const book{{std::string{kServer}, "s_a", "a"}, {"mcp_s_x"}};
  mcp::Registry::Builder builder;
  auto tools = take_tools(published(list, publish_tool));
  auto const tool_names = book.aliases(kServer, names_of(tools.entries));
  for (std::size_t i = 0; i < tools.entries.size(); ++i) {
    tools.entries[i].name = tool_names[i];
    builder.add(std::move(tools.entries[i]));
  }
  auto prompts = take_prompts(list);
  auto const prompt_names = book.aliases(kServer, names_of(prompts.entries));
  for (std::size_t i = 0; i < prompts.entries.size(); ++i) {
    prompts.entries[i].name = prompt_names[i];
    builder.add(std::move(prompts.entries[i]));
  }
  for (auto& each : take_resources(published(list, publish_resource)).entries) {
    SP_ASSERT(to_original(kServer, each.uri).has_value(), "a public URI has an original");
    builder.add(std::move(each));
  }
  for (auto& each : take_templates(published(list, publish_template)).entries) {
    builder.add(std::move(each));
  }
  SP_ASSERT(builder.build().has_value(), "a registry takes whatever was taken");
}

void show_results(json::Object const& result) {
  auto tool = result;
  publish_tool_result(kServer, tool);
  auto resource = result;
  publish_resource_result(kServer, resource);
  auto prompt = result;
  publish_prompt_result(kServer, prompt);
  auto const tool_result = take_tool_result(tool);
  auto const prompt_result = take_prompt_result(prompt);
  for (auto const revision : mcp::kRevisions) {
    (void)json::to_text(mcp::codec::tool_result(tool_result, revision));
    (void)json::to_text(mcp::codec::prompt_result(prompt_result, revision));
  }
  for (auto const& each : take_resource_result(resource).contents) {
    auto const uri = json::view(each.at("uri").get_string());
    SP_ASSERT(server_of(uri) == kServer, "what is read is under the server's name");
  }
  (void)take_completion(result);
  (void)hidden_text(result);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const value = json::parse({reinterpret_cast<char const*>(data), size});
  if (!value) return 0;
  if (auto const* object = value->if_object()) show_results(*object);
  if (auto const* list = value->if_array()) {
    build_registry(*list);
    for (auto const& each : *list) {
      if (auto const* object = each.if_object()) show_results(*object);
    }
  }
  return 0;
}
