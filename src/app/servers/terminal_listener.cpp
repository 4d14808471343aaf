#include "src/app/servers/terminal_listener.hpp"

#include "src/app/audit_text.hpp"
#include "src/app/servers/result_text.hpp"

#include <fmt/format.h>

#include <ostream>

namespace sallyport::app::servers {
namespace {

constexpr int kAttempts = 5;

std::string_view text_of_question(json::Object const& params, std::string_view key) {
  auto const* const text = json::find_string(params, key);
  return text == nullptr ? std::string_view{} : json::view(*text);
}

json::Object action(std::string_view what) {
  return {{"action", what}};
}

}  // namespace

json::Object TerminalListener::capabilities() const {
  if (!lines_) return {};
  json::Object const none;
  return {{"elicitation", json::Object{{"form", none}, {"url", none}}}};
}

// SECURITY: the server's words cannot move the cursor.
void TerminalListener::show(std::string_view text) {
  err_ << for_terminal(text) << '\n' << std::flush;
}

void TerminalListener::progress(json::Object const& params) {
  show(progress_text(params));
}

void TerminalListener::log(json::Object const& params) {
  show(log_text(params));
}

Task<mcp::client::Answers> TerminalListener::answer(mcp::client::Inquiry inquiry) {
  mcp::client::Answers answers;
  for (auto const& [key, question] : inquiry.questions) {
    SP_CO_TRY(auto one, co_await answer_one(question));
    answers.emplace(key, std::move(one));
  }
  co_return answers;
}

Task<json::Object> TerminalListener::answer_one(mcp::client::Question const& question) {
  if (question.method != "elicitation/create") {
    co_return fail(Errc::ClientCapabilityMissing,
                   fmt::format("The server asks for {}, which the command line does not have.",
                               question.method));
  }
  if (!lines_) {
    co_return fail(Errc::ClientCapabilityMissing,
                   "The server asks a question, and nobody is at a terminal to answer it.");
  }
  show(fmt::format("{} asks: {}", server_, text_of_question(question.params, "message")));
  auto const url = text_of_question(question.params, "url");
  if (!url.empty()) {
    show(fmt::format("It wants you to open {}", url));
    SP_CO_TRY(auto const opened, co_await agrees("Have you done so?"));
    co_return action(opened ? "accept" : "decline");
  }
  SP_CO_TRY(auto const willing, co_await agrees("Answer?"));
  if (!willing) co_return action("decline");
  auto const* const schema = json::find_object(question.params, "requestedSchema");
  auto content = co_await fill_in(schema == nullptr ? json::Object{} : *schema);
  if (!content && content.error().code == Errc::NotFound) co_return action("cancel");
  if (!content) co_return content.error();
  co_return json::Object{{"action", "accept"}, {"content", *std::move(content)}};
}

Task<bool> TerminalListener::agrees(std::string_view to_what) {
  err_ << to_what << " [y/N] " << std::flush;
  auto const line = co_await lines_->next();
  if (!line && line.error().code == Errc::Cancelled) co_return line.error();
  co_return line && (*line == "y" || *line == "Y" || *line == "yes");
}

Task<json::Object> TerminalListener::fill_in(json::Object const& schema) {
  json::Object content;
  for (auto const& field : form_fields(schema)) {
    SP_CO_TRY(auto value, co_await ask_for(field));
    if (value) content[field.name] = *std::move(value);
  }
  co_return content;
}

Task<std::optional<json::Value>> TerminalListener::ask_for(FormField const& field) {
  if (!field.description.empty()) show(field.description);
  for (std::size_t i = 0; i < field.options.size(); ++i) {
    show(fmt::format("  {}  {}", i + 1, field.options[i].title));
  }
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    err_ << for_terminal(prompt_of(field)) << std::flush;
    SP_CO_TRY(auto const line, co_await lines_->next());
    auto value = read_answer(field, line);
    if (value) co_return *std::move(value);
    show(value.error().message);
  }
  co_return fail(Errc::NotFound, "There was no answer that fits.");
}

}  // namespace sallyport::app::servers
