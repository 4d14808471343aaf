// For the tests of `run_js` and its companions: all five on a server with an engine that does what
// it is told.
#pragma once

#include "src/json/schema.hpp"
#include "src/tools/run_js/test_engine.hpp"

#include "tests/support/mcp_bench.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::tools::test_js {

constexpr auto kHasTasks = R"({"extensions":{"io.modelcontextprotocol/tasks":{}}})";

class RunJsFixture : public testing::Test {
 protected:
  ~RunJsFixture() override {
    if (!bench_) return;
    bool done = false;
    auto const loop = bench_->dispatcher().executor();
    asio::co_spawn(loop, store_->stop(), [&](auto const&, auto const&) { done = true; });
    while (!done) loop.context().run_one();
  }

  test::McpBench& bench() {
    if (bench_) return *bench_;
    store_.emplace(limits, engine);
    mcp::Registry::Builder builder;
    builder.add(run_js(
        options,
        [this](RequestContext const& caller, std::string const& execution) {
          callers.push_back(caller);
          executions.push_back(execution);
          return std::make_unique<NoWorld>();
        },
        *store_));
    builder.add(get_execution(*store_));
    builder.add(get_execution_output(options, *store_));
    builder.add(cancel_execution(*store_));
    builder.add(list_executions(*store_));
    return bench_.emplace(std::move(builder));
  }
  ExecutionStore& store() {
    bench();
    return *store_;
  }

  // Calls a tool as 2026-07-28, and runs what is ready to run.
  test::RecordingOutlet& call(std::string_view tool, json::Object arguments,
                              std::string_view capabilities = "{}", json::Object meta = {}) {
    json::Object params{{"name", tool}, {"arguments", std::move(arguments)}};
    if (!meta.empty()) params["_meta"] = std::move(meta);
    auto& outlet =
        bench().modern("tools/call", std::move(params), test::parsed_object(capabilities));
    check_structure(tool, outlet);
    return outlet;
  }
  test::RecordingOutlet& run(std::string_view code = "1") {
    return call("run_js", {{"code", code}});
  }
  // Starts a script that stays, and gives its id.
  std::string leave_running(std::string_view code = "while (true) {}") {
    if (!engine.gate) engine.block();
    auto const& outlet = call("run_js", {{"code", code}, {"background", true}});
    return text_of(facts(outlet), "execution_id");
  }
  void end_scripts() {
    engine.gate->set();
    engine.gate.reset();
    bench().settle();
  }

  static json::Object facts(test::RecordingOutlet const& outlet) {
    auto const result = outlet.result();
    auto const* found = json::find_object(result, "structuredContent");
    return found == nullptr ? json::Object{} : *found;
  }
  static std::string text_of(json::Object const& object, std::string_view name) {
    auto const* found = json::find_string(object, name);
    return found == nullptr ? std::string{} : std::string{json::view(*found)};
  }
  static bool is_error(test::RecordingOutlet const& outlet) {
    auto const result = outlet.result();
    auto const* found = json::find(result, "isError");
    return found != nullptr && found->is_bool() && found->get_bool();
  }
  // Every text block, joined by a bar.
  static std::string texts(test::RecordingOutlet const& outlet) {
    std::string all;
    auto const result = outlet.result();
    auto const* content = json::find_array(result, "content");
    if (content == nullptr) return all;
    for (auto const& block : *content) {
      all += (all.empty() ? "" : "|") + text_of(block.get_object(), "text");
    }
    return all;
  }

  FakeEngine engine;
  ExecutionLimits limits;
  RunJsOptions options;
  std::vector<RequestContext> callers;
  std::vector<std::string> executions;

 private:
  // What is structured is as its schema says, errors included.
  void check_structure(std::string_view tool, test::RecordingOutlet const& outlet) {
    auto const found = facts(outlet);
    auto const& schema = *bench().dispatcher().registry().tool(tool)->tool.output_schema;
    if (found.empty()) return;
    auto const valid = json::Schema::compile(schema)->validate(found);
    EXPECT_TRUE(valid) << valid.error().message << json::to_text(found);
  }

  std::optional<ExecutionStore> store_;
  std::optional<test::McpBench> bench_;
};

}  // namespace sallyport::tools::test_js
