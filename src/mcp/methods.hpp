// The methods of the protocol, and which revision has which.
#pragma once

#include "src/mcp/call.hpp"
#include "src/mcp/request.hpp"

#include <string>
#include <string_view>
#include <variant>

namespace sallyport::mcp {

class Dispatcher;

// Answered at once: the text of the result, or an error.
using PlainReply = std::variant<std::string, RpcError>;
using PlainMethod = PlainReply (*)(Dispatcher&, Request const&);

// Runs a handler, or waits: the text of the result.
using CallMethod = Task<std::string> (*)(Dispatcher&, Call&);

struct Method {
  std::string_view name;
  bool modern;
  bool legacy;
  PlainMethod plain;  // one of the two
  CallMethod call;
};

// nullptr: the revision has no such method, or nothing is registered that it could act on.
Method const* find_method(std::string_view name, Revision revision, Registry const& registry);

// By file:
PlainReply list_tools(Dispatcher& dispatcher, Request const& request);  // list_methods.cpp
PlainReply list_resources(Dispatcher& dispatcher, Request const& request);
PlainReply list_templates(Dispatcher& dispatcher, Request const& request);
PlainReply list_prompts(Dispatcher& dispatcher, Request const& request);

PlainReply discover(Dispatcher& dispatcher, Request const& request);  // plain_methods.cpp
PlainReply ping(Dispatcher& dispatcher, Request const& request);
PlainReply set_log_level(Dispatcher& dispatcher, Request const& request);
PlainReply subscribe(Dispatcher& dispatcher, Request const& request);
PlainReply unsubscribe(Dispatcher& dispatcher, Request const& request);

Task<std::string> call_tool(Dispatcher& dispatcher, Call& call);  // call_methods.cpp
Task<std::string> read_resource(Dispatcher& dispatcher, Call& call);
Task<std::string> get_prompt(Dispatcher& dispatcher, Call& call);
Task<std::string> complete(Dispatcher& dispatcher, Call& call);
Task<std::string> listen(Dispatcher& dispatcher, Call& call);  // listen_method.cpp

Task<std::string> get_task(Dispatcher& dispatcher, Call& call);  // task_methods.cpp
Task<std::string> update_task(Dispatcher& dispatcher, Call& call);
Task<std::string> cancel_task(Dispatcher& dispatcher, Call& call);
Task<std::string> task_result(Dispatcher& dispatcher, Call& call);
Task<std::string> list_tasks(Dispatcher& dispatcher, Call& call);

// -32021 with the capabilities that `required` names and the client lacks; nullopt when it has all.
std::optional<RpcError> missing_capability(json::Object const& declared,
                                           json::Object const& required);

// A string parameter that must be there.
Result<std::string> string_param(json::Object const& params, std::string_view name);

}  // namespace sallyport::mcp
