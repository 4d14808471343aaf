// For tests of scripts through the built program: `run_js` as a client calls it.
#pragma once

#include "src/json/write.hpp"

#include "tests/support/gateway.hpp"
#include "tests/support/not_tested.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace sallyport::test {

class ScriptTest : public testing::Test {
 protected:
  void SetUp() override {
    auto const program = std::filesystem::path{SALLYPORT_PROGRAM}.parent_path() / "sallyport-js";
    if (!std::filesystem::exists(program)) {
      SP_NOT_TESTED("sallyport-js was not built: scripts/install_libnode gets what it needs");
    }
  }

  static Reply run(Gateway const& gateway, std::string const& code, json::Object more = {}) {
    more["code"] = code;
    return gateway.call(modern_call("run_js", json::to_text(more)));
  }
  static json::Object const& facts(Reply const& reply) {
    return reply.result.at("structuredContent").as_object();
  }
  static std::string value_of(Reply const& reply) {
    auto const* const value = json::find(facts(reply), "value");
    return value == nullptr ? reply.whole : json::to_text(*value);
  }

  TempFolder folder_;
};

}  // namespace sallyport::test
