// `run_js` of the built program, as a client calls it.
#pragma once

#include "src/json/write.hpp"

#include "tests/support/gateway.hpp"
#include "tests/support/not_tested.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace sallyport::test {

class ScriptRoadTest : public testing::Test {
 protected:
  void SetUp() override {
    auto const program = std::filesystem::path{SALLYPORT_PROGRAM}.parent_path() / "sallyport-js";
    if (!std::filesystem::exists(program)) {
      SP_NOT_TESTED("sallyport-js was not built: scripts/install_libnode gets what it needs");
    }
  }

  // Scripts may fetch from `places` whatever they like.
  GatewayOptions fetching_from(std::vector<std::string> const& places,
                               std::string more = {}) const {
    auto const url = "file://" + folder_.write("fetch.rego", "package mcp.fetch\nallow := true\n");
    return {.egress = open(places),
            .more = "policies:\n  fetch:\n    policies:\n    - url: " + url + "\n" + more};
  }

  static Modern run_call(std::string const& code, json::Object more = {}) {
    more["code"] = code;
    return modern_call("run_js", json::to_text(more));
  }
  static Reply run(Gateway const& gateway, std::string const& code, json::Object more = {}) {
    return gateway.call(run_call(code, std::move(more)));
  }
  // What it says beside its text; nothing where there was no run.
  static json::Object facts(Reply const& reply) {
    auto const* const found = json::find_object(reply.result, "structuredContent");
    return found == nullptr ? json::Object{} : *found;
  }
  static std::string value_of(Reply const& reply) {
    auto const about = facts(reply);
    auto const* const value = json::find(about, "value");
    return value == nullptr ? "(none) " + reply.whole : json::to_text(*value);
  }
  static std::string end_of(Reply const& reply) {
    auto const about = facts(reply);
    return about.empty() ? "(none) " + reply.whole : Reply::text_in(about, "end");
  }

  TempFolder folder_;
};

}  // namespace sallyport::test
