#include "src/transport/event_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sallyport::transport {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class EventStoreTest : public testing::Test {
 protected:
  std::unique_ptr<EventStream> make(mcp::Revision revision = mcp::Revision::V2025_11_25) {
    session_ = std::make_shared<mcp::Session>("s", mcp::Session::Agreement{.revision = revision});
    return store_.make(session_);
  }

  Reader reader() {
    return {std::make_shared<Feed>(loop_.get_executor(), 1'000'000), loop_.get_executor()};
  }

  // What the reader was shown so far.
  std::string shown(Reader const& reader) {
    loop_.restart();
    loop_.poll();
    return reader.feed->take();
  }

  asio::io_context loop_;
  HttpOptions options_;
  EventStore store_{3, options_};
  std::shared_ptr<mcp::Session> session_;
};

TEST_F(EventStoreTest, NumbersEventsByLoopStreamAndPlace) {
  auto const stream = make(mcp::Revision::V2025_06_18);
  stream->send("one");
  stream->send("two");
  auto const eyes = reader();

  stream->attach(eyes, 0);

  EXPECT_EQ(shown(eyes), "event: message\nid: " + stream->id() + "-1\ndata: one\n\n" +
                             "event: message\nid: " + stream->id() + "-2\ndata: two\n\n");
  auto const position = EventStore::parse_event_id(stream->id() + "-2");
  ASSERT_TRUE(position);
  EXPECT_EQ(position->loop, 3);
  EXPECT_EQ(position->stream, stream->id());
  EXPECT_EQ(position->event, 2);
}

TEST_F(EventStoreTest, KnowsHowMuchWaitsForItsFirstReader) {
  auto const stream = make(mcp::Revision::V2025_06_18);
  EXPECT_EQ(stream->unsent_bytes(), 0U);

  stream->send(std::string(1000, 'x'));
  EXPECT_GE(stream->unsent_bytes(), 1000U);

  auto const eyes = reader();
  stream->attach(eyes, 0);
  (void)shown(eyes);
  EXPECT_EQ(stream->unsent_bytes(), 0U);
}

TEST_F(EventStoreTest, KnowsHowMuchWaitsForAReaderOnAnotherLoop) {
  asio::io_context other;
  Reader const far{std::make_shared<Feed>(other.get_executor(), 1'000'000), other.get_executor()};
  auto const stream = make(mcp::Revision::V2025_06_18);
  stream->attach(far, 0);

  stream->send(std::string(1000, 'x'));
  EXPECT_GE(stream->unsent_bytes(), 1000U);  // on its way
  other.poll();
  EXPECT_GE(stream->unsent_bytes(), 1000U);  // there, and not taken
  EXPECT_LE(stream->unsent_bytes(), 1100U);
  (void)far.feed->take();
  EXPECT_EQ(stream->unsent_bytes(), 0U);
}

TEST_F(EventStoreTest, RefusesIdsThatItNeverMade) {
  for (auto const* id : {"", "-", "--", "1", "1-a", "x-a-1", "1-a-x", "1-a-", "-a-1", "1-a- 1",
                         "1-a-99999999999999999999999", "99999999999999999999999-a-1"}) {
    EXPECT_FALSE(EventStore::parse_event_id(id)) << id;
  }
}

TEST_F(EventStoreTest, PrimesStreamsOf20251125Only) {
  for (auto const revision : {mcp::Revision::V2025_03_26, mcp::Revision::V2025_06_18}) {
    auto const stream = make(revision);
    stream->send("one");
    auto const eyes = reader();
    stream->attach(eyes, 0);
    EXPECT_THAT(shown(eyes), StartsWith("event: message\n"));
  }
  auto const stream = make();
  stream->send("one");
  auto const eyes = reader();
  stream->attach(eyes, 0);

  auto const text = shown(eyes);

  EXPECT_THAT(text, StartsWith("id: " + stream->id() + "-1\ndata: \n\n"));
  EXPECT_THAT(text, HasSubstr("id: " + stream->id() + "-2\ndata: one\n\n"));
}

TEST_F(EventStoreTest, ReplaysWhatCameAfterAnEvent) {
  auto const stream = make(mcp::Revision::V2025_06_18);
  auto const first = reader();
  stream->attach(first, 0);
  stream->send("one");
  EXPECT_THAT(shown(first), HasSubstr("data: one"));
  stream->detach(first);
  stream->send("two");
  stream->finish({.body = "answer"});
  auto const second = reader();

  stream->attach(second, 1);

  auto const text = shown(second);
  EXPECT_THAT(text, Not(HasSubstr("data: one")));
  EXPECT_THAT(text, HasSubstr("data: two"));
  EXPECT_THAT(text, EndsWith("data: answer\n\n"));
  EXPECT_TRUE(second.feed->is_closed());
}

