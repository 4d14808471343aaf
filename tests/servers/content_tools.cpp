#include "src/base/base64.hpp"
#include "src/mcp/content.hpp"

#include "tests/servers/fixtures.hpp"

#include <utility>

namespace sallyport::fixtures {
namespace {

using mcp::CallContext;
using mcp::ToolResult;

ToolResult single(json::Object block) {
  ToolResult result;
  result.content.push_back(std::move(block));
  return result;
}

mcp::Tool fixed(std::string name, std::string description, ToolResult result) {
  return plain_tool(
      std::move(name), std::move(description),
      [result](CallContext&, json::Object const&) -> Task<ToolResult> { co_return result; });
}

Task<ToolResult> echo(CallContext&, json::Object const& arguments) {
  auto const* text = json::find_string(arguments, "text");
  auto result = mcp::text_result(text == nullptr ? "" : json::view(*text));
  result.structured = arguments;
  co_return result;
}

json::Object everything_of_2020_12() {
  json::Object const string{{"type", "string"}};
  json::Object const address{{"$anchor", "addressDef"},
                             {"type", "object"},
                             {"properties", json::Object{{"street", string}, {"city", string}}}};
  auto const required = [](std::string_view name) {
    return json::Object{{"required", json::Array{name}}};
  };
  json::Object schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                      {"type", "object"},
                      {"$defs", json::Object{{"address", address}}}};
  schema["properties"] = json::Object{
      {"name", string},
      {"address", json::Object{{"$ref", "#/$defs/address"}}},
      {"contactMethod", json::Object{{"type", "string"}, {"enum", json::Array{"phone", "email"}}}},
      {"phone", string},
      {"email", string}};
  json::Array any_of;
  any_of.push_back(required("phone"));
  any_of.push_back(required("email"));
  json::Array all_of;
  all_of.push_back(json::Object{{"anyOf", std::move(any_of)}});
  schema["allOf"] = std::move(all_of);
  schema["if"] = json::Object{
      {"properties", json::Object{{"contactMethod", json::Object{{"const", "phone"}}}}},
      {"required", json::Array{"contactMethod"}}};
  schema["then"] = required("phone");
  schema["else"] = required("email");
  schema["additionalProperties"] = false;
  return schema;
}

}  // namespace

mcp::Tool plain_tool(std::string name, std::string description, mcp::ToolHandler handler) {
  mcp::Tool tool;
  tool.name = std::move(name);
  tool.description = std::move(description);
  tool.input_schema = object_schema({});
  tool.handler = std::move(handler);
  return tool;
}

json::Object object_schema(json::Object properties, json::Array required) {
  json::Object schema{{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

std::string tiny_png() {
  return *base64::decode(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJ"
      "ggg==");
}

std::string tiny_wav() {
  return *base64::decode("UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=");
}

void add_content_tools(mcp::Registry::Builder& builder) {
  builder.add(fixed("test_simple_text", "Gives a simple text",
                    mcp::text_result("This is a simple text response for testing.")));
  builder.add(fixed("test_image_content", "Gives an image",
                    single(mcp::content::image(tiny_png(), "image/png"))));
  builder.add(fixed("test_audio_content", "Gives a sound",
                    single(mcp::content::audio(tiny_wav(), "audio/wav"))));
  auto const embedded = mcp::content::resource_text("test://embedded-resource", "text/plain",
                                                    "This is an embedded resource content.");
  builder.add(fixed("test_embedded_resource", "Gives an embedded resource",
                    single(mcp::content::embedded(embedded))));

  auto mixed = mcp::text_result("Multiple content types test:");
  mixed.content.push_back(mcp::content::image(tiny_png(), "image/png"));
  mixed.content.push_back(mcp::content::embedded(mcp::content::resource_text(
      "test://mixed-content-resource", "application/json", R"({"test":"data","value":123})")));
  builder.add(fixed("test_multiple_content_types", "Gives text, an image and a resource", mixed));
  builder.add(fixed("test_error_handling", "Always reports an error",
                    mcp::error_result("This tool intentionally returns an error for testing")));

  auto mirrored = fixed("test_x_mcp_header", "Has an argument that is mirrored into a header",
                        mcp::text_result("ok"));
  mirrored.input_schema =
      object_schema({{"region", json::Object{{"type", "string"}, {"x-mcp-header", "Region"}}},
                     {"level", json::Object{{"type", "integer"}}}});
  builder.add(std::move(mirrored));

  auto schema = fixed("json_schema_2020_12_tool", "Has a schema with many features of 2020-12",
                      mcp::text_result("ok"));
  schema.input_schema = everything_of_2020_12();
  builder.add(std::move(schema));

  auto repeats = plain_tool("echo", "Gives back its arguments", echo);
  repeats.input_schema = object_schema({{"text", json::Object{{"type", "string"}}}});
  builder.add(std::move(repeats));
}

}  // namespace sallyport::fixtures
