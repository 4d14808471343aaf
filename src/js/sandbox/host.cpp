#include "src/js/sandbox/host.hpp"

#include "src/js/sandbox/hashes.hpp"
#include "src/js/sandbox/structured_clone.hpp"
#include "src/js/sandbox/values.hpp"

#include <array>
#include <cmath>
#include <ctime>
#include <string>
#include <sys/random.h>
#include <utility>

namespace sallyport::js::sandbox {
namespace {

using Call = v8::FunctionCallbackInfo<v8::Value>;

Host& host_of(Call const& call) {
  return *static_cast<Host*>(call.Data().As<v8::External>()->Value());
}

v8::Local<v8::Context> context_of(Call const& call) {
  return call.GetIsolate()->GetCurrentContext();
}

bool is_ours_to_send(std::uint32_t kind) {
  switch (static_cast<FrameKind>(kind)) {
    case FrameKind::Console:
    case FrameKind::Call:
    case FrameKind::Chunk:
    case FrameKind::End:
    case FrameKind::Credit:
    case FrameKind::Cancel: return true;
    case FrameKind::Run:
    case FrameKind::Answer:
    case FrameKind::Done: return false;
  }
  return false;
}

std::string little_endian(std::uint32_t number) {
  std::string bytes;
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(number >> shift & 0xFFU);
  return bytes;
}

// send(kind, call, payload)
void send(Call const& call) {
  auto* const isolate = call.GetIsolate();
  if (!call[0]->IsUint32() || !is_ours_to_send(call[0].As<v8::Uint32>()->Value()) ||
      !call[1]->IsUint32()) {
    return throw_type_error(isolate, "send: no such frame");
  }
  std::string payload;
  if (call[2]->IsString()) {
    payload = utf8_of(isolate, call[2]);
  } else if (call[2]->IsUint32()) {
    payload = little_endian(call[2].As<v8::Uint32>()->Value());
  } else if (!call[2]->IsNullOrUndefined() && !copy_bytes(call[2], payload)) {
    return throw_type_error(isolate, "send: neither text nor bytes");
  }
  if (payload.size() > kLargestPayload) {
    return throw_range_error(isolate, "More than 16 MB cannot be sent in one piece.");
  }
  host_of(call).socket().send(static_cast<FrameKind>(call[0].As<v8::Uint32>()->Value()),
                              call[1].As<v8::Uint32>()->Value(), payload);
}

void now(Call const& call) {
  call.GetReturnValue().Set(now_ms());
}

// wake(at)
void wake(Call const& call) {
  std::optional<double> at;
  if (call[0]->IsNumber() && !std::isnan(call[0].As<v8::Number>()->Value())) {
    at = call[0].As<v8::Number>()->Value();
  }
  host_of(call).set_alarm(at);
}

// random(bytes)
void random(Call const& call) {
  if (!call[0]->IsArrayBufferView()) return throw_type_error(call.GetIsolate(), "random: no bytes");
  auto const view = call[0].As<v8::ArrayBufferView>();
  auto* at = static_cast<char*>(view->Buffer()->Data()) + view->ByteOffset();
  for (auto left = view->ByteLength(); left > 0;) {
    auto const count = ::getrandom(at, left, 0);
    if (count <= 0) continue;  // a signal came
    at += count;
    left -= static_cast<std::size_t>(count);
  }
}

void return_hash(Call const& call, std::optional<std::string> const& hash) {
  if (!hash) return throw_type_error(call.GetIsolate(), "no such algorithm");
  call.GetReturnValue().Set(bytes_of(call.GetIsolate(), *hash));
}

// digest(name, data)
void digest_of(Call const& call) {
  std::string data;
  if (!copy_bytes(call[1], data)) return throw_type_error(call.GetIsolate(), "digest: no bytes");
  return_hash(call, digest(utf8_of(call.GetIsolate(), call[0]), data));
}

// hmac(name, key, data)
void hmac_of(Call const& call) {
  std::string key;
  std::string data;
  if (!copy_bytes(call[1], key) || !copy_bytes(call[2], data)) {
    return throw_type_error(call.GetIsolate(), "hmac: no bytes");
  }
  return_hash(call, hmac(utf8_of(call.GetIsolate(), call[0]), key, data));
}

// decodeUtf8(bytes): what is broken becomes U+FFFD, as the Encoding Standard has it; a BOM stays.
void decode_utf8(Call const& call) {
  auto* const isolate = call.GetIsolate();
  if (!call[0]->IsUint8Array()) return throw_type_error(isolate, "decodeUtf8: no bytes");
  auto const view = call[0].As<v8::Uint8Array>();
  auto const size = view->ByteLength();
  // Nothing is copied: no code of the script runs in between.
  auto const* const bytes = static_cast<char const*>(view->Buffer()->Data()) + view->ByteOffset();
  v8::Local<v8::String> text;
  if (size == 0) {
    text = v8::String::Empty(isolate);
  } else if (size > static_cast<std::size_t>(v8::String::kMaxLength) ||
             !v8::String::NewFromUtf8(isolate, bytes, v8::NewStringType::kNormal,
                                      static_cast<int>(size))
                  .ToLocal(&text)) {
    return throw_range_error(isolate, "Invalid string length");
  }
  call.GetReturnValue().Set(text);
}

// encodeUtf8(text): lone surrogates become U+FFFD.
void encode_utf8(Call const& call) {
  auto* const isolate = call.GetIsolate();
  if (!call[0]->IsString()) return throw_type_error(isolate, "encodeUtf8: no text");
  auto const text = call[0].As<v8::String>();
  auto const size = static_cast<std::size_t>(text->Utf8Length(isolate));
  auto* const allocator = isolate->GetArrayBufferAllocator();
  // V8 would end the process where there is no memory; a script may handle an error.
  auto* const bytes = allocator->AllocateUninitialized(size);
  if (bytes == nullptr) return throw_range_error(isolate, "Array buffer allocation failed");
  constexpr int kFlags = v8::String::NO_NULL_TERMINATION | v8::String::REPLACE_INVALID_UTF8;
  text->WriteUtf8(isolate, static_cast<char*>(bytes), static_cast<int>(size), nullptr, kFlags);
  auto const free = [](void* data, std::size_t length, void* owner) {
    static_cast<v8::ArrayBuffer::Allocator*>(owner)->Free(data, length);
  };
  auto store = v8::ArrayBuffer::NewBackingStore(bytes, size, free, allocator);
  auto const buffer = v8::ArrayBuffer::New(isolate, std::move(store));
  call.GetReturnValue().Set(v8::Uint8Array::New(buffer, 0, size));
}

// clone(value, transferred)
void clone(Call const& call) {
  v8::Local<v8::Value> copy;
  if (structured_clone(context_of(call), call[0], call[1]).ToLocal(&copy)) {
    call.GetReturnValue().Set(copy);
  }
}

// promiseDetails(promise): runs no code of the script.
void promise_details(Call const& call) {
  auto* const isolate = call.GetIsolate();
  if (!call[0]->IsPromise()) return;
  auto const promise = call[0].As<v8::Promise>();
  auto const state = promise->State();
  if (state == v8::Promise::kPending) {
    v8::Local<v8::Value> items[] = {text_of(isolate, "pending")};
    return call.GetReturnValue().Set(v8::Array::New(isolate, items, 1));
  }
  auto const* const name = state == v8::Promise::kFulfilled ? "fulfilled" : "rejected";
  v8::Local<v8::Value> items[] = {text_of(isolate, name), promise->Result()};
  call.GetReturnValue().Set(v8::Array::New(isolate, items, 2));
}

// entriesOf(map, set or iterator): [key, value] pairs where it has keys, values where it has not.
void entries_of(Call const& call) {
  if (!call[0]->IsObject()) return;
  auto* const isolate = call.GetIsolate();
  bool has_keys = false;
  v8::Local<v8::Array> flat;
  if (!call[0].As<v8::Object>()->PreviewEntries(&has_keys).ToLocal(&flat)) return;
  if (!has_keys) return call.GetReturnValue().Set(flat);
  auto const context = context_of(call);
  auto const entries = v8::Array::New(isolate, static_cast<int>(flat->Length() / 2));
  for (std::uint32_t i = 0; i + 1 < flat->Length(); i += 2) {
    v8::HandleScope const scope{isolate};
    v8::Local<v8::Value> pair[2];
    if (!flat->Get(context, i).ToLocal(&pair[0]) || !flat->Get(context, i + 1).ToLocal(&pair[1]) ||
        entries->CreateDataProperty(context, i / 2, v8::Array::New(isolate, pair, 2)).IsNothing()) {
      return;
    }
  }
  call.GetReturnValue().Set(entries);
}

// proxyDetails(value)
void proxy_details(Call const& call) {
  if (!call[0]->IsProxy()) return;
  auto const proxy = call[0].As<v8::Proxy>();
  v8::Local<v8::Value> items[] = {proxy->GetTarget(), proxy->GetHandler()};
  call.GetReturnValue().Set(v8::Array::New(call.GetIsolate(), items, 2));
}

constexpr std::pair<char const*, v8::FunctionCallback> kFunctions[] = {
    {"send", send},
    {"now", now},
    {"wake", wake},
    {"random", random},
    {"digest", digest_of},
    {"hmac", hmac_of},
    {"decodeUtf8", decode_utf8},
    {"encodeUtf8", encode_utf8},
    {"clone", clone},
    {"promiseDetails", promise_details},
    {"entriesOf", entries_of},
    {"proxyDetails", proxy_details},
};

}  // namespace

double now_ms() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

v8::Local<v8::Object> Host::make_object(v8::Local<v8::Context> context) {
  auto* const isolate = context->GetIsolate();
  auto const self = v8::External::New(isolate, this);
  auto const object = v8::Object::New(isolate);
  for (auto const& [name, callback] : kFunctions) {
    auto const function =
        v8::Function::New(context, callback, self, 0, v8::ConstructorBehavior::kThrow)
            .ToLocalChecked();
    object->Set(context, text_of(isolate, name), function).Check();
  }
  return object;
}

std::optional<std::string> WebApis::take_from(v8::Local<v8::Context> context,
                                              v8::Local<v8::Object> host) {
  std::pair<char const*, Function*> const wanted[] = {
      {"warm", &warm},           {"begin", &begin},
      {"prepare", &prepare},     {"toResult", &to_result},
      {"describe", &describe},   {"onFrame", &on_frame},
      {"onWake", &on_wake},      {"isBusy", &is_busy},
      {"unhandled", &unhandled}, {"handledLater", &handled_later}};
  for (auto const& [name, function] : wanted) {
    auto const value = member(context, host, name);
    if (!value->IsFunction()) return name;
    function->Reset(context->GetIsolate(), value.As<v8::Function>());
  }
  return std::nullopt;
}

}  // namespace sallyport::js::sandbox
