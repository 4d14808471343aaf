// What the official conformance suites expect a server to offer: names, texts and behaviour are
// theirs. One function per topic, each adds its entries.
#pragma once

#include "src/mcp/registry.hpp"

namespace sallyport::fixtures {

void add_content_tools(mcp::Registry::Builder& builder);
void add_stream_tools(mcp::Registry::Builder& builder);       // progress, logs, events
void add_elicitation_tools(mcp::Registry::Builder& builder);  // questions to the client
void add_input_round_tools(mcp::Registry::Builder& builder);  // the same, in stateless rounds
void add_task_tools(mcp::Registry::Builder& builder);
void add_resources_and_prompts(mcp::Registry::Builder& builder);

// A tool without parameters.
mcp::Tool plain_tool(std::string name, std::string description, mcp::ToolHandler handler);

// An object schema; `required` names some of its properties.
json::Object object_schema(json::Object properties, json::Array required = {});

// A red pixel as PNG, and a short silence as WAV: raw bytes.
std::string tiny_png();
std::string tiny_wav();

Task<void> sleep_for(std::chrono::milliseconds time);

}  // namespace sallyport::fixtures
