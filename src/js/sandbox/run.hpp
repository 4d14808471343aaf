// One run of a script: from the Run frame to its Done.
#pragma once

#include "src/js/frame.hpp"
#include "src/js/sandbox/cpu_time.hpp"
#include "src/js/sandbox/engine.hpp"

#include <v8.h>

#include <initializer_list>
#include <string>
#include <string_view>

namespace sallyport::js::sandbox {

enum class AfterRun { End, WaitForTheNext };

class Run {
 public:
  // All of them must outlive the run.
  Run(Engine& engine, RunSocket& socket, Limits const& limits);

  // `request` is the payload of the Run frame.
  AfterRun go(std::string_view request);

 private:
  // Steps return false when the run has failed: then `error_` says how, as JSON, or the time is up.
  bool read_request(std::string_view request);
  bool prepare();
  bool compile();
  bool evaluate();
  bool wait_until_done();
  bool read_result();

  bool is_pending();
  bool is_busy();
  bool take_turn();
  void sleep();
  bool deliver(Frame const& frame);
  void keep_names();
  std::string done();

  bool fail_with(std::string error);
  bool fail_thrown(v8::Local<v8::Value> thrown, v8::Local<v8::Message> message);
  bool fail_caught(v8::TryCatch const& caught);

  v8::MaybeLocal<v8::Value> call(v8::Global<v8::Function> const& function,
                                 std::initializer_list<v8::Local<v8::Value>> arguments);
  v8::Local<v8::Value> last_value();
  v8::Isolate* isolate() const { return engine_.isolate(); }

  Engine& engine_;
  RunSocket& socket_;
  Limits const& limits_;
  CpuTimer timer_;
  v8::HandleScope scope_;
  v8::Local<v8::Context> context_;
  v8::Local<v8::Object> request_;
  v8::Local<v8::Object> prepared_;
  v8::Local<v8::Module> module_;
  v8::Local<v8::Promise> evaluation_;
  bool is_session_{false};
  std::string name_;
  std::string value_;  // JSON; empty: none
  std::string error_;  // JSON; empty: none
};

}  // namespace sallyport::js::sandbox
