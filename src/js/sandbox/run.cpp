#include "src/js/sandbox/run.hpp"

#include "src/js/sandbox/error_report.hpp"
#include "src/js/sandbox/last_words.hpp"
#include "src/js/sandbox/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace sallyport::js::sandbox {
namespace {

v8::MaybeLocal<v8::Module> refuse_static_import(v8::Local<v8::Context> context,
                                                v8::Local<v8::String> specifier,
                                                v8::Local<v8::FixedArray> /*assertions*/,
                                                v8::Local<v8::Module> /*importer*/) {
  auto* const isolate = context->GetIsolate();
  isolate->ThrowException(import_error(isolate, specifier));
  return {};
}

int number_of(v8::Local<v8::Value> value) {
  return value->IsInt32() ? value.As<v8::Int32>()->Value() : 0;
}

}  // namespace

Run::Run(Engine& engine, RunSocket& socket, Limits const& limits)
    : engine_{engine},
      socket_{socket},
      limits_{limits},
      timer_{limits.cpu_ms},
      scope_{engine.isolate()},
      context_{engine.context()} {
  prepare_last_words(socket, limits);
  engine.host().serve(socket);
  engine.host().set_alarm(std::nullopt);
  engine.forget_import_meta();
  static_cast<void>(engine.take_unhandled());
}

AfterRun Run::go(std::string_view request) {
  // In this order; each step needs the ones before it.
  if (read_request(request) && prepare() && compile() && evaluate() && wait_until_done()) {
    read_result();
  }
  timer_.stop();
  isolate()->CancelTerminateExecution();
  if (is_session_) keep_names();
  auto const answer = done();
  forget_last_words();
  socket_.send(FrameKind::Done, 0, answer);
  return is_session_ ? AfterRun::WaitForTheNext : AfterRun::End;
}

bool Run::read_request(std::string_view request) {
  v8::TryCatch const caught{isolate()};
  v8::Local<v8::Value> value;
  if (!v8::JSON::Parse(context_, text_of(isolate(), request)).ToLocal(&value) ||
      !value->IsObject()) {
    return fail_with(error_json("Error", "The gateway's request cannot be read."));
  }
  request_ = value.As<v8::Object>();
  is_session_ = member(context_, request_, "session")->IsTrue();
  name_ = utf8_of(isolate(), member(context_, request_, "name"));
  if (name_.empty()) name_ = "script.js";
  return !call(engine_.web_apis().begin, {request_}).IsEmpty() || fail_caught(caught);
}

bool Run::prepare() {
  v8::TryCatch const caught{isolate()};
  v8::Local<v8::Value> prepared;
  if (!call(engine_.web_apis().prepare,
            {member(context_, request_, "code"), text_of(isolate(), name_),
             v8::Boolean::New(isolate(), is_session_)})
           .ToLocal(&prepared) ||
      !prepared->IsObject()) {
    return fail_caught(caught);
  }
  prepared_ = prepared.As<v8::Object>();
  auto const problem = member(context_, prepared_, "error");
  if (!problem->IsObject()) return true;
  auto const field = [&](char const* key) {
    return member(context_, problem.As<v8::Object>(), key);
  };
  auto const type = utf8_of(isolate(), field("name"));
  auto const message = utf8_of(isolate(), field("message"));
  ErrorPlace const place{.line = number_of(field("line")), .column = number_of(field("column"))};
  auto const stack =
      fmt::format("{}: {}\n    at {}:{}:{}", type, message, name_, place.line, place.column);
  return fail_with(error_json(type, message, stack, place));
}

