#include "src/mcp/input_state.hpp"

#include "src/json/parse.hpp"
#include "src/json/schema.hpp"
#include "src/json/write.hpp"

#include <fmt/format.h>

#include <utility>

namespace sallyport::mcp {
namespace {

Error not_ours() {
  return fail(Errc::InvalidInput, "'requestState' is not valid for this request, or has expired.");
}

Error bad_answer(std::string const& key, std::string_view problem) {
  return fail(Errc::InvalidInput, fmt::format("'inputResponses.{}' {}.", key, problem));
}

Result<void> check_elicitation(std::string const& key, InputRequest const& request,
                               json::Object const& response) {
  auto const* action = json::find_string(response, "action");
  if (action == nullptr || (*action != "accept" && *action != "decline" && *action != "cancel")) {
    return bad_answer(key, "has no 'action' of accept, decline or cancel");
  }
  if (*action != "accept" || request.kind == InputKind::UrlElicitation) return {};
  auto const* contents = json::find(response, "content");
  if (contents == nullptr || !contents->is_object()) {
    return bad_answer(key, "is accepted but has no 'content'");
  }
  auto const* wanted = json::find(request.params, "requestedSchema");
  if (wanted == nullptr) return {};
  SP_TRY(auto const schema, json::Schema::compile(*wanted));
  if (auto const valid = schema.validate(*contents); !valid) {
    return bad_answer(key, fmt::format("does not fit the form: {}", valid.error().message));
  }
  return {};
}

}  // namespace

std::string input_binding(std::string_view principal, std::string_view method,
                          json::Object const& params) {
  auto bound = params;
  bound.erase("_meta");
  bound.erase("inputResponses");
  bound.erase("requestState");
  json::Array parts;
  parts.emplace_back(principal);
  parts.emplace_back(method);
  parts.emplace_back(std::move(bound));
  return json::canonical(parts);
}

std::string seal_rounds(Sealer const& sealer, std::string const& binding, InputRounds const& rounds,
                        WallClock::time_point expires) {
  json::Object given;
  for (auto const& [key, answer] : rounds.answers) given[key] = answer;
  auto const seconds =
      std::chrono::duration_cast<std::chrono::seconds>(expires.time_since_epoch()).count();
  json::Object const state{{"expires", seconds}, {"answers", given}, {"kept", rounds.kept}};
  return sealer.seal(json::to_text(state), binding);
}

Result<InputRounds> open_rounds(Sealer const& sealer, std::string const& binding,
                                std::string_view sealed, WallClock::time_point now) {
  auto const opened = sealer.open(sealed, binding);
  if (!opened) return not_ours();
  SP_TRY(auto const state, json::parse(*opened));
  auto const& object = state.get_object();
  if (object.at("expires").to_number<std::int64_t>() <
      std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count()) {
    return not_ours();
  }
  InputRounds rounds{.kept = object.at("kept").get_object()};
  for (auto const& [key, answer] : object.at("answers").get_object()) {
    rounds.answers.emplace(key, answer.get_object());
  }
  return rounds;
}

Result<void> check_answer(std::string const& key, InputRequest const& request,
                          json::Object const& response) {
  if (request.foreign) return {};
  switch (request.kind) {
    case InputKind::Elicitation:
    case InputKind::UrlElicitation: return check_elicitation(key, request, response);
    case InputKind::Sampling:
    case InputKind::SamplingWithTools:
      if (json::find_string(response, "role") == nullptr || !response.contains("content")) {
        return bad_answer(key, "has no 'role' and 'content'");
      }
      return {};
    case InputKind::Roots:
      if (json::find_array(response, "roots") == nullptr) return bad_answer(key, "has no 'roots'");
      return {};
  }
  return {};
}

}  // namespace sallyport::mcp
