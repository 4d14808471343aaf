#include "tests/servers/fixtures.hpp"

#include <fmt/format.h>

#include <utility>

namespace sallyport::fixtures {
namespace {

using mcp::CallContext;
using mcp::InputRequests;
using mcp::ToolResult;

mcp::InputRequest ask_for(std::string_view message, std::string_view property,
                          std::string_view type = "string") {
  return mcp::elicit_form(message,
                          object_schema({{property, json::Object{{"type", type}}}}, {property}));
}

// What the user filled in, or nothing when the form was not accepted.
std::string filled(json::Object const& answer, std::string_view property) {
  auto const* content = json::find_object(answer, "content");
  auto const* text = content == nullptr ? nullptr : json::find_string(*content, property);
  return text == nullptr ? std::string{} : std::string{json::view(*text)};
}

Task<ToolResult> greets(CallContext& context, json::Object const&) {
  InputRequests questions{{"user_name", ask_for("What is your name?", "name")}};
  SP_CO_TRY(auto const answers, co_await context.ask(std::move(questions)));
  co_return mcp::text_result(fmt::format("Hello, {}!", filled(answers.at("user_name"), "name")));
}

Task<ToolResult> asks_model(CallContext& context, json::Object const&) {
  InputRequests questions{
      {"capital_question", mcp::sample_text("What is the capital of France?", 100)}};
  SP_CO_TRY(auto const answers, co_await context.ask(std::move(questions)));
  co_return mcp::text_result("The model has answered");
}

Task<ToolResult> lists_roots(CallContext& context, json::Object const&) {
  InputRequests questions{{"client_roots", mcp::list_roots()}};
  SP_CO_TRY(auto const answers, co_await context.ask(std::move(questions)));
  auto const count = json::find_array(answers.at("client_roots"), "roots")->size();
  co_return mcp::text_result(fmt::format("The client has {} roots", count));
}

Task<ToolResult> confirms(CallContext& context, json::Object const&) {
  InputRequests questions{{"confirm", ask_for("Go on?", "ok", "boolean")}};
  SP_CO_TRY(auto const answers, co_await context.ask(std::move(questions)));
  co_return mcp::text_result("state-ok");
}

Task<ToolResult> asks_three(CallContext& context, json::Object const&) {
  InputRequests questions{{"user_name", ask_for("What is your name?", "name")},
                          {"greeting", mcp::sample_text("Write a greeting.", 50)},
                          {"client_roots", mcp::list_roots()}};
  SP_CO_TRY(auto const answers, co_await context.ask(std::move(questions)));
  co_return mcp::text_result(
      fmt::format("All answered, {}", filled(answers.at("user_name"), "name")));
}

Task<ToolResult> asks_twice(CallContext& context, json::Object const&) {
  InputRequests first{{"step1", ask_for("What is your name?", "name")}};
  SP_CO_TRY(auto const name, co_await context.ask(std::move(first)));
  InputRequests second{{"step2", ask_for("What is your favourite colour?", "color")}};
  SP_CO_TRY(auto const color, co_await context.ask(std::move(second)));
  co_return mcp::text_result(fmt::format("{} likes {}", filled(name.at("step1"), "name"),
                                         filled(color.at("step2"), "color")));
}

Task<ToolResult> asks_what_it_may(CallContext& context, json::Object const&) {
  InputRequests questions;
  if (context.can_ask(mcp::InputKind::Elicitation)) {
    questions.emplace("user_name", ask_for("What is your name?", "name"));
  }
  if (context.can_ask(mcp::InputKind::Sampling)) {
    questions.emplace("greeting", mcp::sample_text("Write a greeting.", 50));
  }
  if (questions.empty()) co_return mcp::text_result("The client can be asked nothing");
  SP_CO_TRY(auto const answers, co_await context.ask(std::move(questions)));
  co_return mcp::text_result("All answered");
}

}  // namespace

void add_input_round_tools(mcp::Registry::Builder& builder) {
  auto const add = [&](std::string name, std::string description, mcp::ToolHandler handler) {
    builder.add(plain_tool("test_input_required_result_" + name, std::move(description),
                           std::move(handler)));
  };
  add("elicitation", "Asks for a name", greets);
  add("sampling", "Asks the client's model", asks_model);
  add("list_roots", "Asks for the client's roots", lists_roots);
  add("request_state", "Asks with a state to give back", confirms);
  add("multiple_inputs", "Asks three things at once", asks_three);
  add("multi_round", "Asks twice", asks_twice);
  add("tampered_state", "Refuses a state that was changed", confirms);
  add("capabilities", "Asks only what the client can answer", asks_what_it_may);
}

}  // namespace sallyport::fixtures