TEST_F(EventStoreTest, HasOneReaderAtATime) {
  auto const stream = make(mcp::Revision::V2025_06_18);
  auto const old = reader();
  auto const current = reader();
  stream->attach(old, 0);

  stream->attach(current, 0);
  stream->detach(old);  // it is not the reader any more: nothing happens
  stream->send("one");

  EXPECT_THAT(shown(current), HasSubstr("data: one"));
  EXPECT_EQ(shown(old), "");
  EXPECT_TRUE(old.feed->is_closed());
}

TEST_F(EventStoreTest, KeepsABoundedNumberOfEvents) {
  options_.replay_events = 2;
  auto const stream = make(mcp::Revision::V2025_06_18);
  for (auto const* each : {"one", "two", "three"}) stream->send(each);
  auto const eyes = reader();

  stream->attach(eyes, 0);

  auto const text = shown(eyes);
  EXPECT_THAT(text, Not(HasSubstr("data: one")));
  EXPECT_THAT(text, HasSubstr("data: two"));
  EXPECT_THAT(text, HasSubstr("data: three"));
}

TEST_F(EventStoreTest, KeepsABoundedNumberOfBytesButAlwaysTheLastEvent) {
  options_.replay_bytes = 100;
  auto const stream = make(mcp::Revision::V2025_06_18);
  stream->send("one");
  stream->send(std::string(1000, 'x'));
  auto const eyes = reader();

  stream->attach(eyes, 0);

  auto const text = shown(eyes);
  EXPECT_THAT(text, Not(HasSubstr("data: one")));
  EXPECT_THAT(text, HasSubstr("data: xxx"));
}

TEST_F(EventStoreTest, SaysWhenToComeBackAndClosesWhenItIsReleased) {
  auto const stream = make();
  auto const eyes = reader();
  stream->begin_streaming();
  stream->attach(eyes, 0);

  stream->release(500ms);

  EXPECT_THAT(shown(eyes), EndsWith("id: " + stream->id() + "-1\nretry: 500\ndata: \n\n"));
  EXPECT_TRUE(eyes.feed->is_closed());
}

// A handler let go of the connection before it was shown the stream: the client was never told
// when to come back, and its connection stayed open.
TEST_F(EventStoreTest, RemembersAReleaseUntilTheFirstReaderComes) {
  auto const stream = make();
  stream->release(500ms);
  auto const first = reader();
  auto const second = reader();

  stream->attach(first, 0);
  stream->attach(second, 1);

  EXPECT_THAT(shown(first), EndsWith("id: " + stream->id() + "-1\nretry: 500\ndata: \n\n"));
  EXPECT_TRUE(first.feed->is_closed());
  EXPECT_EQ(shown(second), "");
  EXPECT_FALSE(second.feed->is_closed());
}

TEST_F(EventStoreTest, ForgetsAReleaseOfAReaderThatHasGoneByItself) {
  auto const stream = make();
  auto const first = reader();
  stream->begin_streaming();
  stream->attach(first, 0);
  stream->detach(first);

  stream->release(500ms);

  auto const second = reader();
  stream->attach(second, 1);
  EXPECT_EQ(shown(second), "");
  EXPECT_FALSE(second.feed->is_closed());
}

TEST_F(EventStoreTest, IsNotReleasedWhereNobodyCouldComeBack) {
  auto const older = make(mcp::Revision::V2025_06_18);
  auto const eyes = reader();
  older->attach(eyes, 0);
  older->release(500ms);
  EXPECT_FALSE(eyes.feed->is_closed());

  auto const json_only = make();
  json_only->forbid_streaming();
  json_only->release(500ms);
  EXPECT_FALSE(json_only->is_streaming());
}

TEST_F(EventStoreTest, NeverStreamsToAClientThatTakesJsonOnly) {
  auto const stream = make();
  stream->forbid_streaming();

  stream->send("one");
  stream->finish({.body = "answer"});

  EXPECT_FALSE(stream->can_send());
  EXPECT_FALSE(stream->is_streaming());
  EXPECT_EQ(stream->take_answer().body, "answer");
}

TEST_F(EventStoreTest, TellsOfTheFirstEventAndOfTheAnswer) {
  auto const stream = make();
  int changes = 0;
  stream->on_change([&] { ++changes; });

  stream->send("one");
  stream->finish({.body = "answer"});

  EXPECT_EQ(changes, 2);
}

