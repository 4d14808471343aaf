#include "src/app/servers/call_tool.hpp"

#include "src/app/audit_text.hpp"
#include "src/app/servers/result_text.hpp"
#include "src/app/servers/terminal_listener.hpp"
#include "src/app/servers/tool_arguments.hpp"
#include "src/app/servers/visit_server.hpp"
#include "src/base/random_id.hpp"
#include "src/config/suggest.hpp"
#include "src/json/write.hpp"
#include "src/mcp/header_mirror.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <unistd.h>

namespace sallyport::app::servers {
namespace {

Result<json::Object> tool_named(std::string const& name, std::vector<json::Object> const& tools) {
  std::vector<std::string> names;
  for (auto const& tool : tools) {
    auto const* const text = json::find_string(tool, "name");
    if (text == nullptr) continue;
    if (*text == name) return tool;
    names.emplace_back(json::view(*text));
  }
  return fail(Errc::NotFound, fmt::format("The server has no tool {}{}. `sallyport servers tools` "
                                          "lists them.",
                                          name, config::did_you_mean(name, names)));
}

json::Object schema_of(json::Object const& tool) {
  auto const* const schema = json::find_object(tool, "inputSchema");
  return schema == nullptr ? json::Object{} : *schema;
}

class Caller final : public mcp::client::Observer {
 public:
  Caller(config::McpServerSettings const& server, CallRequest const& request,
         Surroundings const& surroundings, Executor const& executor)
      : server_{server}, request_{request}, surroundings_{surroundings} {
    std::unique_ptr<TerminalLines> lines;
    if (isatty(STDIN_FILENO) == 1) lines = std::make_unique<TerminalLines>(executor);
    listener_ =
        std::make_shared<TerminalListener>(server.server.name, surroundings.err, std::move(lines));
  }

  // Older servers log beside the call, too.
  void heard(mcp::NotificationMessage const& message) override {
    if (message.method == "notifications/message") listener_->log(message.params);
  }

  Task<int> run(upstream::Connection& connection) {
    SP_CO_CHECK(co_await connection.connect());  // and hears what the server says by itself
    SP_CO_TRY(auto const listing, co_await connection.list("tools/list", "tools"));
    SP_CO_TRY(auto const tool, tool_named(request_.tool, listing.entries));
    auto const schema = schema_of(tool);
    SP_CO_TRY(auto arguments, tool_arguments(request_.arguments, request_.pairs, schema));
    // A schema whose headers are wrong mirrors nothing, and the server will say so.
    auto const readable = mcp::mirrored_parameters(schema);
    auto const mirrored = readable ? *readable : std::vector<mcp::MirroredParameter>{};
    auto const& times = server_.server.times;
    mcp::client::Ask ask{.method = "tools/call",
                         .params = {{"name", request_.tool}, {"arguments", std::move(arguments)}},
                         .capabilities = listener_->capabilities(),
                         .log_level = mcp::LogLevel::Info,
                         .mirrored = &mirrored,
                         .patience = {times.tool_call, times.longest}};
    SP_CO_TRY(auto const outcome, co_await connection.request(std::move(ask), listener_));
    co_return outcome.error ? refused(*outcome.error) : print(outcome.result);
  }

 private:
  int refused(mcp::RpcError const& error) {
    surroundings_.err << for_terminal(fmt::format("sallyport: the server refuses: {} (code {})",
                                                  error.message, error.code))
                      << '\n';
    if (error.code == mcp::code::kMissingCapability && listener_->capabilities().empty()) {
      surroundings_.err << "It wants to ask something; call it at a terminal.\n";
    }
    return kFailed;
  }

  int print(json::Object const& result) {
    auto const* const flag = json::find(result, "isError");
    bool const is_error = flag != nullptr && flag->is_bool() && flag->get_bool();
    auto text = request_.raw ? json::to_text(result) + "\n" : result_text(result);
    // SECURITY: in a pipe it is data; a terminal would obey it.
    if (isatty(STDOUT_FILENO) == 1) {
      std::string safe;
      for (std::string_view rest = text; !rest.empty();) {
        auto const line = rest.substr(0, rest.find('\n'));
        safe += for_terminal(line) + "\n";
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      }
      text = std::move(safe);
    }
    surroundings_.out << text << std::flush;
    if (is_error) surroundings_.err << "sallyport: the tool reports an error\n";
    return is_error ? kFailed : kDone;
  }

  config::McpServerSettings const& server_;
  CallRequest const& request_;
  Surroundings const& surroundings_;
  std::shared_ptr<TerminalListener> listener_;
};

}  // namespace

Task<int> call_tool(Visit& visit, config::McpServerSettings const& server,
                    CallRequest const& request, Surroundings const& surroundings) {
  Caller caller{server, request, surroundings, visit.loops().executor(0)};
  SP_CO_TRY(auto const link, ServerLink::create(visit, server, &caller));
  auto code = co_await capture(caller.run(link->connection()));
  co_await link->close();
  if (code || code.error().code == Errc::Cancelled) co_return code;
  auto const mend = how_to_mend(code.error(), server);
  surroundings.err << "sallyport: " << for_terminal(code.error().message) << '\n';
  if (!code.error().detail.empty()) surroundings.err << for_terminal(code.error().detail) << '\n';
  if (!mend.empty()) surroundings.err << mend << '\n';
  co_return kFailed;
}

}  // namespace sallyport::app::servers
