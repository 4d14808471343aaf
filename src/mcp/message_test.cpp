#include "src/mcp/message.hpp"

#include "tests/support/json_text.hpp"

#include <gtest/gtest.h>

namespace sallyport::mcp {
namespace {

using test::parsed;
using test::parsed_object;

TEST(ReadMessage, ReadsARequest) {
  auto const message =
      read_message(parsed(R"({"jsonrpc":"2.0","id":"a","method":"ping","params":{"x":1}})"));

  auto const* request = std::get_if<RequestMessage>(&message);
  ASSERT_NE(request, nullptr);
  EXPECT_EQ(request->id, "a");
  EXPECT_EQ(request->method, "ping");
  EXPECT_EQ(request->params, parsed_object(R"({"x":1})"));
}

TEST(ReadMessage, KeepsTheIdAsItIs) {
  for (auto const* const id : {"1", "0", "-7", "18446744073709551615", R"("1")", R"("")"}) {
    auto const message =
        read_message(parsed(std::string{R"({"jsonrpc":"2.0","method":"m","id":)"} + id + "}"));

    auto const* request = std::get_if<RequestMessage>(&message);
    ASSERT_NE(request, nullptr) << id;
    EXPECT_EQ(json::to_text(request->id), id);
  }
}

TEST(ReadMessage, AMessageWithAMethodAndNoIdIsANotification) {
  auto const message = read_message(parsed(R"({"jsonrpc":"2.0","method":"notifications/x"})"));

  auto const* notification = std::get_if<NotificationMessage>(&message);
  ASSERT_NE(notification, nullptr);
  EXPECT_EQ(notification->method, "notifications/x");
  EXPECT_TRUE(notification->params.empty());
}

TEST(ReadMessage, ReadsBothKindsOfResponse) {
  auto const good = read_message(parsed(R"({"jsonrpc":"2.0","id":1,"result":{"a":1}})"));
  auto const bad = read_message(parsed(R"({"jsonrpc":"2.0","id":2,"error":{"code":-1}})"));

  auto const* result = std::get_if<ResponseMessage>(&good);
  ASSERT_NE(result, nullptr);
  EXPECT_EQ(result->result, parsed_object(R"({"a":1})"));
  EXPECT_FALSE(result->error);
  auto const* error = std::get_if<ResponseMessage>(&bad);
  ASSERT_NE(error, nullptr);
  ASSERT_TRUE(error->error);
  EXPECT_EQ(error->id, 2);
}

TEST(ReadMessage, RefusesWhatIsNoMessageAndEchoesAReadableId) {
  struct Row {
    char const* text;
    char const* id;
  };
  constexpr Row kRows[] = {
      {"1", "null"},
      {"null", "null"},
      {R"("text")", "null"},
      {"[]", "null"},
      {"{}", "null"},
      {R"({"id":1,"method":"m"})", "1"},
      {R"({"jsonrpc":"1.0","id":1,"method":"m"})", "1"},
      {R"({"jsonrpc":2.0,"id":1,"method":"m"})", "1"},
      {R"({"jsonrpc":"2.0"})", "null"},
      {R"({"jsonrpc":"2.0","id":1})", "1"},
      {R"({"jsonrpc":"2.0","id":1,"method":7})", "1"},
      {R"({"jsonrpc":"2.0","id":1,"method":null})", "1"},
      {R"({"jsonrpc":"2.0","id":null,"method":"m"})", "null"},
      {R"({"jsonrpc":"2.0","id":1.5,"method":"m"})", "null"},
      {R"({"jsonrpc":"2.0","id":true,"method":"m"})", "null"},
      {R"({"jsonrpc":"2.0","id":{},"method":"m"})", "null"},
      {R"({"jsonrpc":"2.0","id":[1],"method":"m"})", "null"},
      {R"({"jsonrpc":"2.0","id":"a","method":"m","params":[1]})", R"("a")"},
      {R"({"jsonrpc":"2.0","id":"a","method":"m","params":null})", R"("a")"},
      {R"({"jsonrpc":"2.0","method":"m","params":"x"})", "null"},
      {R"({"jsonrpc":"2.0","id":1,"result":{},"error":{}})", "1"},
      {R"({"jsonrpc":"2.0","result":{}})", "null"},
      {R"({"jsonrpc":"2.0","id":null,"result":{}})", "null"},
      {R"({"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}})", "null"},
  };

  for (auto const& row : kRows) {
    auto const message = read_message(parsed(row.text));
    auto const* malformed = std::get_if<Malformed>(&message);
    ASSERT_NE(malformed, nullptr) << row.text;
    EXPECT_EQ(json::to_text(malformed->id), row.id) << row.text;
    EXPECT_FALSE(malformed->message.empty()) << row.text;
  }
}

TEST(ReadMessage, AResponseOfTheWrongShapeIsMalformed) {
  for (auto const* const text :
       {R"({"jsonrpc":"2.0","id":1,"result":1})", R"({"jsonrpc":"2.0","id":1,"result":null})",
        R"({"jsonrpc":"2.0","id":1,"error":"no"})"}) {
    EXPECT_TRUE(std::holds_alternative<Malformed>(read_message(parsed(text)))) << text;
  }
}

TEST(MetaValue, IsFoundOnlyInAMetaObject) {
  EXPECT_NE(meta_value(parsed_object(R"({"_meta":{"k":1}})"), "k"), nullptr);
  for (auto const* const text : {"{}", R"({"_meta":1})", R"({"_meta":{}})", R"({"k":1})"}) {
    EXPECT_EQ(meta_value(parsed_object(text), "k"), nullptr) << text;
  }
}

}  // namespace
}  // namespace sallyport::mcp
