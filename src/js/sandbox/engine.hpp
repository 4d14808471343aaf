// V8, warm: one isolate with one context, in which the web APIs have been loaded. Children inherit
// it; each runs in its own copy.
//
// There are no threads: a process that has some cannot be forked.
#pragma once

#include "src/base/result.hpp"
#include "src/js/sandbox/buffer_allocator.hpp"
#include "src/js/sandbox/host.hpp"
#include "src/js/sandbox/limits.hpp"

#include <v8.h>

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::js::sandbox {

class Engine {
 public:
  // Once per process, which ends without taking it down (end_process). Fails when the web APIs
  // cannot be loaded; the message says why.
  static Result<Engine*> start(std::string_view web_apis);

  Engine(Engine const&) = delete;
  Engine& operator=(Engine const&) = delete;

  v8::Isolate* isolate() const noexcept { return isolate_; }
  v8::Local<v8::Context> context() const { return context_.Get(isolate_); }
  Host& host() noexcept { return host_; }
  WebApis const& web_apis() const noexcept { return web_apis_; }

  // What a child does first: its limits of memory, and random numbers of its own.
  void begin_child(Limits const& limits);

  // Gives back the memory that starting has left behind: each page that a process has makes its
  // forks slower.
  void tidy_up();

  // What a script has made: what was there before it does not count, nor towards its limit.
  std::size_t heap_bytes() const;

  // Promises' jobs, and what the engine has put off.
  void run_jobs();

  // The object `import.meta` of the module that runs; empty when it has not asked for it.
  v8::Local<v8::Object> import_meta() const { return import_meta_.Get(isolate_); }
  void forget_import_meta() { import_meta_.Reset(); }

  // Of the promises that were rejected without a handler since the last time, the first reason;
  // empty when there is none. Forgets them all.
  v8::MaybeLocal<v8::Value> take_unhandled();

 private:
  struct Rejection {
    v8::Global<v8::Promise> promise;
    v8::Global<v8::Value> reason;
  };

  Engine() = default;
  void make_isolate();
  Result<void> load(std::string_view web_apis);
  std::size_t all_heap_bytes() const;
  void on_rejection(v8::PromiseRejectMessage& message);
  static Engine& of(v8::Isolate* isolate);
  static void on_promise(v8::PromiseRejectMessage message);
  static void on_import_meta(v8::Local<v8::Context> context, v8::Local<v8::Module> module,
                             v8::Local<v8::Object> meta);

  std::unique_ptr<v8::Platform> platform_;
  BufferAllocator buffers_;
  v8::Isolate* isolate_{nullptr};
  v8::Global<v8::Context> context_;
  std::size_t warm_heap_bytes_{0};
  Host host_;
  WebApis web_apis_;
  v8::Global<v8::Object> import_meta_;
  std::vector<Rejection> rejections_;
};

// What a script is told that imports something. Empty promise: the engine is being stopped.
v8::MaybeLocal<v8::Promise> refuse_import(v8::Local<v8::Context> context,
                                          v8::Local<v8::Data> options,
                                          v8::Local<v8::Value> importer,
                                          v8::Local<v8::String> specifier,
                                          v8::Local<v8::FixedArray> assertions);
v8::Local<v8::Value> import_error(v8::Isolate* isolate, v8::Local<v8::String> specifier);

}  // namespace sallyport::js::sandbox
