// Something changed that clients may want to hear about.
#pragma once

#include "src/json/value.hpp"

#include <string>

namespace sallyport::mcp {

struct Event {
  enum class Kind { ToolsChanged, PromptsChanged, ResourcesChanged, ResourceUpdated, TaskChanged };

  Kind kind{Kind::ToolsChanged};
  std::string subject;  // the resource's URI, or the task's id
  json::Object task;    // TaskChanged: the task as `tasks/get` shows it
  std::string owner;    // TaskChanged: only this principal may hear
};

}  // namespace sallyport::mcp
