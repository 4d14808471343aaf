#include "src/tools/whoami.hpp"

#include <utility>

namespace sallyport::tools {
namespace {

std::string_view to_string(CallerKind kind) {
  switch (kind) {
    case CallerKind::Unknown: return "unknown";
    case CallerKind::Model: return "model";
    case CallerKind::App: return "app";
  }
  return "unknown";
}

json::Value describe(RequestContext const& request) {
  auto const& principal = request.principal;
  json::Array scopes;
  for (auto const& scope : principal.scopes) scopes.emplace_back(scope);
  json::Object result{{"authenticated", !principal.id.empty()},
                      {"principal", principal.id},
                      {"issuer", principal.issuer},
                      {"scopes", std::move(scopes)},
                      {"caller", to_string(principal.kind)},
                      {"requestId", request.request_id},
                      {"serverVersion", SALLYPORT_VERSION}};
  return result;
}

Task<mcp::ToolResult> run(mcp::CallContext& context, json::Object const&) {
  co_return mcp::structured_result(describe(context.request()));
}

}  // namespace

mcp::Tool whoami() {
  auto const string = json::Object{{"type", "string"}};
  json::Array callers{"unknown", "model", "app"};
  json::Object properties{
      {"authenticated", json::Object{{"type", "boolean"}}},
      {"principal", string},
      {"issuer", string},
      {"scopes", json::Object{{"type", "array"}, {"items", string}}},
      {"caller", json::Object{{"type", "string"}, {"enum", std::move(callers)}}},
      {"requestId", string},
      {"serverVersion", string}};
  mcp::Tool tool;
  tool.name = "whoami";
  tool.title = "Who am I";
  tool.description =
      "Tells as whom this client reaches Sallyport: the authenticated principal, its issuer and "
      "scopes, and whether it counts as a model or an app.";
  tool.input_schema = {
      {"type", "object"}, {"properties", json::Object{}}, {"additionalProperties", false}};
  tool.output_schema = json::Object{{"type", "object"},
                                    {"properties", std::move(properties)},
                                    {"required", json::Array{"authenticated", "principal"}}};
  tool.annotations = {{"readOnlyHint", true}, {"idempotentHint", true}, {"openWorldHint", false}};
  tool.handler = run;
  return tool;
}

}  // namespace sallyport::tools
