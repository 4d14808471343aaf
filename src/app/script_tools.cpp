#include "src/app/script_tools.hpp"

#include "src/mcp/codec.hpp"
#include "src/mcp/dispatcher.hpp"
#include "src/mcp/run_tool.hpp"
#include "src/tools/run_js/run_js.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sallyport::app {
namespace {

constexpr char const* kToolsAreOff =
    "mcp is off: there is no policy for it. An operator turns it on with a policy in "
    "policies.mcp_tools (docs/policies.md).";
constexpr char const* kPurpose = "run_js";

// Nobody is there to be asked or told: the script alone hears of the outcome.
class ScriptCallContext final : public mcp::CallContext {
 public:
  ScriptCallContext(RequestContext const& request, mcp::Server const& server)
      : request_{request}, server_{server} {}

  RequestContext const& request() const noexcept override { return request_; }
  void progress(double, std::optional<double>, std::string_view) override {}
  void log(mcp::LogLevel, json::Value, std::string_view) override {}
  bool can_ask(mcp::InputKind) const override { return false; }
  Task<mcp::InputResponses> ask(mcp::InputRequests) override {
    co_return fail(Errc::ClientCapabilityMissing,
                   "A tool that a script calls cannot ask the user.");
  }
  Task<void> start_task() override { co_return Result<void>{}; }
  void release_connection(std::chrono::milliseconds) override {}
  void publish(mcp::Event event) override { server_.publish(std::move(event)); }

 private:
  RequestContext const& request_;
  mcp::Server const& server_;
};

// A script acts for the model that wrote it. A script that ran scripts could wait for its own place
// in the queue.
bool is_for_scripts(mcp::RegisteredTool const& tool) {
  return tool.visible_to(CallerKind::Model) && tool.tool.name != tools::kRunJs;
}

// Whose tool it is, and what it is called there: what a policy judges, and a script says.
std::string_view server_of(mcp::RegisteredTool const& tool, std::string_view ours) {
  return tool.tool.server.empty() ? ours : std::string_view{tool.tool.server};
}
std::string_view name_of(mcp::RegisteredTool const& tool) {
  return tool.tool.server.empty() ? tool.tool.name : tool.tool.original;
}

json::Object listed(mcp::RegisteredTool const& tool, std::string_view server) {
  json::Object entry{{"server", server},
                     {"name", name_of(tool)},
                     {"description", tool.tool.description},
                     {"inputSchema", tool.tool.input_schema}};
  if (tool.tool.output_schema) entry["outputSchema"] = *tool.tool.output_schema;
  return entry;
}

}  // namespace

js::Available ScriptTools::available() const {
  return gate_.has_policy() ? js::Available{} : js::Available{kToolsAreOff};
}

Result<void> ScriptTools::check_server(mcp::Registry const& offered, std::string_view name) const {
  auto const& ours = server_->options().info.name;
  bool const known = name == ours || std::ranges::any_of(offered.tools(), [&](auto const& tool) {
                       return tool.tool.server == name;
                     });
  if (known) return {};
  return fail(Errc::NotFound,
              fmt::format("There is no server \"{}\" with tools; there is \"{}\".", name, ours));
}

mcp::RegisteredTool const* ScriptTools::find(mcp::Registry const& offered, std::string_view server,
                                             std::string_view tool) const {
  if (server == server_->options().info.name) return offered.tool(tool);
  auto const found = std::ranges::find_if(offered.tools(), [&](mcp::RegisteredTool const& each) {
    return each.tool.server == server && each.tool.original == tool;
  });
  return found == offered.tools().end() ? nullptr : &*found;
}

Task<std::shared_ptr<mcp::Registry const>> ScriptTools::registry() const {
  auto const loop = server_->loops().index_of(co_await asio::this_coro::executor);
  co_return server_->dispatcher(loop).shared_registry();
}

Task<json::Value> ScriptTools::call(RequestContext const& caller, std::string server,
                                    std::string tool, json::Object arguments) {
  SP_CO_TRY(auto const offered, co_await registry());
  SP_CO_CHECK(check_server(*offered, server));
  auto const* const found = find(*offered, server, tool);
  if (found == nullptr || !is_for_scripts(*found)) {
    co_return fail(Errc::NotFound,
                   fmt::format("{} has no tool \"{}\" for scripts; mcp.listTools() has them all.",
                               server, tool));
  }
  policy::McpQuery const query{.purpose = kPurpose,
                               .server = server,
                               .name = tool,
                               .arguments = &arguments,
                               .request = caller};
  // One of another server is judged on its way there.
  if (!found->tool.foreign) {
    SP_CO_TRY(auto decision, co_await gate_.judge(query));
    SP_CO_TRY(auto const record,
              gate_.record(query, std::move(decision), co_await asio::this_coro::executor));
    SP_CO_CHECK(co_await record.written());
  }
  ScriptCallContext context{caller, *server_};
  json::Value const given(std::move(arguments));
  SP_CO_TRY(auto result, co_await mcp::run_tool(*found, context, given));
  co_return json::Value(mcp::codec::tool_result(std::move(result), mcp::kModern));
}

Task<json::Value> ScriptTools::list(std::optional<std::string> server) {
  SP_CO_TRY(auto const offered, co_await registry());
  if (server) SP_CO_CHECK(check_server(*offered, *server));
  auto const& ours = server_->options().info.name;
  json::Array all;
  for (auto const& tool : offered->tools()) {
    auto const whose = server_of(tool, ours);
    if ((!server || whose == *server) && is_for_scripts(tool)) all.push_back(listed(tool, whose));
  }
  co_return json::Value(std::move(all));
}

}  // namespace sallyport::app
