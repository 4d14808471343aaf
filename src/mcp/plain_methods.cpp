// Methods that need no handler: discovery, ping, log level, subscriptions.
#include "src/mcp/dispatcher.hpp"
#include "src/mcp/error_map.hpp"
#include "src/mcp/methods.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace sallyport::mcp {

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
  auto interest = dispatcher.server().subscribe(*uri, request.context.principal);
  if (!interest) return to_rpc_error(interest.error());
  request.session->subscribe(std::move(*uri), std::move(*interest));
  return dispatcher.format().empty(request.revision);
}

PlainReply unsubscribe(Dispatcher& dispatcher, Request const& request) {
  auto const uri = string_param(request.params, "uri");
  if (!uri) return to_rpc_error(uri.error());
  request.session->unsubscribe(*uri);
  return dispatcher.format().empty(request.revision);
}

}  // namespace sallyport::mcp
