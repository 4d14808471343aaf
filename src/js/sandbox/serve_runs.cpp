#include "src/js/sandbox/serve_runs.hpp"

#include "src/js/sandbox/hashes.hpp"
#include "src/js/sandbox/run.hpp"
#include "src/json/write.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace sallyport::js::sandbox {
namespace {

Frame next_run(RunSocket& socket) {
  while (true) {
    // What comes between two runs of a session belongs to calls that nobody waits for any more.
    while (auto frame = socket.next()) {
      if (frame->kind == FrameKind::Run) return std::move(*frame);
    }
    socket.wait(-1);
  }
}

std::string request_for(std::string_view script) {
  std::string request = R"({"name":"warm.js","session":false,"apis":{},"code":)";
  json::write_string(script, request);
  return request + '}';
}

}  // namespace

void warm_up(Engine& engine) {
  warm_hashes();
  {
    v8::HandleScope const scope{engine.isolate()};
    v8::TryCatch const caught{engine.isolate()};
    static_cast<void>(engine.web_apis()
                          .warm.Get(engine.isolate())
                          ->Call(engine.context(), v8::Undefined(engine.isolate()), 0, nullptr));
    engine.run_jobs();
  }
  constexpr std::string_view kScripts[] = {
      "const list = [1, 2]; await null; list.map(String).join()",
      "console.log('warm', {a: 1}); throw new Error('warm')",
      "1 +",
      "1 + 1",
  };
  RunSocket nowhere;
  Limits const limits{.cpu_ms = 0};
  auto const run_all = [&] {
    for (auto const script : kScripts) Run{engine, nowhere, limits}.go(request_for(script));
  };
  run_all();
  engine.tidy_up();
  run_all();  // what the collector took away and the next run would make again
  engine.begin_child({.heap_mb = kLargestHeapMb, .data_mb = 2 * kLargestHeapMb});
}

void touch_memory(Engine& engine) {
  RunSocket nowhere;
  Run{engine, nowhere, Limits{.cpu_ms = 0}}.go(request_for("1 + 1"));
}

void serve_runs(Engine& engine, int socket, Limits const& limits) {
  RunSocket connection{socket};
  engine.begin_child(limits);
  while (true) {
    auto const request = next_run(connection);
    if (Run{engine, connection, limits}.go(request.payload) == AfterRun::End) {
      end_process(ExitCode::Done);
    }
  }
}

}  // namespace sallyport::js::sandbox
