#include "src/mcp/rpc.hpp"

#include "tests/support/json_text.hpp"

#include <gtest/gtest.h>

namespace sallyport::mcp {
namespace {

using test::parsed;

TEST(ErrorAnswer, CarriesIdCodeMessageAndData) {
  RpcError const error{code::kInvalidParams, "say \"why\"\n", json::Object{{"uri", "x"}}, 400};

  auto const answer = error_answer("a", error, kModern);

  EXPECT_EQ(answer.http_status, 400);
  EXPECT_EQ(parsed(answer.body), parsed(R"({"jsonrpc":"2.0","id":"a","error":
      {"code":-32602,"message":"say \"why\"\n","data":{"uri":"x"}}})"));
  EXPECT_EQ(answer.body.find('\n'), std::string::npos);
}

TEST(ErrorAnswer, AnIdThatCouldNotBeReadIsNullOrLeftOutByEra) {
  RpcError const error{code::kParseError, "m"};

  for (auto const revision : kRevisions) {
    auto const body = test::parsed_object(error_answer(nullptr, error, revision).body);
    EXPECT_EQ(body.contains("id"), !is_modern(revision)) << to_string(revision);
    EXPECT_FALSE(body.at("error").get_object().contains("data"));
  }
}

TEST(ResultAnswer, PutsTheTextOfTheResultInPlace) {
  auto const answer = result_answer(7, R"({"a":[1]})");

  EXPECT_EQ(answer.body, R"({"jsonrpc":"2.0","id":7,"result":{"a":[1]}})");
  EXPECT_EQ(answer.http_status, 200);
}

TEST(Notification, LeavesOutEmptyParams) {
  EXPECT_EQ(notification("n", {}), R"({"jsonrpc":"2.0","method":"n"})");
  EXPECT_EQ(notification("n", {{"a", 1}}), R"({"jsonrpc":"2.0","method":"n","params":{"a":1}})");
}

TEST(Request, HasParamsEvenWhenTheyAreEmpty) {
  EXPECT_EQ(request("i", "m", {}), R"({"jsonrpc":"2.0","id":"i","method":"m","params":{}})");
}

TEST(IdKey, TellsANumberFromItsText) {
  EXPECT_NE(id_key(1), id_key("1"));
  EXPECT_EQ(id_key("1"), id_key("1"));
}

}  // namespace
}  // namespace sallyport::mcp
