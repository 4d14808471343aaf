#include "src/js/sandbox/engine.hpp"

#include "src/js/sandbox/cpu_time.hpp"
#include "src/js/sandbox/last_words.hpp"
#include "src/js/sandbox/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <libplatform/libplatform.h>
#include <malloc.h>
#include <new>
#include <sys/random.h>

namespace sallyport::js::sandbox {
namespace {

constexpr char kFlags[] =
    // No threads, or the process could not be forked.
    "--single-threaded "
    // The snapshot is part of the library.
    "--no-verify-snapshot-checksum "
    // What has been compiled for the first child is there for the last.
    "--no-flush-bytecode "
    // It wakes up some seconds after the warm-up, and then in each child that is forked later:
    // every run would collect the whole garbage first.
    "--no-memory-reducer "
    // What V8 learns about the web APIs it learns now, and not in each child. For the code of
    // scripts, where it delays optimizing, it is taken back (set_child_flags).
    "--no-lazy-feedback-allocation "
    // Four times the usual. There is no thread that could optimize meanwhile, and what is not very
    // hot ends before that pays: a hundred calls of fetch() take a fifth less CPU time, a loop that
    // would have been optimized takes 2 ms more.
    "--interrupt-budget=540672";

// What the isolate is made with. The limit of a run is below it (limit_memory).
v8::ResourceConstraints heap_sizes() {
  v8::ResourceConstraints sizes;
  sizes.set_max_old_generation_size_in_bytes(kLargestHeapMb * kMegabyte);
  // Or nothing is collected before a heap of the largest size would be worth it.
  sizes.set_initial_old_generation_size_in_bytes(16 * kMegabyte);
  sizes.set_max_young_generation_size_in_bytes(24 * kMegabyte);
  return sizes;
}

// In one go: V8 looks at all its flags each time.
void set_child_flags(std::size_t buffer_bytes) {
  constexpr std::size_t kWebAssemblyPage = 64UL * 1024;
  std::uint32_t seed = 0;
  while (::getrandom(&seed, sizeof seed, 0) != sizeof seed) {
  }
  v8::V8::SetFlagsFromString(
      // SECURITY: or all children would see the same Math.random(), whose state they inherit. Read
      // at the first use in a context; 0 means none.
      fmt::format("--random-seed={} "
                  // WebAssembly's memory comes from elsewhere. One memory stays below this; many
                  // together meet RLIMIT_DATA.
                  "--wasm-max-mem-pages={} "
                  "--lazy-feedback-allocation",
                  (seed >> 1U) | 1U, buffer_bytes / kWebAssemblyPage)
          .c_str());
}

// A text that stays where it is, in the program. V8 would make a copy of it otherwise: some
// megabytes, whose page tables each fork would have to copy as well.
class TextInTheProgram final : public v8::String::ExternalOneByteStringResource {
 public:
  explicit TextInTheProgram(std::string_view text) noexcept : text_{text} {}
  char const* data() const override { return text_.data(); }
  std::size_t length() const override { return text_.size(); }

 private:
  void Dispose() override {}  // it is part of the engine