TEST_F(EventStoreTest, DropsAStreamSomeTimeAfterItHasEndedAndIsUnread) {
  auto& running = store_.keep(make());
  auto const running_id = running.id();
  auto& ended = store_.keep(make());
  auto const ended_id = ended.id();
  ended.finish({.body = "answer"});

  store_.drop_expired(Clock::now() + options_.replay_time - 1s);
  EXPECT_NE(store_.find(ended_id), nullptr);
  store_.drop_expired(Clock::now() + options_.replay_time + 1s);

  EXPECT_EQ(store_.find(ended_id), nullptr);
  EXPECT_NE(store_.find(running_id), nullptr);
}

TEST_F(EventStoreTest, KeepsAStandingStreamWhileItIsReadAndAWhileLonger) {
  auto& stream = store_.keep(make());
  auto const id = stream.id();
  stream.stand();
  auto const eyes = reader();
  stream.attach(eyes, 0);
  store_.drop_expired(Clock::time_point::max());
  EXPECT_NE(store_.find(id), nullptr);
  stream.detach(eyes);
  store_.drop_expired(Clock::now());
  EXPECT_NE(store_.find(id), nullptr);

  store_.drop_expired(Clock::now() + options_.replay_time + 1s);

  EXPECT_EQ(store_.find(id), nullptr);
}

TEST_F(EventStoreTest, DropsTheStandingStreamOfAClosedSession) {
  auto& stream = store_.keep(make());
  auto const id = stream.id();
  stream.stand();

  session_->close();
  store_.drop_expired(Clock::now());

  EXPECT_EQ(store_.find(id), nullptr);
}

TEST_F(EventStoreTest, MakesRoomWhenThereAreTooManyStreams) {
  options_.replay_streams = 1;
  auto& ended = store_.keep(make());
  auto const ended_id = ended.id();
  ended.finish({.body = "answer"});

  auto const next_id = store_.keep(make()).id();

  EXPECT_EQ(store_.find(ended_id), nullptr);
  EXPECT_NE(store_.find(next_id), nullptr);
}

class ManyStreamsTest : public EventStoreTest {
 protected:
  void SetUp() override { (void)make(); }

  // A stream of the one session, which a reader saw to its end.
  std::string read_stream(std::string const& message) {
    auto& stream = store_.keep(store_.make(session_));
    stream.attach(reader(), 0);
    stream.send(message);
    stream.finish({.body = "answer"});
    return stream.id();
  }
};

TEST_F(ManyStreamsTest, KeepSoManyBytesOfASessionTogether) {
  options_.replay_bytes = 10'000;
  auto const first = read_stream(std::string(6'000, 'a'));
  auto const second = read_stream(std::string(6'000, 'b'));
  auto const third = read_stream(std::string(6'000, 'c'));

  EXPECT_EQ(store_.find(first), nullptr);
  EXPECT_NE(store_.find(second), nullptr);  // it has room until the next one comes
  EXPECT_NE(store_.find(third), nullptr);
}

TEST_F(ManyStreamsTest, KeepSoManyEventsOfASessionTogether) {
  options_.replay_events = 5;
  auto const first = read_stream("one");  // three, with the one that has no data
  auto const second = read_stream("two");
  (void)read_stream("three");

  EXPECT_EQ(store_.find(first), nullptr);
  EXPECT_NE(store_.find(second), nullptr);
}

TEST_F(ManyStreamsTest, KeepWhatIsNotOverOrWasNotReadYet) {
  options_.replay_bytes = 1'000;
  auto& running = store_.keep(store_.make(session_));
  running.attach(reader(), 0);
  running.send(std::string(5'000, 'a'));
  auto& unread = store_.keep(store_.make(session_));
  unread.send(std::string(5'000, 'b'));
  unread.finish({.body = "answer"});
  auto const running_id = running.id();
  auto const unread_id = unread.id();

  (void)read_stream("next");

  EXPECT_NE(store_.find(running_id), nullptr);
  EXPECT_NE(store_.find(unread_id), nullptr);
}

TEST_F(ManyStreamsTest, DoNotCountForOtherSessions) {
  options_.replay_bytes = 10'000;
  auto const first = read_stream(std::string(9'000, 'a'));
  (void)make();  // another session
  (void)read_stream(std::string(9'000, 'b'));
  (void)read_stream(std::string(9'000, 'c'));

  EXPECT_NE(store_.find(first), nullptr);
}

TEST_F(EventStoreTest, ClosesOnlyStandingStreamsWhenTheServerStops) {
  auto const call = make();
  auto const standing = make();
  standing->stand();
  auto const first = reader();
  auto const second = reader();
  call->attach(first, 0);
  standing->attach(second, 0);

  call->close_standing();
  standing->close_standing();

  EXPECT_EQ(shown(first) + shown(second), "");
  EXPECT_FALSE(first.feed->is_closed());
  EXPECT_TRUE(second.feed->is_closed());
}

}  // namespace
}  // namespace sallyport::transport
