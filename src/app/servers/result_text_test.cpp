#include "src/app/servers/result_text.hpp"

#include "src/json/parse.hpp"

#include <gtest/gtest.h>

namespace sallyport::app::servers {
namespace {

json::Object object(char const* text) {
  return json::parse(text)->get_object();
}

TEST(ResultText, HasTextsAsTheyAreAndSaysWhatElseThereIs) {
  EXPECT_EQ(result_text(object(R"({"content": [
    {"type": "text", "text": "one"}, {"type": "text", "text": "two\n"},
    {"type": "image", "mimeType": "image/png", "data": "AAAA"},
    {"type": "audio", "mimeType": "audio/wav", "data": "AAA="},
    {"type": "resource_link", "name": "n", "uri": "file:///a"},
    {"type": "resource", "resource": {"uri": "x://y", "text": "inside"}},
    {"type": "resource", "resource": {"uri": "x://z", "mimeType": "a/b", "blob": "AA=="}},
    {"type": "new", "x": 1}, 7]})")),
            "one\ntwo\n[image image/png, 3 bytes]\n[audio audio/wav, 2 bytes]\n[n file:///a]\n"
            "inside\n[x://z a/b, 1 bytes]\n{\"type\":\"new\",\"x\":1}\n");
}

TEST(ResultText, IsTheStructureWhereThereIsNothingElse) {
  EXPECT_EQ(result_text(object(R"({"content": [], "structuredContent": {"a": 1}})")),
            "{\n  \"a\": 1\n}\n");
  EXPECT_EQ(result_text(object(R"({"content": [{"type": "text", "text": "x"}],
                                   "structuredContent": {"a": 1}})")),
            "x\n");
  EXPECT_EQ(result_text({}), "");
}

TEST(ProgressText, ShowsHowFarItIs) {
  EXPECT_EQ(progress_text(object(R"({"progress": 5, "total": 10, "message": "half"})")),
            "[##########          ] 5/10 half");
  EXPECT_EQ(progress_text(object(R"({"progress": 50, "total": 10})")),
            "[####################] 50/10");
  EXPECT_EQ(progress_text(object(R"({"progress": 0.5})")), "0.5");
  EXPECT_EQ(progress_text(object(R"({"progress": -1, "total": 1e308})")),
            "[                    ] -1/1e+308");
  EXPECT_EQ(progress_text({}), "0");
}

TEST(LogText, NamesLevelAndLogger) {
  EXPECT_EQ(log_text(object(R"({"level": "info", "logger": "db", "data": "x"})")), "info db: x");
  EXPECT_EQ(log_text(object(R"({"level": "error", "data": {"a": 1}})")), "error: {\"a\":1}");
}

}  // namespace
}  // namespace sallyport::app::servers
