#include "src/mcp/client/question_rounds.hpp"

#include <utility>

namespace sallyport::mcp::client {

bool wants_input(json::Object const& result) {
  auto const* const type = json::find_string(result, "resultType");
  return type != nullptr && *type == "input_required";
}

Result<Inquiry> read_inquiry(json::Object const& result) {
  Inquiry inquiry;
  if (auto const* const state = json::find_string(result, "requestState")) {
    inquiry.request_state = std::string{json::view(*state)};
  }
  auto const* const given = json::find_object(result, "inputRequests");
  if (given == nullptr) {
    if (inquiry.request_state) return inquiry;
    return fail(Errc::UpstreamFailed, "The MCP server wants an answer, but asks nothing.");
  }
  for (auto const& [key, value] : *given) {
    auto const* const entry = value.if_object();
    auto const* const method = entry == nullptr ? nullptr : json::find_string(*entry, "method");
    if (method == nullptr) {
      return fail(Errc::UpstreamFailed, "A question of the MCP server has no method.");
    }
    auto const* const params = json::find_object(*entry, "params");
    inquiry.questions.emplace(
        std::string{key},
        Question{std::string{json::view(*method)}, params == nullptr ? json::Object{} : *params});
  }
  return inquiry;
}

void put_answers(json::Object& params, Answers answers, json::Object const& result) {
  params.erase("inputResponses");
  params.erase("requestState");
  if (!answers.empty()) {
    json::Object given;
    for (auto& [key, answer] : answers) given[key] = std::move(answer);
    params["inputResponses"] = std::move(given);
  }
  if (auto const* const state = json::find_string(result, "requestState")) {
    params["requestState"] = *state;
  }
}

void tell(NotificationMessage const& notice, Listener& listener) {
  if (notice.method == "notifications/progress") {
    listener.progress(notice.params);
  } else if (notice.method == "notifications/message") {
    listener.log(notice.params);
  } else {
    listener.heard(notice);
  }
}

}  // namespace sallyport::mcp::client
