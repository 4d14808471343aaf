// Methods that run a handler: tools/call, resources/read, prompts/get,
// completion/complete.
#include "src/mcp/codec.hpp"
#include "src/mcp/content.hpp"
#include "src/mcp/dispatcher.hpp"
#include "src/mcp/error_map.hpp"
#include "src/mcp/methods.hpp"
#include "src/mcp/run_tool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

namespace sallyport::mcp {
namespace {

Error refused(Call& call, RpcError error) {
  auto message = error.message;
  call.refuse(std::move(error));
  return fail(Errc::InvalidInput, std::move(message));
}

std::optional<std::chrono::milliseconds> requested_ttl(json::Object const& params) {
  auto const* task = json::find_object(params, "task");
  auto const* ttl = task == nullptr ? nullptr : task->if_contains("ttl");
  if (ttl == nullptr || !ttl->is_int64() || ttl->get_int64() <= 0) return std::nullopt;
  return std::chrono::milliseconds{ttl->get_int64()};
}

// Turns the call into a task where client and tool agree on one; refuses where they cannot.
Result<void> settle_task(Call& call, Tool const& tool) {
  auto const& message = call.message();
  bool const modern = is_modern(message.revision);
  bool const offered = call.client_has_tasks() && (modern || has_core_tasks(message.revision));
  if (tool.task_support == TaskSupport::Forbidden) {
    // The extension leaves it to the server; 2025-11-25 calls it an error to ask.
    if (modern || !offered) return {};
    return refused(call, {code::kMethodNotFound,
                          fmt::format("The tool '{}' cannot run as a task.", tool.name)});
  }
  if (!offered) {
    if (tool.task_support == TaskSupport::Optional) return {};
    if (modern) {
      return refused(call,
                     *missing_capability(
                         {}, {{"extensions", json::Object{{kTasksExtension, json::Object{}}}}}));
    }
    if (!has_core_tasks(message.revision)) return {};  // knows no tasks: the call simply waits
    return refused(call, {code::kMethodNotFound,
                          fmt::format("The tool '{}' only runs as a task.", tool.name)});
  }
  if (modern && tool.task_start == TaskStart::ByHandler) return {};
  return call.become_task(requested_ttl(message.params));
}

std::optional<RpcError> check_prompt_arguments(Prompt const& prompt,
                                               json::Object const& arguments) {
  for (auto const& [name, value] : arguments) {
    if (value.is_string()) continue;
    return invalid_params(
        fmt::format("'params.arguments.{}' is not a string.", std::string_view{name}));
  }
  for (auto const& argument : prompt.arguments) {
    if (!argument.required || arguments.contains(argument.name)) continue;
    return invalid_params(fmt::format("'params.arguments.{}' is missing.", argument.name));
  }
  return std::nullopt;
}

constexpr std::size_t kMaxCompletions = 100;

// What completes the arguments of a prompt or a resource template; an error names what is wrong.
std::variant<Completer const*, RpcError> find_completer(Registry const& registry,
                                                        json::Object const& reference) {
  auto const* type = json::find_string(reference, "type");
  if (type != nullptr && *type == "ref/prompt") {
    auto const* name = json::find_string(reference, "name");
    auto const* prompt = name == nullptr ? nullptr : registry.prompt(json::view(*name));
    if (prompt == nullptr) return invalid_params("'params.ref' names no prompt.");
    return &prompt->prompt.completer;
  }
  if (type != nullptr && *type == "ref/resource") {
    auto const* uri = json::find_string(reference, "uri");
    auto const* found = uri == nullptr ? nullptr : registry.resource_template(json::view(*uri));
    if (found == nullptr) return invalid_params("'params.ref' names no resource template.");
    return &found->resource.completer;
  }
  return invalid_params("'params.ref.type' is neither \"ref/prompt\" nor \"ref/resource\".");
}

json::Object completion_object(Completion const& completion) {
  auto const& proposals = completion.values;
  json::Array values;
  for (std::size_t i = 0; i < proposals.size() && i < kMaxCompletions; ++i) {
    values.emplace_back(proposals[i]);
  }
  auto const total = std::max(completion.total.value_or(0), proposals.size());
  json::Object object{{"values", std::move(values)}};
  if (completion.total || !completion.has_more) object["total"] = total;
  object["hasMore"] = completion.has_more || total > object.at("values").get_array().size();
  return object;
}

}  // namespace

Task<std::string> call_tool(Dispatcher& dispatcher, Call& call) {
  auto const& message = call.message();
  SP_CO_TRY(auto const name, string_param(message.params, "name"));
  auto const* const tool = call.registry().tool(name);
  if (tool == nullptr || !tool->visible_to(message.context.principal.kind)) {
    co_return refused(call, invalid_params(fmt::format("Unknown tool: {}", name)));
  }
  if (is_modern(message.revision)) {
    auto missing = missing_capability(message.capabilities(), tool->tool.required_capabilities);
    if (missing) co_return refused(call, std::move(*missing));
  }
  json::Object const none;
  auto const* const given = message.params.if_contains("arguments");
  if (given != nullptr && !given->is_object()) {
    co_return refused(call, invalid_params("'params.arguments' is not an object."));
  }
  auto const& arguments = given == nullptr ? none : given->get_object();
  if (auto error = call.read_input_rounds()) co_return refused(call, std::move(*error));
  auto refusal = refuse_arguments(*tool, given == nullptr ? json::Value(json::Object{}) : *given);
  if (refusal) {
    auto const text = codec::tool_result(std::move(*refusal), message.revision);
    co_return dispatcher.format().wrap(text, message.revision);
  }
  SP_CO_CHECK(settle_task(call, tool->tool));
  auto outcome = co_await capture(tool->tool.handler(call, arguments));
  auto settled = call.refusal() ? std::move(outcome) : settle_outcome(*tool, std::move(outcome));
  if (auto* const task = call.task()) {
    if (settled) task->state.result = std::move(*settled);
    if (!settled) co_return settled.error();
    co_return std::string{};  // the request was answered when the task began
  }
  if (!settled) co_return settled.error();
  if (!settled->structured_text.empty()) {
    call.answer_with(dispatcher.format().answer(message.id, *settled, message.revision));
    co_return std::string{};
  }
  co_return dispatcher.format().wrap(codec::tool_result(std::move(*settled), message.revision),
                                     message.revision);
}

Task<std::string> read_resource(Dispatcher& dispatcher, Call& call) {
  auto const& message = call.message();
  SP_CO_TRY(auto const uri, string_param(message.params, "uri"));
  if (auto error = call.read_input_rounds()) co_return refused(call, std::move(*error));
  auto const found = call.registry().resource(uri);
  Result<ResourceResult> outcome = fail(Errc::NotFound, fmt::format("Resource not found: {}", uri));
  if (found) outcome = co_await capture(found->handler(call, uri, found->values));
  if (!outcome && outcome.error().code == Errc::NotFound) {
    auto const code = is_modern(message.revision) ? code::kInvalidParams : code::kResourceNotFound;
    co_return refused(call, {code, outcome.error().message, json::Object{{"uri", uri}}});
  }
  if (!outcome) co_return outcome.error();
  auto const keeping = outcome->ttl ? Cacheable::No : Cacheable::Private;
  co_return dispatcher.format().wrap(codec::resource_result(std::move(*outcome), message.revision),
                                     message.revision, keeping);
}

Task<std::string> get_prompt(Dispatcher& dispatcher, Call& call) {
  auto const& message = call.message();
  SP_CO_TRY(auto const name, string_param(message.params, "name"));
  auto const* const prompt = call.registry().prompt(name);
  if (prompt == nullptr) {
    co_return refused(call, invalid_params(fmt::format("Unknown prompt: {}", name)));
  }
  if (auto error = call.read_input_rounds()) co_return refused(call, std::move(*error));
  json::Object const none;
  auto const* const given = message.params.if_contains("arguments");
  if (given != nullptr && !given->is_object()) {
    co_return refused(call, invalid_params("'params.arguments' is not an object."));
  }
  auto const& arguments = given == nullptr ? none : given->get_object();
  if (auto error = check_prompt_arguments(prompt->prompt, arguments)) {
    co_return refused(call, std::move(*error));
  }
  SP_CO_TRY(auto const result, co_await capture(prompt->prompt.handler(call, arguments)));
  co_return dispatcher.format().wrap(codec::prompt_result(result, message.revision),
                                     message.revision);
}

Task<std::string> complete(Dispatcher& dispatcher, Call& call) {
  auto const& message = call.message();
  auto const* reference = json::find_object(message.params, "ref");
  auto const* argument = json::find_object(message.params, "argument");
  auto const* name = argument == nullptr ? nullptr : json::find_string(*argument, "name");
  auto const* value = argument == nullptr ? nullptr : json::find_string(*argument, "value");
  if (reference == nullptr || name == nullptr || value == nullptr) {
    co_return refused(
        call, invalid_params("'params' needs 'ref' and 'argument' with 'name' and 'value'."));
  }
  auto found = find_completer(call.registry(), *reference);
  if (auto* const error = std::get_if<RpcError>(&found)) co_return refused(call, std::move(*error));
  json::Object const none;
  auto const* context = json::find_object(message.params, "context");
  auto const* known = context == nullptr ? nullptr : json::find_object(*context, "arguments");
  auto const& completer = *std::get<Completer const*>(found);
  Result<Completion> outcome{Completion{}};
  if (completer) {
    outcome = co_await capture(
        completer(call, json::view(*name), json::view(*value), known == nullptr ? none : *known));
  }
  if (!outcome) co_return outcome.error();
  co_return dispatcher.format().wrap(json::Object{{"completion", completion_object(*outcome)}},
                                     message.revision);
}

}  // namespace sallyport::mcp
