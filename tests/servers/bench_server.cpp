// The server of the benchmarks: one tool that repeats a text.
#include "tests/servers/fixtures.hpp"
#include "tests/servers/server_main.hpp"

namespace {

using namespace sallyport;

Task<mcp::ToolResult> echo(mcp::CallContext&, json::Object const& arguments) {
  co_return mcp::text_result(json::view(arguments.at("text").get_string()));
}

}  // namespace

int main(int argc, char** argv) {
  mcp::Tool tool;
  tool.name = "echo";
  tool.description = "Repeats a text";
  tool.input_schema =
      fixtures::object_schema({{"text", json::Object{{"type", "string"}}}}, {"text"});
  tool.handler = echo;
  mcp::Registry::Builder builder;
  builder.add(std::move(tool));
  return fixtures::serve(argc, argv, builder);
}