bool Run::compile() {
  v8::TryCatch const caught{isolate()};
  auto const source = member(context_, prepared_, "source");
  if (!source->IsString()) return fail_with(error_json("Error", "There is no script."));
  v8::ScriptOrigin const origin{isolate(), text_of(isolate(), name_), 0,     0,     false,
                                -1,        v8::Local<v8::Value>{},    false, false, true};
  v8::ScriptCompiler::Source text{source.As<v8::String>(), origin};
  if (!v8::ScriptCompiler::CompileModule(isolate(), &text).ToLocal(&module_)) {
    return fail_caught(caught);
  }
  return module_->InstantiateModule(context_, refuse_static_import).FromMaybe(false) ||
         fail_caught(caught);
}

bool Run::evaluate() {
  v8::TryCatch const caught{isolate()};
  v8::Local<v8::Value> promise;
  if (!module_->Evaluate(context_).ToLocal(&promise) || !promise->IsPromise()) {
    return fail_caught(caught);
  }
  evaluation_ = promise.As<v8::Promise>();
  return true;
}

bool Run::wait_until_done() {
  while (take_turn()) {
    if (evaluation_->State() == v8::Promise::kRejected) {
      auto const reason = evaluation_->Result();
      return fail_thrown(reason, v8::Exception::CreateMessage(isolate(), reason));
    }
    if (!is_busy()) {
      if (!is_pending()) return true;
      // What keeps no run alive by itself, as AbortSignal.timeout(), may still settle the promise.
      if (!engine_.host().alarm()) {
        return fail_with(error_json("Error",
                                    "The script waits for something that never happens (a promise "
                                    "that nobody settles)."));
      }
    }
    sleep();
  }
  return false;
}

// Does all that can be done without waiting.
bool Run::take_turn() {
  v8::HandleScope const scope{isolate()};
  engine_.run_jobs();
  auto& host = engine_.host();
  if (auto const alarm = host.alarm(); alarm && now_ms() >= *alarm) {
    host.set_alarm(std::nullopt);
    v8::TryCatch const caught{isolate()};
    if (call(engine_.web_apis().on_wake, {}).IsEmpty()) return fail_caught(caught);
    engine_.run_jobs();
  }
  while (auto const frame = socket_.next()) {
    if (timer_.is_used_up() || !deliver(*frame)) return false;
  }
  return !timer_.is_used_up();
}

bool Run::deliver(Frame const& frame) {
  v8::HandleScope const scope{isolate()};
  v8::TryCatch const caught{isolate()};
  v8::Local<v8::Value> payload = v8::Undefined(isolate());
  switch (frame.kind) {
    case FrameKind::Answer:
    case FrameKind::End: payload = text_of(isolate(), frame.payload); break;
    case FrameKind::Chunk: payload = bytes_of(isolate(), frame.payload); break;
    case FrameKind::Credit:
      payload = v8::Integer::NewFromUnsigned(isolate(), credit_in(frame.payload));
      break;
    case FrameKind::Cancel: break;
    case FrameKind::Run:
    case FrameKind::Console:
    case FrameKind::Call:
    case FrameKind::Done: end_process(ExitCode::BrokenFrame);
  }
  auto const kind = v8::Integer::New(isolate(), static_cast<int>(frame.kind));
  auto const number = v8::Integer::NewFromUnsigned(isolate(), frame.call);
  if (call(engine_.web_apis().on_frame, {kind, number, payload}).IsEmpty()) {
    return fail_caught(caught);
  }
  engine_.run_jobs();
  return true;
}

void Run::sleep() {
  auto const alarm = engine_.host().alarm();
  if (!alarm) return socket_.wait(-1);
  constexpr double kLongestSleep = 3'600'000;
  auto const left = std::clamp(*alarm - now_ms(), 0.0, kLongestSleep);
  socket_.wait(static_cast<int>(std::ceil(left)));
}

// The script's own promise, or the one that is its value.
bool Run::is_pending() {
  if (evaluation_->State() == v8::Promise::kPending) return true;
  auto const value = last_value();
  return value->IsPromise() && value.As<v8::Promise>()->State() == v8::Promise::kPending;
}

