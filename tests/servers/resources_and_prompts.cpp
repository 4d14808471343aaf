#include "src/mcp/content.hpp"

#include "tests/servers/fixtures.hpp"

#include <fmt/format.h>

#include <utility>

namespace sallyport::fixtures {
namespace {

using mcp::CallContext;
using mcp::PromptResult;
using mcp::ResourceResult;
using mcp::TemplateValues;

ResourceResult only(json::Object contents) {
  ResourceResult result;
  result.contents.push_back(std::move(contents));
  return result;
}

Task<ResourceResult> read_text(CallContext&, std::string const& uri, TemplateValues const&) {
  co_return only(mcp::content::resource_text(uri, "text/plain",
                                             "This is the content of the static text resource."));
}

Task<ResourceResult> read_binary(CallContext&, std::string const& uri, TemplateValues const&) {
  co_return only(mcp::content::resource_bytes(uri, "image/png", tiny_png()));
}

Task<ResourceResult> read_template(CallContext&, std::string const& uri,
                                   TemplateValues const& values) {
  auto const& id = values.at("id");
  co_return only(mcp::content::resource_text(
      uri, "application/json",
      fmt::format(R"({{"id":"{0}","templateTest":true,"data":"Data for ID: {0}"}})", id)));
}

PromptResult user_says(json::Object content) {
  PromptResult result;
  result.messages.push_back(mcp::prompt_message("user", std::move(content)));
  return result;
}

std::string_view argument(json::Object const& arguments, std::string_view name) {
  return json::view(arguments.at(name).get_string());
}

Task<PromptResult> simple(CallContext&, json::Object const&) {
  co_return user_says(mcp::content::text("This is a simple prompt for testing."));
}

Task<PromptResult> with_arguments(CallContext&, json::Object const& arguments) {
  co_return user_says(
      mcp::content::text(fmt::format("Prompt with arguments: arg1='{}', arg2='{}'",
                                     argument(arguments, "arg1"), argument(arguments, "arg2"))));
}

Task<PromptResult> with_resource(CallContext&, json::Object const& arguments) {
  auto result = user_says(mcp::content::embedded(mcp::content::resource_text(
      argument(arguments, "resourceUri"), "text/plain", "Embedded resource content for testing.")));
  result.messages.push_back(mcp::prompt_message(
      "user", mcp::content::text("Please process the embedded resource above.")));
  co_return result;
}

Task<PromptResult> with_image(CallContext&, json::Object const&) {
  auto result = user_says(mcp::content::image(tiny_png(), "image/png"));
  result.messages.push_back(
      mcp::prompt_message("user", mcp::content::text("Please analyze the image above.")));
  co_return result;
}

Task<PromptResult> with_question(CallContext& context, json::Object const&) {
  auto schema = object_schema({{"context", json::Object{{"type", "string"}}}}, {"context"});
  mcp::InputRequests questions{
      {"user_context", mcp::elicit_form("What is it about?", std::move(schema))}};
  SP_CO_TRY(auto const answers, co_await context.ask(std::move(questions)));
  auto const* content = json::find_object(answers.at("user_context"), "content");
  co_return user_says(mcp::content::text(
      fmt::format("About: {}", content == nullptr ? "" : argument(*content, "context"))));
}

Task<mcp::Completion> propose(CallContext&, std::string_view, std::string_view value,
                              json::Object const&) {
  mcp::Completion proposals;
  for (std::string_view const each : {"paris", "park", "party"}) {
    if (each.starts_with(value)) proposals.values.emplace_back(each);
  }
  co_return proposals;
}

mcp::Prompt prompt(std::string name, std::string description,
                   std::vector<mcp::PromptArgument> arguments, mcp::PromptHandler handler) {
  mcp::Prompt made;
  made.name = std::move(name);
  made.description = std::move(description);
  made.arguments = std::move(arguments);
  made.handler = std::move(handler);
  return made;
}

mcp::Resource resource(std::string name, std::string mime_type, mcp::ResourceHandler handler) {
  mcp::Resource made;
  made.uri = "test://" + name;
  made.name = std::move(name);
  made.description = "A resource for tests";
  made.mime_type = std::move(mime_type);
  made.handler = std::move(handler);
  return made;
}

}  // namespace

void add_resources_and_prompts(mcp::Registry::Builder& builder) {
  builder.add(resource("static-text", "text/plain", read_text));
  builder.add(resource("static-binary", "image/png", read_binary));
  builder.add(resource("watched-resource", "text/plain", read_text));

  mcp::ResourceTemplate by_id;
  by_id.uri_template = "test://template/{id}/data";
  by_id.name = "template";
  by_id.description = "A resource with a parameter";
  by_id.mime_type = "application/json";
  by_id.handler = read_template;
  builder.add(std::move(by_id));

  builder.add(prompt("test_simple_prompt", "A prompt without arguments", {}, simple));
  auto arguments =
      prompt("test_prompt_with_arguments", "A prompt with two arguments",
             {{"arg1", "", "The first", true}, {"arg2", "", "The second", true}}, with_arguments);
  arguments.completer = propose;
  builder.add(std::move(arguments));
  builder.add(prompt("test_prompt_with_embedded_resource", "A prompt that embeds a resource",
                     {{"resourceUri", "", "What to embed", true}}, with_resource));
  builder.add(prompt("test_prompt_with_image", "A prompt with an image", {}, with_image));
  builder.add(
      prompt("test_input_required_result_prompt", "A prompt that asks first", {}, with_question));
}

}  // namespace sallyport::fixtures
