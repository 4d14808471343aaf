#include "src/js/sandbox/values.hpp"

#include <cstring>

namespace sallyport::js::sandbox {

v8::Local<v8::String> text_of(v8::Isolate* isolate, std::string_view text) {
  v8::Local<v8::String> string;
  auto const is_made = v8::String::NewFromUtf8(isolate, text.data(), v8::NewStringType::kNormal,
                                               static_cast<int>(text.size()))
                           .ToLocal(&string);
  return is_made ? string : v8::String::Empty(isolate);
}

std::string utf8_of(v8::Isolate* isolate, v8::Local<v8::Value> value) {
  if (!value->IsString()) return {};
  auto const string = value.As<v8::String>();
  std::string text(static_cast<std::size_t>(string->Utf8Length(isolate)), '\0');
  constexpr int kFlags = v8::String::NO_NULL_TERMINATION | v8::String::REPLACE_INVALID_UTF8;
  auto const size =
      string->WriteUtf8(isolate, text.data(), static_cast<int>(text.size()), nullptr, kFlags);
  text.resize(static_cast<std::size_t>(size));
  return text;
}

bool copy_bytes(v8::Local<v8::Value> value, std::string& bytes) {
  if (value->IsArrayBufferView()) {
    auto const view = value.As<v8::ArrayBufferView>();
    bytes.resize(view->ByteLength());
    view->CopyContents(bytes.data(), bytes.size());
    return true;
  }
  if (!value->IsArrayBuffer()) return false;
  auto const buffer = value.As<v8::ArrayBuffer>();
  bytes.assign(static_cast<char const*>(buffer->Data()), buffer->ByteLength());
  return true;
}

v8::Local<v8::Value> bytes_of(v8::Isolate* isolate, std::string_view bytes) {
  auto const buffer = v8::ArrayBuffer::New(isolate, bytes.size());
  if (!bytes.empty()) std::memcpy(buffer->Data(), bytes.data(), bytes.size());
  return v8::Uint8Array::New(buffer, 0, bytes.size());
}

v8::Local<v8::Value> member(v8::Local<v8::Context> context, v8::Local<v8::Object> object,
                            std::string_view name) {
  auto* const isolate = context->GetIsolate();
  auto const key = text_of(isolate, name);
  v8::Local<v8::Value> value;
  if (object->HasOwnProperty(context, key).FromMaybe(false) &&
      object->Get(context, key).ToLocal(&value)) {
    return value;
  }
  return v8::Undefined(isolate);
}

void throw_type_error(v8::Isolate* isolate, std::string_view message) {
  isolate->ThrowException(v8::Exception::TypeError(text_of(isolate, message)));
}

void throw_range_error(v8::Isolate* isolate, std::string_view message) {
  isolate->ThrowException(v8::Exception::RangeError(text_of(isolate, message)));
}

}  // namespace sallyport::js::sandbox
