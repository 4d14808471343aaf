#include "src/upstream/gateway/routes.hpp"

#include "src/upstream/catalog/results.hpp"
#include "src/upstream/catalog/uris.hpp"

#include <fmt/format.h>

#include <utility>

namespace sallyport::upstream {
namespace {

using mcp::CallContext;
using mcp::client::Outcome;
using policy::McpOperation;

constexpr std::string_view kPurpose = "gateway";
constexpr std::string_view kCompletionPurpose = "completion";
// 2025-11-25: the user has to go somewhere first.
constexpr int kUrlElicitationRequired = -32042;

// Which page it is that calls: a host says it beside `sallyport/caller`.
constexpr std::string_view kPage = "sallyport/page";

// SECURITY: a page asks its own server alone (MCP Apps), also where all servers are one to its
// host. Below /mcp/{server} there are no others: where URIs are the server's own, no page can be
// told from them, and none has to be.
bool is_page_of_another(CallContext const& call, Route route) {
  if (call.request().principal.kind != CallerKind::App || route.original_uris) return false;
  auto const about = call.request_meta();
  auto const* const page = json::find_string(about, kPage);
  return page != nullptr && server_of(json::view(*page)) != route.server.part();
}

Task<policy::Decision> judge(Route route, CallContext const& call, policy::McpQuery const& query) {
  if (is_page_of_another(call, route)) {
    policy::Decision no{.reasons = {"a page of another server asks for it"}};
    co_return co_await route.gate.deny(query, std::move(no));
  }
  co_return co_await route.gate.judge(query);
}

// What `work` comes to, if it may be done: it is on record when anybody hears of it.
template <class T>
Task<T> judged(Route route, CallContext const& call, policy::McpQuery const& query, Task<T> work) {
  SP_CO_TRY(auto decision, co_await judge(route, call, query));
  SP_CO_TRY(auto const record,
            route.gate.record(query, std::move(decision), co_await asio::this_coro::executor));
  auto result = co_await std::move(work);
  SP_CO_CHECK(co_await record.written());
  co_return std::move(result);
}

mcp::client::Patience patience_with(UpstreamServer const& server) {
  return {server.times().request, server.times().longest};
}

// In the words of the client's own server: which one of many has failed.
Error of_server(UpstreamServer const& server, Error error) {
  bool const ours = error.code == Errc::InputRequired || error.code == Errc::Cancelled ||
                    error.code == Errc::PolicyDenied;
  bool const named = error.message.starts_with(server.name());
  if (!ours && !named) error.message = fmt::format("{}: {}", server.name(), error.message);
  return error;
}

Error refused_by_server(CallContext& call, UpstreamServer const& server, mcp::RpcError error) {
  auto failure = fail(Errc::UpstreamFailed, fmt::format("{}: {}", server.name(), error.message));
  error.http_status = error.code == mcp::code::kMissingCapability ? 400 : 200;
  call.refuse(std::move(error));
  return failure;
}

// For what a request takes besides the server's own time: to connect, to be let in, to be recorded.
constexpr std::chrono::minutes kSpare{1};

Task<Outcome> relayed(Route route, CallContext& call, Relayed request) {
  // The server's bounds hold, and say whose they are.
  call.may_take(request.patience.longest + kSpare);
  if (auto about = call.request_meta(); !about.empty()) request.params["_meta"] = std::move(about);
  auto const begun = Clock::now();
  auto outcome = co_await route.server.relay().request(call, std::move(request));
  route.server.note_call(begun, outcome);
  if (!outcome) co_return of_server(route.server, outcome.error());
  co_return std::move(outcome);
}

Task<json::Object> result_of(Route route, CallContext& call, Relayed request) {
  SP_CO_TRY(auto outcome, co_await relayed(route, call, std::move(request)));
  if (outcome.error) co_return refused_by_server(call, route.server, std::move(*outcome.error));
  co_return std::move(outcome.result);
}

// Where the user has to go, as questions that a client can be asked.
mcp::InputRequests places_to_go(mcp::RpcError const& error) {
  mcp::InputRequests requests;
  auto const* const data = error.data.if_object();
  auto const* const list = data == nullptr ? nullptr : json::find_array(*data, "elicitations");
  if (list == nullptr) return requests;
  for (auto const& each : *list) {
    auto const* const params = each.if_object();
    if (params == nullptr || json::find_string(*params, "url") == nullptr) continue;
    auto asked = *params;
    asked["mode"] = "url";
    requests.emplace(fmt::format("url-{}", requests.size() + 1),
                     mcp::InputRequest{mcp::InputKind::UrlElicitation, std::move(asked)});
  }
  return requests;
}

// A tool of another server.
struct ToolTarget {
  Route route;
  std::string name;
  std::vector<mcp::MirroredParameter> mirrored;
  bool needs_task{false};
};
using Target = std::shared_ptr<ToolTarget const>;

Relayed tool_call(Target const& target, json::Object const& arguments) {
  auto const& times = target->route.server.times();
  Relayed request{.method = "tools/call",
                  .params = {{"name", target->name}, {"arguments", arguments}},
                  .patience = {times.tool_call, times.longest},
                  .mirrored = &target->mirrored,
                  .keeps = target,
                  .is_recorded = true};
  if (target->needs_task) request.params["task"] = json::Object{{"ttl", times.longest.count()}};
  return request;
}

// What a tool of 2025-11-25 that only runs as a task comes to.
Task<Outcome> result_of_task(Target target, CallContext& call, Outcome begun) {
  auto const* const task = json::find_object(begun.result, "task");
  auto const* const id = task == nullptr ? nullptr : json::find_string(*task, "taskId");
  if (id == nullptr) co_return std::move(begun);
  auto const& times = target->route.server.times();
  // It answers when the task is over.
  co_return co_await relayed(target->route, call,
                             {.method = "tasks/result",
                              .params = {{"taskId", *id}},
                              .patience = {times.longest, times.longest}});
}

Task<Outcome> call_once(Target target, CallContext& call, json::Object const& arguments) {
  auto outcome = co_await relayed(target->route, call, tool_call(target, arguments));
  if (!outcome || outcome->error || !target->needs_task) co_return std::move(outcome);
  co_return co_await result_of_task(std::move(target), call, std::move(*outcome));
}

Task<mcp::ToolResult> call_server(Target target, CallContext& call, json::Object const& arguments) {
  SP_CO_TRY(auto outcome, co_await call_once(target, call, arguments));
  bool const go = outcome.error && outcome.error->code == kUrlElicitationRequired;
  if (go && call.can_ask(mcp::InputKind::UrlElicitation)) {
    SP_CO_CHECK(co_await call.ask(places_to_go(*outcome.error)));
    SP_CO_TRY(outcome, co_await call_once(target, call, arguments));
  }
  auto& server = target->route.server;
  if (outcome.error) co_return refused_by_server(call, server, std::move(*outcome.error));
  if (!target->route.original_uris) publish_tool_result(server.part(), outcome.result);
  co_return take_tool_result(std::move(outcome.result));
}

Task<mcp::ToolResult> judged_call(Target target, CallContext& call, json::Object const& arguments) {
  policy::McpQuery const query{.operation = McpOperation::CallTool,
                               .purpose = kPurpose,
                               .server = target->route.server.name(),
                               .name = target->name,
                               .arguments = &arguments,
                               .request = call.request()};
  auto work = call_server(target, call, arguments);
  co_return co_await judged(target->route, call, query, std::move(work));
}

Error not_found(std::string_view uri) {
  return fail(Errc::NotFound, fmt::format("Resource not found: {}", uri));
}

Task<mcp::ResourceResult> read_from_server(Route route, CallContext& call, std::string_view uri,
                                           std::string const& original) {
  auto& server = route.server;
  SP_CO_TRY(auto outcome, co_await relayed(route, call,
                                           {.method = "resources/read",
                                            .params = {{"uri", original}},
                                            .patience = patience_with(server),
                                            .is_recorded = true}));
  if (outcome.error) {
    auto const code = outcome.error->code;
    bool const missing = code == mcp::code::kResourceNotFound || code == mcp::code::kInvalidParams;
    if (missing) co_return not_found(uri);  // each era has a code of its own for it
    co_return refused_by_server(call, server, std::move(*outcome.error));
  }
  if (!route.original_uris) publish_resource_result(server.part(), outcome.result);
  co_return take_resource_result(std::move(outcome.result));
}

Task<mcp::ResourceResult> judged_read(Route route, CallContext& call, std::string const& uri) {
  auto const& server = route.server;
  auto const original = route.original_uris ? std::optional{uri} : to_original(server.part(), uri);
  if (!original) co_return not_found(uri);
  policy::McpQuery const query{.operation = McpOperation::ReadResource,
                               .purpose = kPurpose,
                               .server = server.name(),
                               .name = *original,
                               .request = call.request()};
  auto work = read_from_server(route, call, uri, *original);
  co_return co_await judged(route, call, query, std::move(work));
}

Task<mcp::PromptResult> prompt_from_server(Route route, CallContext& call, std::string const& name,
                                           json::Object const& arguments) {
  SP_CO_TRY(auto result, co_await result_of(route, call,
                                            {.method = "prompts/get",
                                             .params = {{"name", name}, {"arguments", arguments}},
                                             .patience = patience_with(route.server),
                                             .is_recorded = true}));
  if (!route.original_uris) publish_prompt_result(route.server.part(), result);
  co_return take_prompt_result(std::move(result));
}

Task<mcp::PromptResult> judged_prompt(Route route, CallContext& call, std::string name,
                                      json::Object const& arguments) {
  policy::McpQuery const query{.operation = McpOperation::GetPrompt,
                               .purpose = kPurpose,
                               .server = route.server.name(),
                               .name = name,
                               .arguments = &arguments,
                               .request = call.request()};
  auto work = prompt_from_server(route, call, name, arguments);
  co_return co_await judged(route, call, query, std::move(work));
}

// The argument of a prompt, or the variable of a template, that is to be completed.
struct Unfinished {
  McpOperation of;
  std::string name;
  std::string_view argument;
  std::string_view value;
  json::Object const& known;
};

json::Object completion_params(Unfinished const& unfinished) {
  json::Object reference{{"type", "ref/prompt"}, {"name", unfinished.name}};
  if (unfinished.of == McpOperation::ReadResource) {
    reference = {{"type", "ref/resource"}, {"uri", unfinished.name}};
  }
  json::Object params{
      {"ref", std::move(reference)},
      {"argument", json::Object{{"name", unfinished.argument}, {"value", unfinished.value}}}};
  if (!unfinished.known.empty()) {
    params["context"] = json::Object{{"arguments", unfinished.known}};
  }
  return params;
}

// SECURITY: what may not be read is not guessed at either. Judged as what it is for, a template as
// it is written; only a "no" is on record.
Task<void> judge_completion(Route route, CallContext const& call, Unfinished const& unfinished) {
  auto arguments = unfinished.known;
  arguments[unfinished.argument] = unfinished.value;
  bool const is_prompt = unfinished.of == McpOperation::GetPrompt;
  policy::McpQuery const query{.operation = unfinished.of,
                               .purpose = kCompletionPurpose,
                               .server = route.server.name(),
                               .name = unfinished.name,
                               .arguments = is_prompt ? &arguments : nullptr,
                               .request = call.request()};
  SP_CO_CHECK(co_await judge(route, call, query));
  co_return Result<void>{};
}

Task<mcp::Completion> complete_at_server(Route route, CallContext& call, Unfinished unfinished) {
  SP_CO_CHECK(co_await judge_completion(route, call, unfinished));
  SP_CO_TRY(auto const result, co_await result_of(route, call,
                                                  {.method = "completion/complete",
                                                   .params = completion_params(unfinished),
                                                   .patience = patience_with(route.server)}));
  co_return take_completion(result);
}

mcp::Completer completer(Route route, McpOperation of, std::string name) {
  return [route, of, name = std::move(name)](CallContext& call, std::string_view argument,
                                             std::string_view value, json::Object const& known) {
    return complete_at_server(route, call, {of, name, argument, value, known});
  };
}

}  // namespace

mcp::ToolHandler tool_route(Route route, mcp::Tool const& tool) {
  auto mirrored = mcp::mirrored_parameters(tool.input_schema);
  auto const target = std::make_shared<ToolTarget const>(ToolTarget{
      .route = route,
      .name = tool.name,
      .mirrored = mirrored ? std::move(*mirrored) : std::vector<mcp::MirroredParameter>{},
      .needs_task = tool.task_support == mcp::TaskSupport::Required});
  return [target](CallContext& call, json::Object const& arguments) {
    return judged_call(target, call, arguments);
  };
}

mcp::ResourceHandler resource_route(Route route) {
  return [route](CallContext& call, std::string const& uri, mcp::TemplateValues const&) {
    return judged_read(route, call, uri);
  };
}

mcp::PromptHandler prompt_route(Route route, std::string original_name) {
  return
      [route, name = std::move(original_name)](CallContext& call, json::Object const& arguments) {
        return judged_prompt(route, call, name, arguments);
      };
}

mcp::Completer prompt_completer(Route route, std::string original_name) {
  return completer(route, McpOperation::GetPrompt, std::move(original_name));
}

mcp::Completer template_completer(Route route, std::string original_template) {
  return completer(route, McpOperation::ReadResource, std::move(original_template));
}

}  // namespace sallyport::upstream
