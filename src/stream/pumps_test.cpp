#include "src/stream/pumps.hpp"

#include "src/stream/test_streams.hpp"

#include <array>

namespace sallyport::stream {
namespace {

using namespace test_streams;

class PumpsTest : public StreamTest {
 protected:
  std::string text_of_frames(std::string const& id, std::uint64_t next = 0) {
    std::string text;
    auto const pulled = pull({.acks = {{id, next}}});
    for (auto const& frame : pulled->frames) {
      std::string one;
      write_frame(one, frame);
      text += one.substr(one.find("kind") - 1) + "\n";
    }
    return text;
  }
};

TEST_F(PumpsTest, GivesMessagesOneByOneAndHowTheSocketClosed) {
  auto const socket = std::make_shared<FakeSocket>();
  auto const id = open_socket(socket);
  socket->say(true, "hello \"you\"");
  socket->say(false, std::string{"\x00\xFF", 2});
  socket->say(true, "");
  socket->how = {4001, "enough"};
  socket->closed = true;
  settle();

  EXPECT_EQ(text_of_frames(id),
            "\"kind\":\"text\",\"text\":\"hello \\\"you\\\"\"}\n"
            "\"kind\":\"binary\",\"b64\":\"AP8=\"}\n"
            "\"kind\":\"text\",\"text\":\"\"}\n"
            "\"kind\":\"close\",\"code\":4001,\"wasClean\":true,\"reason\":\"enough\"}\n");
}

TEST_F(PumpsTest, GivesALargeMessageInPiecesThatNeverSplitACharacter) {
  auto const socket = std::make_shared<FakeSocket>();
  auto const id = open_socket(socket);
  std::string text{"x"};
  for (int i = 0; i < 200'000; ++i) text += "\xC3\xA9";
  socket->say(true, text);
  settle();

  auto const pulled = pull({.acks = {{id, 0}}});
  ASSERT_EQ(pulled->frames.size(), 2);
  EXPECT_TRUE(pulled->frames[0].frame->more);
  EXPECT_EQ(pulled->frames[0].frame->payload.size(), 256 * 1024 - 1);
  EXPECT_FALSE(pulled->frames[1].frame->more);
  EXPECT_EQ(pulled->bytes(), text);
}

TEST_F(PumpsTest, AMessageLargerThanTheWindowComesAsItIsAcknowledged) {
  auto const socket = std::make_shared<FakeSocket>();
  auto const id = open_socket(socket);
  socket->say(false, std::string(5'000'000, 'b'));
  settle();
  std::string all;
  std::uint64_t next = 0;
  for (int turns = 0; turns < 50 && all.size() < 5'000'000; ++turns) {
    auto const pulled = pull({.acks = {{id, next}}});
    EXPECT_LE(pulled->bytes().size(), 5 * 256 * kKiB);
    all += pulled->bytes();
    next = pulled->next();
  }
  EXPECT_EQ(all, std::string(5'000'000, 'b'));
}

TEST_F(PumpsTest, SendsMessagesInOrderJoinsTheirPartsAndRepeatsNone) {
  auto const socket = std::make_shared<FakeSocket>();
  auto const id = open_socket(socket);
  using Kind = Piece::Kind;
  auto const first =
      push(id, 0, {{Kind::Text, "a"}, {Kind::Binary, "b"}, {Kind::Text, "c1", true}});
  ASSERT_TRUE(first);
  EXPECT_EQ(first->ack, 1);
  EXPECT_EQ(push(id, 0, {{Kind::Text, "a"}})->ack, 1);
  EXPECT_EQ(push(id, 2, {{Kind::Text, "z"}}).error().code, Errc::InvalidInput);
  EXPECT_EQ(push(id, 1, {{Kind::Binary, "no"}}).error().code, Errc::InvalidInput);
  EXPECT_EQ(push(id, 1, {{Kind::Text, "c2", true}, {Kind::Text, ""}})->ack, 2);
  settle();

  ASSERT_EQ(socket->sent.size(), 3);
  EXPECT_EQ(socket->sent[1].data, "b");
  EXPECT_FALSE(socket->sent[1].text);
  EXPECT_EQ(socket->sent[2].data, "c1c2");
  EXPECT_TRUE(socket->sent[2].text);
}

TEST_F(PumpsTest, ASlowServerHoldsItsSenderBack) {
  auto const socket = std::make_shared<FakeSocket>();
  socket->slow = true;
  auto const id = open_socket(socket);
  using Kind = Piece::Kind;
  EXPECT_EQ(push(id, 0, {{Kind::Binary, std::string(kMiB / 2, 'x')}})->credit,
            kMiB / 2 - kFrameCost);
  // It is taken in, and waits for the origin; so does the next one, which is not.
  auto const slow = push(id, 1, {{Kind::Binary, std::string(kMiB, 'x')}}, 1ms);
  EXPECT_EQ(slow.error().code, Errc::DeadlineExceeded);
  EXPECT_EQ(push(id, 2, {{Kind::Binary, "more"}}, 1ms).error().code, Errc::DeadlineExceeded);

  auto wakes = [&]() -> Task<void> {
    socket->slow = false;
    socket->wake();
    co_return Result<void>{};
  };
  asio::post(context_, [&] { asio::co_spawn(context_, wakes(), [](auto, auto) {}); });
  auto const again = push(id, 1, {{Kind::Binary, std::string(kMiB, 'x')}}, 5000ms);
  EXPECT_EQ(again->ack, 2);
  EXPECT_GT(again->credit, 0);
  EXPECT_EQ(push(id, 2, {{Kind::Binary, "more"}}, 5000ms)->ack, 3);
  settle();
  EXPECT_EQ(socket->sent.size(), 3);
}

TEST_F(PumpsTest, EmptyMessagesFillTheWayToASlowServerToo) {
  auto const socket = std::make_shared<FakeSocket>();
  socket->slow = true;
  auto const id = open_socket(socket);
  std::vector<Piece> const flood(kMiB / kFrameCost, {Piece::Kind::Text, ""});
  EXPECT_EQ(push(id, 0, flood, 1ms).error().code, Errc::DeadlineExceeded);
  EXPECT_EQ(push(id, 1, {{Piece::Kind::Text, ""}}, 1ms).error().code, Errc::DeadlineExceeded);

  socket->slow = false;
  socket->wake();
  EXPECT_EQ(push(id, 1, {{Piece::Kind::Text, ""}}, 5000ms)->ack, 2);
  settle();
  EXPECT_EQ(socket->sent.size(), flood.size() + 1);
}

TEST_F(PumpsTest, AGoodbyeFollowsWhatWasSentAndIsAnswered) {
  auto const socket = std::make_shared<FakeSocket>();
  auto const id = open_socket(socket);
  EXPECT_TRUE(push(id, 0, {{Piece::Kind::Text, "last words"}}));
  EXPECT_TRUE((*views().find(kKey, id))
                  ->say_goodbye({.kind = Piece::Kind::Close, .data = "done", .code = 3000}));
  settle();

  EXPECT_EQ(socket->sent.size(), 1);
  EXPECT_EQ(text_of_frames(id),
            "\"kind\":\"close\",\"code\":3000,\"wasClean\":true,\"reason\":\"done\"}\n");
  EXPECT_FALSE(push(id, 1, {{Piece::Kind::Text, "too late"}}));
}

TEST_F(PumpsTest, RefusesAMessageThatIsTooLargeInWhateverParts) {
  limits_.message_bytes = 10;
  auto const socket = std::make_shared<FakeSocket>();
  auto const id = open_socket(socket);
  using Kind = Piece::Kind;
  EXPECT_TRUE(push(id, 0, {{Kind::Text, "123456", true}}));
  auto const refused = push(id, 1, {{Kind::Text, "78901"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::LimitExceeded);
  EXPECT_TRUE(push(id, 1, {{Kind::Text, "7890"}, {Kind::Text, "1234567890"}}));
}

TEST_F(PumpsTest, SendsABodyPieceByPieceAndItsEnd) {
  auto opening = views().open(kKey, context_.get_executor());
  auto const stream = **opening;
  stream->open_uplink(Uplink::Takes::Body);
  auto ends = egress::make_body_pipe();
  auto const pipe = ends.pipe;
  EXPECT_TRUE(views().start(stream, "sender", send_body(stream, std::move(ends.writer))));
  EXPECT_TRUE(opening->publish());
  using Kind = Piece::Kind;
  EXPECT_EQ(push(stream->id(), 0, {{Kind::Bytes, "one "}})->ack, 1);
  EXPECT_EQ(push(stream->id(), 1, {{Kind::Bytes, "two"}, {Kind::End}})->ack, 2);
  EXPECT_FALSE(push(stream->id(), 2, {{Kind::Bytes, "three"}}));
  EXPECT_EQ(push(stream->id(), 2, {{Kind::Text, "message"}}).error().code, Errc::InvalidInput);
  EXPECT_FALSE(stream->say_goodbye({.kind = Kind::Close}));
  // The answer to the end may be lost, too.
  EXPECT_EQ(push(stream->id(), 1, {{Kind::Bytes, "two"}, {Kind::End}})->ack, 2);
  settle();

  std::array<char, 100> buffer{};
  auto const taken = pipe->take(buffer);
  EXPECT_EQ(std::string(buffer.data(), taken.bytes), "one two");
  EXPECT_EQ(pipe->take(buffer).flow, egress::BodyPipe::Flow::End);
}

TEST_F(PumpsTest, AnAbortedUploadFailsTheExchange) {
  auto opening = views().open(kKey, context_.get_executor());
  auto const stream = **opening;
  stream->open_uplink(Uplink::Takes::Body);
  auto ends = egress::make_body_pipe();
  auto const pipe = ends.pipe;
  EXPECT_TRUE(views().start(stream, "sender", send_body(stream, std::move(ends.writer))));
  EXPECT_TRUE(opening->publish());
  EXPECT_TRUE(push(stream->id(), 0, {{Piece::Kind::Abort}}));
  settle();
  ASSERT_TRUE(pipe->failure());
  EXPECT_EQ(pipe->failure()->code, Errc::Cancelled);
}

TEST_F(PumpsTest, GivesEventsWithWhatIsNoUtf8Mended) {
  auto const script = std::make_shared<Script>();
  auto opening = views().open(kKey, context_.get_executor());
  auto const stream = **opening;
  EXPECT_TRUE(views().start(
      stream, "events",
      pump_events(stream, std::make_unique<FakeOrigin>(script), 1000, "from before")));
  EXPECT_TRUE(opening->publish());
  script->say("retry: 500\ndata: a");
  script->say("\xFF\n\nevent: x\nid: 7\ndata: b\ndata: c\n\ndata: unfinished");
  script->end();
  settle();

  EXPECT_EQ(text_of_frames(stream->id()),
            "\"kind\":\"retry\",\"retry\":500}\n"
            "\"kind\":\"event\",\"data\":\"a\xEF\xBF\xBD\",\"event\":\"message\","
            "\"lastEventId\":\"from before\"}\n"
            "\"kind\":\"event\",\"data\":\"b\\nc\",\"event\":\"x\",\"lastEventId\":\"7\"}\n"
            "\"kind\":\"end\"}\n");
}

TEST_F(PumpsTest, AnIdThatEveryEventHasCountsWithEach) {
  auto const script = std::make_shared<Script>();
  auto opening = views().open(kKey, context_.get_executor());
  auto const stream = **opening;
  EXPECT_TRUE(views().start(
      stream, "events", pump_events(stream, std::make_unique<FakeOrigin>(script), 1'000'000, "")));
  EXPECT_TRUE(opening->publish());
  std::string events = "id: " + std::string(100'000, 'i') + "\n";
  for (int i = 0; i < 1'000; ++i) events += "data:x\n\n";
  script->say(events);
  settle();

  std::size_t count = 0;
  std::uint64_t next = 0;
  for (int turns = 0; turns < 1'000 && count < 1'000; ++turns) {
    auto const pulled = pull({.acks = {{stream->id(), next}}});
    EXPECT_LE(pulled->frames.size(), kMiB / 100'000 + 1) << "the window holds no more";
    count += pulled->frames.size();
    next = pulled->next();
  }
  EXPECT_EQ(count, 1'000);
}

TEST_F(PumpsTest, AnEventThatIsTooLargeBreaksTheStream) {
  auto const script = std::make_shared<Script>();
  auto opening = views().open(kKey, context_.get_executor());
  auto const stream = **opening;
  EXPECT_TRUE(views().start(stream, "events",
                            pump_events(stream, std::make_unique<FakeOrigin>(script), 10, "")));
  EXPECT_TRUE(opening->publish());
  script->say("data: 1\n\ndata: 12345678901\n\n");
  settle();

  auto const pulled = pull({.acks = {{stream->id(), 0}}});
  ASSERT_EQ(pulled->frames.size(), 2);
  EXPECT_EQ(pulled->last().kind, Frame::Kind::Error);
  EXPECT_TRUE(script->gone);
}

}  // namespace
}  // namespace sallyport::stream
