#include "src/egress/agreement.hpp"

#include <gtest/gtest.h>

namespace sallyport::egress {
namespace {

TEST(Agreement, IsOneOfTheSubprotocolsThatWereOffered) {
  http::Headers const chat{{"sec-websocket-protocol", "chat"}};
  EXPECT_EQ(*agreed_protocol({"other", "chat"}, chat), "chat");
  EXPECT_EQ(*agreed_protocol({}, {}), "");
  EXPECT_FALSE(agreed_protocol({"other"}, chat));
  EXPECT_FALSE(agreed_protocol({}, chat));
  EXPECT_FALSE(agreed_protocol({"chat"}, {}));
  EXPECT_FALSE(agreed_protocol({"Chat"}, chat)) << "case counts";
  http::Headers const both{{"Sec-WebSocket-Protocol", "a"}, {"Sec-WebSocket-Protocol", "b"}};
  EXPECT_FALSE(agreed_protocol({"a", "b"}, both)) << "one, not two";
}

TEST(Agreement, NamesAllExtensions) {
  EXPECT_EQ(agreed_extensions({}), "");
  EXPECT_EQ(agreed_extensions(
                {{"Sec-WebSocket-Extensions", "a; x=1"}, {"sec-websocket-extensions", "b"}}),
            "a; x=1, b");
}

}  // namespace
}  // namespace sallyport::egress
