#include "src/http/sse_parser.hpp"

#include "src/http/sse.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sallyport::http {
namespace {

std::string shown_items(std::vector<SseItem> const& items) {
  std::string text;
  for (auto const& item : items) {
    if (item.kind == SseItem::Kind::Retry) {
      text += "retry " + std::to_string(item.retry.count()) + "|";
    } else {
      text += item.event + "[" + item.data + "]" + *item.last_event_id + "|";
    }
  }
  return text;
}

// In pieces of every size: all must give the same.
std::string parsed_events(std::string const& stream) {
  std::string first;
  for (std::size_t size = 1; size <= stream.size(); ++size) {
    SseParser parser{1000};
    std::vector<SseItem> items;
    for (std::size_t at = 0; at < stream.size(); at += size) {
      EXPECT_TRUE(parser.feed(std::string_view{stream}.substr(at, size), items));
    }
    if (size == 1) first = shown_items(items);
    EXPECT_EQ(shown_items(items), first) << "in pieces of " << size;
  }
  return first;
}

TEST(SseParser, ReadsTheExamplesOfTheStandard) {
  EXPECT_EQ(parsed_events("data: YHOO\ndata: +2\ndata: 10\n\n"), "message[YHOO\n+2\n10]|");
  EXPECT_EQ(parsed_events(": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\n"
                          "data:  third event\n\n"),
            "message[first event]1|message[second event]|message[ third event]|");
  EXPECT_EQ(parsed_events("data\n\ndata\ndata\n\ndata:"), "message[]|message[\n]|");
  EXPECT_EQ(parsed_events("data:test\n\ndata: test\n\n"), "message[test]|message[test]|");
}

TEST(SseParser, EveryLineEndIsOneAndAMarkAtTheStartIsNone) {
  EXPECT_EQ(parsed_events("\xEF\xBB\xBF"
                          "data: a\r\rdata: b\r\n\r\ndata: c\n\n"),
            "message[a]|message[b]|message[c]|");
  EXPECT_EQ(parsed_events("\xEF\xBB"
                          "data: a\n\ndata: b\n\n"),
            "message[b]|");
}

TEST(SseParser, KeepsTheLastIdAndForgetsTheTypeAfterEachEvent) {
  EXPECT_EQ(parsed_events("event: add\nid: 7\ndata: x\n\ndata: y\n\nevent: gone\n\ndata: z\n\n"),
            "add[x]7|message[y]7|message[z]7|");
  using namespace std::string_literals;
  EXPECT_EQ(parsed_events("id: 1\ndata: x\n\nid: 2\0\ndata: y\n\n"s), "message[x]1|message[y]1|");
}

TEST(SseParser, TakesATimeToReconnectOnlyFromDigits) {
  EXPECT_EQ(parsed_events("retry: 3000\nretry: 3s\nretry: -1\nretry:\nretry: 99999999999999\n"),
            "retry 3000|");
}

TEST(SseParser, RefusesAnEventThatIsTooLargeForGood) {
  SseParser parser{100};
  std::vector<SseItem> items;
  for (int i = 0; i < 9; ++i) ASSERT_TRUE(parser.feed("data: 1234567\n", items));
  EXPECT_TRUE(parser.feed("\n", items));
  EXPECT_EQ(items.size(), 1);
  EXPECT_FALSE(parser.feed(std::string(101, 'x'), items));
  EXPECT_FALSE(parser.feed("\n\n", items));
}

TEST(SseParser, ReadsWhatWeWrite) {
  EXPECT_EQ(parsed_events(to_sse({.event = "a", .id = "9", .data = "x\n\ny"})), "a[x\n\ny]9|");
}

TEST(SseParser, KnowsWhereToGoOnAlsoWithoutAnEvent) {
  SseParser parser{1000, "before"};
  std::vector<SseItem> items;
  EXPECT_EQ(parser.last_event_id(), "before");

  ASSERT_TRUE(parser.feed("id: 7\nretry: 500\n", items));
  EXPECT_EQ(parser.last_event_id(), "before");
  ASSERT_TRUE(parser.feed("\n", items));

  EXPECT_EQ(parser.last_event_id(), "7");
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(items[0].kind, SseItem::Kind::Retry);
}

}  // namespace
}  // namespace sallyport::http
