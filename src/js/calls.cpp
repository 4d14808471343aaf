// The operations that a script can ask for.
#include "src/js/script_call.hpp"
#include "src/json/parse.hpp"

#include <fmt/format.h>

#include <utility>

namespace sallyport::js {
namespace {

std::string text_in(json::Object const& asked, std::string_view member) {
  auto const* const text = json::find_string(asked, member);
  return text == nullptr ? std::string{} : std::string{json::view(*text)};
}

bool flag_in(json::Object const& asked, std::string_view member) {
  auto const* const value = json::find(asked, member);
  return value != nullptr && value->is_bool() && value->get_bool();
}

Result<http::Headers> headers_in(json::Object const& asked) {
  http::Headers headers;
  auto const* const list = json::find_array(asked, "headers");
  if (list == nullptr) return headers;
  for (auto const& entry : *list) {
    auto const* const pair = entry.if_array();
    bool const good =
        pair != nullptr && pair->size() == 2 && (*pair)[0].is_string() && (*pair)[1].is_string();
    if (!good) return fail(Errc::InvalidInput, "Headers are pairs of a name and a value.");
    headers.add(std::string{json::view((*pair)[0].get_string())},
                std::string{json::view((*pair)[1].get_string())});
  }
  return headers;
}

json::Array pairs_of(http::Headers const& headers) {
  json::Array list;
  for (auto const& field : headers) list.push_back(json::Array{field.name, field.value});
  return list;
}

class FetchOperation final : public ScriptCall {
 public:
  FetchOperation(std::uint32_t id, FetchCall call, bool has_body, CallShare& share,
                 Executor executor)
      : ScriptCall{id, share, executor}, call_{std::move(call)} {
    if (has_body) call_.body = [this] { return next_of_body(); };
  }

 private:
  char const* error_name() const override { return "TypeError"; }

  Task<std::optional<std::string>> next_of_body() {
    SP_CO_TRY(auto piece, co_await next_piece());
    if (piece.last && !piece.bytes.empty()) {
      co_return fail(Errc::Cancelled, "The script ended the request's body with an error.");
    }
    if (piece.last) co_return std::optional<std::string>{};
    co_return std::optional<std::string>{std::move(piece.bytes)};
  }

  Task<void> perform() override {
    SP_CO_TRY(auto const came, co_await share().world.fetch(std::move(call_)));
    answer(json::Object{{"status", came->status()},
                        {"reason", came->reason()},
                        {"headers", pairs_of(came->headers())},
                        {"url", came->url()},
                        {"redirected", came->redirected()}});
    while (true) {
      SP_CO_TRY(auto const piece, co_await came->next());
      if (!piece) break;
      SP_CO_CHECK(co_await send_piece(*piece));
    }
    send_end();
    co_return Result<void>{};
  }

  FetchCall call_;
};

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

Result<std::unique_ptr<ScriptCall>> make_fetch(std::uint32_t id, json::Object const& asked,
                                               CallShare& share, Executor executor) {
  FetchCall call{.method = text_in(asked, "method"), .url = text_in(asked, "url")};
  SP_TRY(call.headers, headers_in(asked));
  call.redirect = text_in(asked, "redirect");
  return std::make_unique<FetchOperation>(id, std::move(call), flag_in(asked, "body"), share,
                                          executor);
}

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
  if (operation == "mcp.callTool" || operation == "mcp.listTools") {
    SP_CHECK(refuse_unless(share.world.can_call_tools()));
    return std::make_unique<ToolOperation>(id, asked, share, executor);
  }
  return fail(Errc::InvalidInput, fmt::format("There is no operation \"{}\".", operation));
}

}  // namespace sallyport::js
