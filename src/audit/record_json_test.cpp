#include "src/audit/record_json.hpp"

#include "src/audit/call_id.hpp"
#include "src/audit/test_log.hpp"
#include "src/json/parse.hpp"

#include <gmock/gmock.h>

namespace sallyport::audit {
namespace {

using testing::HasSubstr;

TEST(RecordJson, ReadsBackWhatItWrote) {
  auto record = test::sample("id");
  record.error_code = "upstream_failed";
  record.error = "quote \" and \n newline \xC3\xA4";
  record.bytes_sent = ~std::uint64_t{0};
  record.hops.front().policy = "a1b2c3 d4e5f6";

  auto const stored = to_stored(record);
  auto const again = parse_record(stored.body);

  ASSERT_TRUE(again);
  EXPECT_EQ(to_stored(*again), stored);
  EXPECT_EQ(again->error, record.error);
  EXPECT_EQ(again->hops.front().injected, record.hops.front().injected);
  EXPECT_EQ(again->hops.front().policy, "a1b2c3 d4e5f6");
}

TEST(RecordJson, HasNoPolicyWhereNoneJudged) {
  auto const stored = to_stored(test::sample("id"));

  EXPECT_EQ(stored.body.find("policy"), std::string::npos);
  EXPECT_EQ(parse_record(stored.body)->hops.front().policy, "");
}

TEST(RecordJson, SaysOfStreamsAloneThatTheyAreOne) {
  auto record = test::sample("id");
  EXPECT_EQ(to_stored(record).body.find("stream"), std::string::npos);

  for (auto const state : {StreamState::Opened, StreamState::Closed}) {
    record.stream = state;
    auto const stored = to_stored(record);
    EXPECT_THAT(stored.body, HasSubstr(state == StreamState::Opened ? R"("stream":"opened")"
                                                                    : R"("stream":"closed")"));
    EXPECT_EQ(parse_record(stored.body)->stream, state);
  }
}

TEST(RecordJson, HasTheCloseCodeOfAWebSocketAlone) {
  auto record = test::sample("id");
  EXPECT_EQ(to_stored(record).body.find("close_code"), std::string::npos);

  record.close_code = 3001;
  auto const stored = to_stored(record);
  EXPECT_THAT(stored.body, HasSubstr(R"("close_code":3001)"));
  EXPECT_EQ(parse_record(stored.body)->close_code, 3001);
}

TEST(RecordJson, IsValidWhateverAPeerPutIn) {
  auto record = test::sample("id");
  for (auto const& bytes : {std::string{"\xFF\xFE"}, std::string{"\xC0\xAF"}, std::string("\0", 1),
                            std::string{"\xED\xA0\x80"}, std::string{"\xF4\x90\x80\x80"},
                            std::string{"\xE2\x82"}, std::string(100'000, '\xC3')}) {
    record.principal = bytes;
    record.error = bytes;
    auto const stored = to_stored(record);

    EXPECT_TRUE(json::parse(stored.body));
    EXPECT_LT(stored.body.size(), 50'000U);
    EXPECT_EQ(to_stored(*parse_record(stored.body)), stored);
  }
}

TEST(RecordJson, RefusesWhatItDidNotWrite) {
  for (auto const* text :
       {"", "[]", "{}", "{\"verdict\":\"maybe\",\"time\":\"2026-01-01T00:00:00Z\"}",
        "{\"verdict\":\"denied\",\"time\":\"yesterday\"}",
        "{\"verdict\":\"denied\",\"time\":\"2026-01-01T00:00:00Z\",\"hops\":[1]}",
        "{\"verdict\":\"denied\",\"time\":\"2026-01-01T00:00:00Z\",\"stream\":\"ajar\"}",
        "{\"verdict\":\"denied\",\"time\":\"2026-01-01T00:00:00Z\",\"status\":99999999999}"}) {
    EXPECT_FALSE(parse_record(text)) << text;
  }
}

TEST(CallId, SortsByTime) {
  auto const now = time_of(1'785'240'000'000'001);
  auto const id = new_call_id(now);

  EXPECT_EQ(id.size(), 32U);
  EXPECT_EQ(id.substr(0, 12), "019fa8989600");
  EXPECT_NE(id, new_call_id(now));
  EXPECT_LT(id, new_call_id(now + std::chrono::milliseconds{1}));
}

TEST(CallId, TellsItsTime) {
  auto const now = time_of(1'785'240'000'000'001);

  EXPECT_EQ(time_of_call_id(new_call_id(now)), time_of(1'785'240'000'000'000));
  for (auto const* text :
       {"", "r1", "019fa89896000123456789012345678", "x19fa898960001234567890123456789",
        "ffffffffffff01234567890123456789"}) {
    EXPECT_FALSE(time_of_call_id(text)) << text;
  }
}

TEST(TimeText, IsIsoWithMicroseconds) {
  EXPECT_EQ(time_text(time_of(1'785'240'000'000'001)), "2026-07-28T12:00:00.000001Z");
  EXPECT_EQ(time_text(time_of(-1)), "1969-12-31T23:59:59.999999Z");
}

TEST(TimeText, ReadsDatesTimesAndOffsets) {
  struct Case {
    char const* text;
    char const* expected;
  };
  for (auto const& [text, expected] :
       {Case{"2026-07-28", "2026-07-28T00:00:00.000000Z"},
        Case{"2026-07-28T12:30", "2026-07-28T12:30:00.000000Z"},
        Case{"2026-07-28 12:30:01.5Z", "2026-07-28T12:30:01.500000Z"},
        Case{"2026-07-28T00:30:00+02:00", "2026-07-27T22:30:00.000000Z"},
        Case{"2026-07-28T00:30:00-00:30", "2026-07-28T01:00:00.000000Z"}}) {
    auto const time = parse_time(text);
    ASSERT_TRUE(time) << text;
    EXPECT_EQ(time_text(*time), expected);
  }
  for (auto const* text :
       {"", "2026", "2026-02-30", "2026-07-28T", "2026-07-28T25:00", "2026-07-28T12:00:00.1234567Z",
        "2026-07-28T12:00Zx", "x", "2262-01-01", "0001-01-01"}) {
    EXPECT_FALSE(parse_time(text)) << text;
  }
}

}  // namespace
}  // namespace sallyport::audit
