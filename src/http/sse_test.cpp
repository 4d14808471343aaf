#include "src/http/sse.hpp"

#include <gtest/gtest.h>

namespace sallyport::http {
namespace {

using namespace std::chrono_literals;

TEST(Sse, FramesEveryField) {
  SseEvent const event{.event = "message", .id = "7", .data = "{}", .retry = 1500ms};

  EXPECT_EQ(to_sse(event), "event: message\nid: 7\nretry: 1500\ndata: {}\n\n");
}

TEST(Sse, WritesOneDataFieldPerLine) {
  struct Case {
    std::string_view data;
    std::string_view expected;
  };
  constexpr Case kCases[] = {
      {"", "data: \n\n"},
      {"a", "data: a\n\n"},
      {"a\nb", "data: a\ndata: b\n\n"},
      {"a\r\nb", "data: a\ndata: b\n\n"},
      {"a\rb", "data: a\ndata: b\n\n"},
      {"a\n", "data: a\ndata: \n\n"},
      {"\n\na", "data: \ndata: \ndata: a\n\n"},
  };
  for (auto const& [data, expected] : kCases) {
    EXPECT_EQ(to_sse({.data = data}), expected) << data;
  }
}

TEST(Sse, DoesNotLetAFieldForgeAnother) {
  SseEvent const event{.event = "a\ndata: forged", .id = "1\r\nretry: 0", .data = "x"};

  EXPECT_EQ(to_sse(event), "event: adata: forged\nid: 1retry: 0\ndata: x\n\n");
}

TEST(Sse, AppendsToWhatIsThere) {
  std::string out = sse_comment("hello");
  append_sse(out, {.data = "x"});

  EXPECT_EQ(out, ": hello\n\ndata: x\n\n");
}

TEST(SseComment, KeepsEveryLineAComment) {
  EXPECT_EQ(sse_comment(""), ":\n\n");
  EXPECT_EQ(sse_comment("a\ndata: b"), ": a\n: data: b\n\n");
}

}  // namespace
}  // namespace sallyport::http
