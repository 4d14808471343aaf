#include "src/js/sandbox/error_report.hpp"

#include "src/js/sandbox/values.hpp"
#include "src/json/write.hpp"

#include <fmt/format.h>

namespace sallyport::js::sandbox {
namespace {

ErrorPlace place_of(v8::Local<v8::Context> context, v8::Local<v8::Message> message,
                    std::string_view script) {
  auto* const isolate = context->GetIsolate();
  if (message.IsEmpty() || utf8_of(isolate, message->GetScriptResourceName()) != script) return {};
  return {.line = message->GetLineNumber(context).FromMaybe(0),
          .column = message->GetStartColumn(context).FromMaybe(-1) + 1};
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
  auto const place = place_of(context, message, script);
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
  // What could not be compiled has no stack: the place is all there is to say.
  if (place.line > 0 && stack.find("\n") == std::string::npos) {
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
