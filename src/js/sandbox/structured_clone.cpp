#include "src/js/sandbox/structured_clone.hpp"

#include "src/js/sandbox/values.hpp"

#include <cstdlib>
#include <memory>
#include <vector>

namespace sallyport::js::sandbox {
namespace {

using Buffers = std::vector<v8::Local<v8::ArrayBuffer>>;

void throw_clone_error(v8::Isolate* isolate, v8::Local<v8::String> message) {
  auto const error = v8::Exception::Error(message).As<v8::Object>();
  auto const name = text_of(isolate, "DataCloneError");
  error
      ->DefineOwnProperty(isolate->GetCurrentContext(), text_of(isolate, "name"), name,
                          v8::DontEnum)
      .FromMaybe(false);
  isolate->ThrowException(error);
}

class CloneErrors final : public v8::ValueSerializer::Delegate {
 public:
  explicit CloneErrors(v8::Isolate* isolate) : isolate_{isolate} {}

  void ThrowDataCloneError(v8::Local<v8::String> message) override {
    throw_clone_error(isolate_, message);
  }

 private:
  v8::Isolate* isolate_;
};

// False: has thrown.
bool read_transferred(v8::Local<v8::Context> context, v8::Local<v8::Value> list, Buffers& buffers) {
  if (!list->IsArray()) return true;
  auto const array = list.As<v8::Array>();
  for (std::uint32_t i = 0; i < array->Length(); ++i) {
    v8::Local<v8::Value> item;
    if (!array->Get(context, i).ToLocal(&item)) return false;
    if (!item->IsArrayBuffer() || !item.As<v8::ArrayBuffer>()->IsDetachable()) {
      throw_clone_error(context->GetIsolate(),
                        text_of(context->GetIsolate(), "A value could not be transferred."));
      return false;
    }
    buffers.push_back(item.As<v8::ArrayBuffer>());
  }
  return true;
}

struct FreeMemory {
  void operator()(std::uint8_t* memory) const { std::free(memory); }
};

}  // namespace

v8::MaybeLocal<v8::Value> structured_clone(v8::Local<v8::Context> context,
                                           v8::Local<v8::Value> value,
                                           v8::Local<v8::Value> transferred) {
  auto* const isolate = context->GetIsolate();
  Buffers buffers;
  if (!read_transferred(context, transferred, buffers)) return {};

  CloneErrors errors{isolate};
  v8::ValueSerializer writer{isolate, &errors};
  writer.WriteHeader();
  for (std::uint32_t id = 0; id < buffers.size(); ++id) writer.TransferArrayBuffer(id, buffers[id]);
  if (writer.WriteValue(context, value).IsNothing()) return {};
  auto const [bytes, size] = writer.Release();
  std::unique_ptr<std::uint8_t, FreeMemory> const memory{bytes};

  v8::ValueDeserializer reader{isolate, bytes, size};
  for (std::uint32_t id = 0; id < buffers.size(); ++id) {
    auto store = buffers[id]->GetBackingStore();
    buffers[id]->Detach();
    reader.TransferArrayBuffer(id, v8::ArrayBuffer::New(isolate, std::move(store)));
  }
  if (reader.ReadHeader(context).IsNothing()) return {};
  return reader.ReadValue(context);
}

}  // namespace sallyport::js::sandbox
