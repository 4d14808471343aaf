// The server that the official conformance suites are run against.
#include "tests/servers/fixtures.hpp"
#include "tests/servers/server_main.hpp"

int main(int argc, char** argv) {
  using namespace sallyport::fixtures;
  sallyport::mcp::Registry::Builder builder;
  add_content_tools(builder);  // first: the suites call the first tool without arguments
  add_stream_tools(builder);
  add_elicitation_tools(builder);
  add_input_round_tools(builder);
  add_task_tools(builder);
  add_resources_and_prompts(builder);
  return serve(argc, argv, builder);
}
