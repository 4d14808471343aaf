#include "src/js/sandbox/error_report.hpp"

#include "src/js/sandbox/values.hpp"
#include "src/json/write.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace sallyport::js::sandbox {
namespace {

ErrorPlace place_of(v8::Local<v8::Context> context, v8::Local<v8::Message> message,
                    std::string_view script) {
  auto* const isolate = context->GetIsolate();
  if (message.IsEmpty() || utf8_of(isolate, message->GetScriptResourceName()) != script) return {};
  return {.line = message->GetLineNumber(context).FromMaybe(0),
          .column = message->GetStartColumn(context).FromMaybe(-1) + 1};
}

int read_number(std::string_view& text) {
  int number = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return 0;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// The first place in the script that the stack names. The web APIs have put it right: what V8 ran
// is not quite the text that was sent.
std::optional<ErrorPlace> place_in(std::string_view stack, std::string_view script) {
  for (auto at = stack.find(script); at != std::string_view::npos;
       at = stack.find(script, at + 1)) {
    auto rest = stack.substr(at + script.size());
    if (!rest.starts_with(':')) continue;
    rest.remove_prefix(1);
    ErrorPlace place{.line = read_number(rest)};
    if (place.line == 0 || !rest.starts_with(':')) continue;
    rest.remove_prefix(1);
    place.column = read_number(rest);
    if (place.column > 0) return place;
  }
  return std::nullopt;
}

}  // namespace

std::string error_json(std::string_view name, std::string_view message, std::string_view stack,
                       ErrorPlace place) {
  std::string text = R"({"name":)";
  json::write_string(name, text);
  text += R"(,"message":)";
  json::write_string(message, text);
  text += R"(,"stack":)";
  json::write_string(stack, text);
  if (place.line > 0) text += fmt::format(R"(,"line":{},"column":{})", place.line, place.column);
  return text + '}';
}

std::string describe_error(v8::Local<v8::Context> context, WebApis const& web_apis,
                           v8::Local<v8::Value> thrown, v8::Local<v8::Message> message,
                           std::string_view script) {
  auto* const isolate = context->GetIsolate();
  auto place = place_of(context, message, script);
  v8::TryCatch const caught{isolate};
  v8::Local<v8::Value> described;
  if (!web_apis.describe.Get(isolate)
           ->Call(context, v8::Undefined(isolate), 1, &thrown)
           .ToLocal(&described) ||
      !described->IsObject()) {
    return error_json("Error", "The script threw something that cannot be described.", {}, place);
  }
  auto const text = [&](char const* key) {
    return utf8_of(isolate, member(context, described.As<v8::Object>(), key));
  };
  auto const name = text("name");
  auto const words = text("message");
  auto stack = text("stack");
  if (auto const corrected = place_in(stack, script)) place = *corrected;
  // What could not be compiled has no stack: the place is all there is to say.
  if (place.line > 0 && stack.find('\n') == std::string::npos) {
    stack = fmt::format("{}: {}\n    at {}:{}:{}", name, words, script, place.line, place.column);
  }
  auto json = error_json(name, words, stack, place);
  if (auto const cause = text("cause"); !cause.empty()) {
    json.back() = ',';
    json += R"("cause":)";
    json::write_string(cause, json);
    json += '}';
  }
  return json;
}

}  // namespace sallyport::js::sandbox
