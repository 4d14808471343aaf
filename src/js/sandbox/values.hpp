// Short ways between V8's values and ours.
#pragma once

#include <v8.h>

#include <string>
#include <string_view>

namespace sallyport::js::sandbox {

v8::Local<v8::String> text_of(v8::Isolate* isolate, std::string_view text);
// A string as UTF-8, lone surrogates replaced; anything else is empty. Runs no code of the script.
std::string utf8_of(v8::Isolate* isolate, v8::Local<v8::Value> value);
// The bytes of an ArrayBuffer or a view of one; false for anything else.
bool copy_bytes(v8::Local<v8::Value> value, std::string& bytes);
v8::Local<v8::Value> bytes_of(v8::Isolate* isolate, std::string_view bytes);

// The object's own member `name`; undefined where there is none. Not what it inherits: a script can
// put anything there, and the next run of its session would trip over it.
v8::Local<v8::Value> member(v8::Local<v8::Context> context, v8::Local<v8::Object> object,
                            std::string_view name);

void throw_type_error(v8::Isolate* isolate, std::string_view message);
void throw_range_error(v8::Isolate* isolate, std::string_view message);

}  // namespace sallyport::js::sandbox
