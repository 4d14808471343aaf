// The text of results: what every result of a revision carries around its own members.
#pragma once

#include "src/base/request_context.hpp"
#include "src/mcp/call_context.hpp"
#include "src/mcp/registry.hpp"
#include "src/mcp/server.hpp"
#include "src/mcp/task_store.hpp"

#include <string>
#include <string_view>

namespace sallyport::mcp {

// Whether, and by whom, a result may be kept as long as the settings say.
enum class Cacheable { No, Public, Private };

class Replies {
 public:
  explicit Replies(ServerOptions const& options);

  // `members` is the inside of the result object, as text without its braces. From 2026-07-28 on
  // `resultType`, the cache members and the server's identity are added.
  std::string wrap(std::string_view members, Revision revision, Cacheable cacheable = Cacheable::No,
                   std::string_view type = "complete") const;
  std::string wrap(json::Object const& result, Revision revision,
                   Cacheable cacheable = Cacheable::No, std::string_view type = "complete") const;

  // With members for the result's `_meta`, as text.
  std::string wrap_with_meta(std::string members, std::string_view meta, Revision revision,
                             Cacheable cacheable) const;

  // The whole answer with a result whose structured part is text already: megabytes are copied
  // once.
  Answer answer(json::Value const& id, ToolResult const& result, Revision revision) const;

  // `{}`, or what stands for it.
  std::string empty(Revision revision) const { return wrap(std::string_view{}, revision); }

  json::Object const& server_info() const noexcept { return info_; }

 private:
  void put_meta(std::string& text, std::string_view own) const;
  void open(std::string& out, Revision revision, std::string_view type) const;
  void close(std::string& out, Revision revision, Cacheable cacheable) const;

  json::Object info_;
  std::string meta_;  // "_meta":{"…/serverInfo":{…}}
  std::string ttl_;
};

json::Object server_info_object(ServerInfo const& info);

// Questions as they stand in a result: {key: {method, params}}.
json::Object input_requests_object(InputRequests const& requests, Revision revision);

// A task as the extension (2026-07-28) shows it, and as 2025-11-25 does.
json::Object task_object(TaskSnapshot const& task, TaskStore::Limits const& limits);
json::Object detailed_task_object(TaskSnapshot const& task, TaskStore::Limits const& limits);
json::Object core_task_object(TaskSnapshot const& task, TaskStore::Limits const& limits);

}  // namespace sallyport::mcp