bool Run::is_busy() {
  v8::HandleScope const scope{isolate()};
  v8::TryCatch const caught{isolate()};
  v8::Local<v8::Value> busy;
  return call(engine_.web_apis().is_busy, {}).ToLocal(&busy) && busy->IsTrue();
}

bool Run::read_result() {
  v8::Local<v8::Value> reason;
  if (engine_.take_unhandled().ToLocal(&reason)) {
    return fail_thrown(reason, v8::Exception::CreateMessage(isolate(), reason));
  }
  auto value = last_value();
  if (value->IsPromise()) value = value.As<v8::Promise>()->Result();
  v8::TryCatch const caught{isolate()};
  v8::Local<v8::Value> text;
  if (!call(engine_.web_apis().to_result, {value}).ToLocal(&text)) return fail_caught(caught);
  value_ = utf8_of(isolate(), text);
  return true;
}

v8::Local<v8::Value> Run::last_value() {
  auto const meta = engine_.import_meta();
  if (meta.IsEmpty()) return v8::Undefined(isolate());
  v8::TryCatch const caught{isolate()};  // somebody may have made it a getter
  return member(context_, meta, "result");
}

// The next run of the session sees them as globals. Those that have no value yet are left out: the
// run has failed before it came to them.
void Run::keep_names() {
  if (module_.IsEmpty() || module_->GetStatus() < v8::Module::kInstantiated) return;
  auto const names = member(context_, prepared_, "names");
  if (!names->IsArray()) return;
  auto const exported = module_->GetModuleNamespace().As<v8::Object>();
  for (std::uint32_t i = 0; i < names.As<v8::Array>()->Length(); ++i) {
    v8::HandleScope const scope{isolate()};
    v8::TryCatch const caught{isolate()};
    v8::Local<v8::Value> name;
    v8::Local<v8::Value> value;
    if (names.As<v8::Array>()->Get(context_, i).ToLocal(&name) && name->IsString() &&
        exported->Get(context_, name).ToLocal(&value)) {
      context_->Global()
          ->CreateDataProperty(context_, name.As<v8::String>(), value)
          .FromMaybe(false);
    }
  }
}

std::string Run::done() {
  std::string text = "{";
  if (timer_.is_used_up()) {
    text += fmt::format(R"("error":{},"limit":"{}",)",
                        error_json("RangeError", out_of_time_message(limits_)), kOutOfTime);
  } else if (!error_.empty()) {
    text += fmt::format(R"("error":{},)", error_);
  } else if (value_.size() > kLargestPayload / 2) {
    text += fmt::format(
        R"("error":{},)",
        error_json("RangeError",
                   fmt::format("The value of the script is too large: {} bytes.", value_.size())));
  } else if (!value_.empty()) {
    text += fmt::format(R"("value":{},)", value_);
  }
  return text +
         fmt::format(R"("cpu_us":{},"heap_bytes":{}}})", timer_.used_us(), engine_.heap_bytes());
}

bool Run::fail_with(std::string error) {
  error_ = std::move(error);
  return false;
}

bool Run::fail_thrown(v8::Local<v8::Value> thrown, v8::Local<v8::Message> message) {
  return fail_with(describe_error(context_, engine_.web_apis(), thrown, message, name_));
}

bool Run::fail_caught(v8::TryCatch const& caught) {
  if (caught.HasTerminated() || timer_.is_used_up()) return false;
  if (!caught.HasCaught()) return fail_with(error_json("Error", "The script cannot be run."));
  return fail_thrown(caught.Exception(), caught.Message());
}

v8::MaybeLocal<v8::Value> Run::call(v8::Global<v8::Function> const& function,
                                    std::initializer_list<v8::Local<v8::Value>> arguments) {
  std::vector<v8::Local<v8::Value>> list{arguments};
  return function.Get(isolate())->Call(context_, v8::Undefined(isolate()),
                                       static_cast<int>(list.size()), list.data());
}

}  // namespace sallyport::js::sandbox
