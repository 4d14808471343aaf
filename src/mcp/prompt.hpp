// A prompt: a template for messages, filled in by the server.
#pragma once

#include "src/mcp/resource.hpp"

#include <functional>
#include <string>
#include <vector>

namespace sallyport::mcp {

struct PromptArgument {
  std::string name;
  std::string title;
  std::string description;
  bool required{false};
};

struct PromptResult {
  std::string description;
  json::Array messages;  // of prompt_message()
  json::Object meta{};
};

json::Object prompt_message(std::string_view role, json::Object content);

// `arguments` has every required one, and strings only.
using PromptHandler =
    std::function<Task<PromptResult>(CallContext&, json::Object const& arguments)>;

struct Prompt {
  std::string name;
  std::string title;
  std::string description;
  std::vector<PromptArgument> arguments;
  json::Array icons;
  json::Object meta;
  PromptHandler handler;
  Completer completer;
};

}  // namespace sallyport::mcp
