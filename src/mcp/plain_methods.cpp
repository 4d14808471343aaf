// Methods that need no handler: discovery, ping, log level, subscriptions, completion.
#include "src/mcp/dispatcher.hpp"
#include "src/mcp/error_map.hpp"
#include "src/mcp/methods.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace sallyport::mcp {
namespace {

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

json::Object completion_object(std::vector<std::string> proposals) {
  json::Array values;
  for (std::size_t i = 0; i < proposals.size() && i < kMaxCompletions; ++i) {
    values.emplace_back(proposals[i]);
  }
  return {{"values", std::move(values)},
          {"total", proposals.size()},
          {"hasMore", proposals.size() > kMaxCompletions}};
}

}  // namespace

PlainReply discover(Dispatcher& dispatcher, Request const& request) {
  json::Array versions;
  versions.emplace_back(to_string(kModern));
  for (auto each = kRevisions.rbegin(); each != kRevisions.rend(); ++each) {
    if (!is_modern(*each)) versions.emplace_back(to_string(*each));
  }
  json::Object result{{"supportedVersions", std::move(versions)},
                      {"capabilities", dispatcher.registry().capabilities(request.revision)}};
  auto const& instructions = dispatcher.server().options().instructions;
  if (!instructions.empty()) result["instructions"] = instructions;
  return dispatcher.format().wrap(result, request.revision, Cacheable::Public);
}

PlainReply ping(Dispatcher& dispatcher, Request const& request) {
  return dispatcher.format().empty(request.revision);
}

PlainReply set_log_level(Dispatcher& dispatcher, Request const& request) {
  auto const* text = json::find_string(request.params, "level");
  auto const level = text == nullptr ? std::nullopt : parse_log_level(json::view(*text));
  if (!level) {
    return invalid_params(
        fmt::format("'params.level' is not one of {}.", fmt::join(kLogLevelNames, ", ")));
  }
  request.session->set_log_level(*level);
  return dispatcher.format().empty(request.revision);
}

PlainReply subscribe(Dispatcher& dispatcher, Request const& request) {
  auto uri = string_param(request.params, "uri");
  if (!uri) return to_rpc_error(uri.error());
  request.session->subscribe(std::move(*uri));
  return dispatcher.format().empty(request.revision);
}

PlainReply unsubscribe(Dispatcher& dispatcher, Request const& request) {
  auto const uri = string_param(request.params, "uri");
  if (!uri) return to_rpc_error(uri.error());
  request.session->unsubscribe(*uri);
  return dispatcher.format().empty(request.revision);
}

PlainReply complete(Dispatcher& dispatcher, Request const& request) {
  auto const* reference = json::find_object(request.params, "ref");
  auto const* argument = json::find_object(request.params, "argument");
  auto const* name = argument == nullptr ? nullptr : json::find_string(*argument, "name");
  auto const* value = argument == nullptr ? nullptr : json::find_string(*argument, "value");
  if (reference == nullptr || name == nullptr || value == nullptr) {
    return invalid_params("'params' needs 'ref' and 'argument' with 'name' and 'value'.");
  }
  auto const found = find_completer(dispatcher.registry(), *reference);
  if (auto const* error = std::get_if<RpcError>(&found)) return *error;
  auto const* context = json::find_object(request.params, "context");
  auto const* known = context == nullptr ? nullptr : json::find_object(*context, "arguments");
  auto const& completer = *std::get<Completer const*>(found);
  std::vector<std::string> proposals;
  if (completer) {
    proposals = completer(json::view(*name), json::view(*value),
                          known == nullptr ? json::Object{} : *known);
  }
  return dispatcher.format().wrap(
      json::Object{{"completion", completion_object(std::move(proposals))}}, request.revision);
}

}  // namespace sallyport::mcp