  std::string_view text_;
};

v8::Local<v8::String> source_of(v8::Isolate* isolate, std::string_view text) {
  static TextInTheProgram resource{text};
  bool const is_ascii = std::all_of(text.begin(), text.end(), [](char each) { return each >= 0; });
  v8::Local<v8::String> source;
  if (is_ascii && v8::String::NewExternalOneByte(isolate, &resource).ToLocal(&source)) {
    return source;
  }
  return text_of(isolate, text);
}

std::size_t on_near_heap_limit(void* /*data*/, std::size_t /*current*/, std::size_t /*initial*/) {
  end_out_of_memory();
}

void on_out_of_memory(char const* /*where*/, bool /*of_heap*/) {
  end_out_of_memory();
}

std::string describe_exception(v8::Isolate* isolate, v8::TryCatch const& caught) {
  if (caught.Message().IsEmpty()) return "it was stopped";
  auto const message = caught.Message();
  return fmt::format("line {}: {}",
                     message->GetLineNumber(isolate->GetCurrentContext()).FromMaybe(0),
                     utf8_of(isolate, message->Get()));
}

}  // namespace

Result<Engine*> Engine::start(std::string_view web_apis) {
  static Engine engine;
  v8::V8::SetFlagsFromString(kFlags);
  engine.platform_ = v8::platform::NewSingleThreadedDefaultPlatform();
  v8::V8::InitializePlatform(engine.platform_.get());
  v8::V8::Initialize();
  engine.make_isolate();
  SP_CHECK(engine.load(web_apis));
  handle_cpu_timer(engine.isolate_);
  std::set_new_handler(end_out_of_memory);
  return &engine;
}

void Engine::make_isolate() {
  v8::Isolate::CreateParams parameters;
  parameters.array_buffer_allocator = &buffers_;
  parameters.constraints = heap_sizes();
  isolate_ = v8::Isolate::New(parameters);
  isolate_->Enter();
  isolate_->SetData(0, this);
  isolate_->SetMicrotasksPolicy(v8::MicrotasksPolicy::kExplicit);
  // There is nobody who could wake who waits.
  isolate_->SetAllowAtomicsWait(false);
  isolate_->SetOOMErrorHandler(on_out_of_memory);
  isolate_->AddNearHeapLimitCallback(on_near_heap_limit, nullptr);
  isolate_->SetPromiseRejectCallback(on_promise);
  isolate_->SetHostImportModuleDynamicallyCallback(refuse_import);
  isolate_->SetHostInitializeImportMetaObjectCallback(on_import_meta);
  isolate_->SetCaptureStackTraceForUncaughtExceptions(false);
}

Result<void> Engine::load(std::string_view web_apis) {
  v8::HandleScope const scope{isolate_};
  auto const context = v8::Context::New(isolate_);
  context_.Reset(isolate_, context);
  context->Enter();
  auto const host = host_.make_object(context);
  auto const name = text_of(isolate_, "__host");
  context->Global()->Set(context, name, host).Check();

  v8::TryCatch const caught{isolate_};
  // A script of this name is not the user's: stack traces leave it out.
  v8::ScriptOrigin origin{isolate_, text_of(isolate_, "sallyport:web-apis")};
  v8::Local<v8::Script> script;
  v8::Local<v8::Value> ignored;
  if (!v8::Script::Compile(context, source_of(isolate_, web_apis), &origin).ToLocal(&script) ||
      !script->Run(context).ToLocal(&ignored)) {
    return fail(Errc::Internal, "The web APIs cannot be loaded.",
                describe_exception(isolate_, caught));
  }
  // SECURITY: what is on it is for the web APIs alone.
  context->Global()->Delete(context, name).Check();
  if (auto const missing = web_apis_.take_from(context, host)) {
    return fail(Errc::Internal, "The web APIs cannot be loaded.",
                fmt::format("there is no function __host.{}", *missing));
  }
  return {};
}

void Engine::begin_child(Limits const& limits) {
  // The only way to lower the limit of a heap is to take a callback away.
  isolate_->RemoveNearHeapLimitCallback(on_near_heap_limit,
                                        warm_heap_bytes_ + limits.heap_mb * kMegabyte);
  isolate_->AddNearHeapLimitCallback(on_near_heap_limit, nullptr);
  // What the heap leaves. A buffer that is refused here is an error the script can handle; one that
  // the process has no memory for, beside a heap that then cannot grow either, often is not.
  auto const for_buffers =
      std::max(limits.data_mb - limits.heap_mb, limits.data_mb / 4) * kMegabyte;
  buffers_.set_limit(for_buffers);
  set_child_flags(for_buffers);
}

void Engine::tidy_up() {
  isolate_->LowMemoryNotification();
  ::malloc_trim(0);
  warm_heap_bytes_ = all_heap_bytes();
}

std::size_t Engine::heap_bytes() const {
  auto const all = all_heap_bytes();
  return all - std::min(all, warm_heap_bytes_);
}

std::size_t Engine::all_heap_bytes() const {
  v8::HeapStatistics heap;
  isolate_->GetHeapStatistics(&heap);
  return heap.used_heap_size() + heap.external_memory();
}

void Engine::run_jobs() {
  do {
    isolate_->PerformMicrotaskCheckpoint();
  } while (v8::platform::PumpMessageLoop(platform_.get(), isolate_));
}

Engine& Engine::of(v8::Isolate* isolate) {
  return *static_cast<Engine*>(isolate->GetData(0));
}

void Engine::on_promise(v8::PromiseRejectMessage message) {
  of(message.GetPromise()->GetIsolate()).on_rejection(message);
}

void Engine::on_rejection(v8::PromiseRejectMessage& message) {
  // More than these would only be memory.
  constexpr std::size_t kMostRemembered = 1000;
  v8::HandleScope const scope{isolate_};
  auto const promise = message.GetPromise();
  if (message.GetEvent() == v8::kPromiseRejectWithNoHandler) {
    if (rejections_.size() < kMostRemembered) {
      rejections_.push_back({{isolate_, promise}, {isolate_, message.GetValue()}});
    }
    v8::Local<v8::Value> arguments[] = {promise, message.GetValue()};
    static_cast<void>(
        web_apis_.unhandled.Get(isolate_)->Call(context(), v8::Undefined(isolate_), 2, arguments));
  } else if (message.GetEvent() == v8::kPromiseHandlerAddedAfterReject) {
    // It is the latest in nearly all cases.
    auto const found = std::find_if(rejections_.rbegin(), rejections_.rend(),
                                    [&](auto const& each) { return each.promise == promise; });
    if (found != rejections_.rend()) rejections_.erase(std::next(found).base());
    v8::Local<v8::Value> arguments[] = {promise};
    static_cast<void>(web_apis_.handled_later.Get(isolate_)->Call(
        context(), v8::Undefined(isolate_), 1, arguments));
  }
}

v8::MaybeLocal<v8::Value> Engine::take_unhandled() {
  if (rejections_.empty()) return {};
  auto const reason = rejections_.front().reason.Get(isolate_);
  rejections_.clear();
  return reason;
}

void Engine::on_import_meta(v8::Local<v8::Context> context, v8::Local<v8::Module> /*module*/,
                            v8::Local<v8::Object> meta) {
  auto* const isolate = context->GetIsolate();
  of(isolate).import_meta_.Reset(isolate, meta);
}

v8::Local<v8::Value> import_error(v8::Isolate* isolate, v8::Local<v8::String> specifier) {
  constexpr std::size_t kLongestShown = 200;
  auto name = utf8_of(isolate, specifier);
  if (name.size() > kLongestShown) name = "(a long name)";
  return v8::Exception::TypeError(
      text_of(isolate, fmt::format("Modules from elsewhere are not available: \"{}\".", name)));
}

v8::MaybeLocal<v8::Promise> refuse_import(v8::Local<v8::Context> context,
                                          v8::Local<v8::Data> /*options*/,
                                          v8::Local<v8::Value> /*importer*/,
                                          v8::Local<v8::String> specifier,
                                          v8::Local<v8::FixedArray> /*assertions*/) {
  v8::Local<v8::Promise::Resolver> resolver;
  if (!v8::Promise::Resolver::New(context).ToLocal(&resolver) ||
      resolver->Reject(context, import_error(context->GetIsolate(), specifier)).IsNothing()) {
    return {};
  }
  return resolver->GetPromise();
}

}  // namespace sallyport::js::sandbox
