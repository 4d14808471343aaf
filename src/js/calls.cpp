// The operations that a script can ask for.
#include "src/js/operations.hpp"
#include "src/js/payload.hpp"
#include "src/js/script_call.hpp"

#include <fmt/format.h>

#include <utility>

namespace sallyport::js {
namespace {

class ToolOperation final : public ScriptCall {
 public:
  ToolOperation(std::uint32_t id, json::Object asked, CallShare& share, Executor executor)
      : ScriptCall{id, share, executor}, asked_{std::move(asked)} {}

 private:
  Task<void> perform() override {
    if (text_in(asked_, "operation") == "mcp.listTools") {
      auto server = text_in(asked_, "server");
      SP_CO_TRY(auto tools, co_await share().world.list_tools(
                                server.empty() ? std::nullopt : std::optional{std::move(server)}));
      answer(std::move(tools));
      co_return Result<void>{};
    }
    auto const* const arguments = json::find_object(asked_, "arguments");
    SP_CO_TRY(auto result,
              co_await share().world.call_tool(text_in(asked_, "server"), text_in(asked_, "tool"),
                                               arguments == nullptr ? json::Object{} : *arguments));
    answer(std::move(result));
    co_return Result<void>{};
  }

  json::Object asked_;
};

}  // namespace

Result<std::unique_ptr<ScriptCall>> make_call(std::uint32_t id, json::Object const& asked,
                                              CallShare& share, Executor executor) {
  auto const operation = text_in(asked, "operation");
  auto const refuse_unless = [](Available const& available) -> Result<void> {
    if (available) return {};
    return fail(Errc::PolicyDenied, available.why_not);
  };
  if (operation == "fetch") {
    SP_CHECK(refuse_unless(share.world.can_fetch()));
    return make_fetch(id, asked, share, executor);
  }
  if (operation == "websocket") {
    SP_CHECK(refuse_unless(share.world.can_open_sockets()));
    return make_socket(id, asked, share, executor);
  }
  if (operation == "mcp.callTool" || operation == "mcp.listTools") {
    SP_CHECK(refuse_unless(share.world.can_call_tools()));
    return std::make_unique<ToolOperation>(id, asked, share, executor);
  }
  return fail(Errc::InvalidInput, fmt::format("There is no operation \"{}\".", operation));
}

}  // namespace sallyport::js
