#include "src/stream/views.hpp"

#include "src/stream/handle.hpp"
#include "src/stream/test_streams.hpp"

#include <set>

namespace sallyport::stream {
namespace {

using namespace test_streams;

TEST(Handle, IsLongAndNeverTheSame) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(new_handle());
  EXPECT_EQ(seen.size(), 1000);
  EXPECT_EQ(seen.begin()->size(), 22);
}

TEST(Handle, AViewIsNamedByEnoughPlainCharacters) {
  EXPECT_TRUE(is_view_name("abcdefghijklmno_"));
  EXPECT_FALSE(is_view_name("abcdefghijklmno"));
  EXPECT_FALSE(is_view_name("abcdefghijklmno\n"));
  EXPECT_FALSE(is_view_name(std::string(65, 'a')));
}

class ViewsTest : public StreamTest {};

TEST_F(ViewsTest, GivesABodyInOrderAndForgetsTheStreamWhenItsEndIsAcknowledged) {
  auto const script = std::make_shared<Script>();
  script->say(std::string(100'000, 'a'));
  script->say(std::string(700'000, 'b'));  // larger than a frame
  script->end();
  auto const id = open_body(script);

  auto const pulled = pull({.acks = {{id, 0}}});
  ASSERT_TRUE(pulled);
  EXPECT_EQ(pulled->frames.size(), 5);
  for (std::size_t i = 0; i < pulled->frames.size(); ++i) EXPECT_EQ(pulled->frames[i].seq, i);
  EXPECT_EQ(pulled->bytes(), std::string(100'000, 'a') + std::string(700'000, 'b'));
  EXPECT_EQ(pulled->last().kind, Frame::Kind::End);
  EXPECT_EQ(pulled->state.open, 1);

  auto const after = pull({.acks = {{id, 5}}});
  EXPECT_EQ(after->state.open, 0);
  EXPECT_EQ(pull({.acks = {{id, 5}}})->closed, std::vector{id});
  EXPECT_TRUE(script->gone);
}

TEST_F(ViewsTest, SendsAgainWhatIsNotAcknowledgedAfterALostAnswer) {
  auto const script = std::make_shared<Script>();
  script->say("first");
  auto const id = open_body(script);
  auto const lost = pull({.acks = {{id, 0}}});
  script->say("second");
  settle();
  auto const again = pull({.acks = {{id, 0}}});

  EXPECT_EQ(lost->bytes(), "first");
  ASSERT_EQ(again->frames.size(), 2);  // a frame that was sent is not changed any more
  EXPECT_EQ(again->frames[0].frame->payload, "first");
  EXPECT_EQ(again->frames[1].seq, 1);
  EXPECT_EQ(pull({.acks = {{id, 1}}})->bytes(), "second");
  // A late repetition brings nothing back, and does no harm.
  EXPECT_EQ(pull({.acks = {{id, 0}}})->bytes(), "second");
}

TEST_F(ViewsTest, RefusesAnAcknowledgementOfWhatWasNeverSent) {
  auto const script = std::make_shared<Script>();
  script->say("x");
  auto const id = open_body(script);

  auto const pulled = pull({.acks = {{id, 2}}});
  ASSERT_FALSE(pulled);
  EXPECT_EQ(pulled.error().code, Errc::InvalidInput);
  EXPECT_EQ(pull({.acks = {{id, 0}}})->bytes(), "x");
}

TEST_F(ViewsTest, HoldsTheOriginBackUntilFramesAreAcknowledged) {
  auto const script = std::make_shared<Script>();
  for (int i = 0; i < 100; ++i) script->say(std::string(100'000, 'x'));
  script->end();
  auto const id = open_body(script);
  EXPECT_EQ(script->reads, 11);  // the first that reaches the window of 1 MiB is the last

  auto const pulled = pull({.acks = {{id, 0}}}, 500'000);
  EXPECT_EQ(script->reads, 11);
  EXPECT_EQ(pulled->frames.size(), 4);
  static_cast<void>(pull({.acks = {{id, pulled->next()}}}, 1));
  EXPECT_EQ(script->reads, 15);
  EXPECT_EQ(read_all(id).size(), 9'600'000);
}

struct SixViews {
  std::vector<ViewKey> keys;
  std::vector<std::string> ids;
  std::vector<std::shared_ptr<Script>> scripts;

  std::size_t reads() const {
    std::size_t all = 0;
    for (auto const& script : scripts) all += script->reads;
    return all;
  }
};

// Each with one stream of a hundred pieces of 100 kB.
class PrincipalTest : public StreamTest {
 protected:
  PrincipalTest() { limits_.principal_bytes = 2 * kMiB; }

  SixViews open_six(std::string const& principal) {
    SixViews six;
    for (int i = 0; i < 6; ++i) {
      auto const script = std::make_shared<Script>();
      for (int piece = 0; piece < 100; ++piece) script->say(std::string(100'000, 'x'));
      script->end();
      six.keys.push_back({principal, fmt::format("view-of-somebody-{}", i)});
      six.scripts.push_back(script);
      six.ids.push_back(open_body(script, six.keys.back()));
    }
    return six;
  }

  // All that one view has is with it.
  void acknowledge(SixViews const& six, std::size_t view) {
    auto const acks = PullRequest{.acks = {{six.ids[view], six.scripts[view]->reads}}};
    EXPECT_TRUE(views().pull(six.keys[view], acks));
    settle();
  }
};

TEST_F(PrincipalTest, HoldsNoMoreThanItMayInAllItsViewsTogether) {
  auto const six = open_six("alice");

  // Two views fill what there is; the others have a frame each.
  EXPECT_EQ(six.scripts[0]->reads, 11);
  EXPECT_EQ(six.scripts[5]->reads, 1);
  EXPECT_EQ(six.reads(), 21 + 4);
}

TEST_F(PrincipalTest, GivesTheRoomThatOneViewMakesToTheOthers) {
  auto const six = open_six("alice");
  auto const before = six.scripts[4]->reads + six.scripts[5]->reads;

  acknowledge(six, 0);

  EXPECT_GT(six.scripts[4]->reads + six.scripts[5]->reads, before);
  EXPECT_LE(six.reads(), 11 + 21 + 6);
}

TEST_F(PrincipalTest, GivesBackWhatAViewHeldThatIsGone) {
  auto const six = open_six("alice");
  auto const before = six.reads();

  views().close_all(six.keys[0]);
  views().close_all(six.keys[1]);
  settle();

  EXPECT_GT(six.reads(), before + 10);
}

TEST_F(PrincipalTest, AStreamThatWaitedForItsOwnWindowHearsOfRoomThatOthersMake) {
  auto const six = open_six("alice");
  // It may go on again, but its principal may not.
  EXPECT_TRUE(views().pull(six.keys[0], {.acks = {{six.ids[0], 1}}}));
  settle();
  EXPECT_EQ(six.scripts[0]->reads, 11);

  for (std::size_t i = 1; i < 6; ++i) views().close_all(six.keys[i]);
  settle();

  EXPECT_EQ(six.scripts[0]->reads, 12);
}

TEST_F(PrincipalTest, TakesNothingFromAnother) {
  auto const alice = open_six("alice");
  auto const bob = open_six("bob");

  EXPECT_EQ(bob.reads(), alice.reads());
}

TEST_F(PrincipalTest, ReadsToTheEndWhileOthersHoldEverything) {
  auto const six = open_six("alice");
  std::size_t bytes = 0;
  std::uint64_t next = 0;
  for (bool ended = false; !ended;) {
    auto turn = views().pull(six.keys[5], {.acks = {{six.ids[5], next}}});
    settle();
    auto const frames = turn->take(4 * kMiB);
    ASSERT_FALSE(frames.empty());
    for (auto const& each : frames) bytes += each.frame->payload.size();
    next = frames.back().seq + 1;
    ended = frames.back().frame->is_last();
  }

  EXPECT_EQ(bytes, 10'000'000);
}

TEST_F(ViewsTest, SendsNoMoreThanThereIsCreditButAlwaysTheEnd) {
  auto const script = std::make_shared<Script>();
  for (int i = 0; i < 4; ++i) script->say(std::string(20'000, 'x'));
  auto const id = open_body(script);

  // A frame is sent while any credit is left.
  EXPECT_EQ(pull({.acks = {{id, 0}}, .credit = {{id, 20'001}}})->frames.size(), 2);
  EXPECT_FALSE(pull({.acks = {{id, 0}}})->state.may_send);
  auto const none = pull({.acks = {{id, 2}}, .credit = {{id, 0}}});
  EXPECT_TRUE(none->frames.empty());
  EXPECT_FALSE(none->state.may_send);
  // It is kept, and counted from the acknowledged frame on.
  EXPECT_EQ(pull({.acks = {{id, 2}}, .credit = {{id, 1}}})->frames.size(), 1);
  EXPECT_EQ(pull({.acks = {{id, 3}}})->frames.size(), 1);
  script->end();
  settle();
  auto const end = pull({.acks = {{id, 4}}, .credit = {{id, 0}}});
  ASSERT_EQ(end->frames.size(), 1);
  EXPECT_TRUE(end->last().is_last());
}

TEST_F(ViewsTest, JoinsShortPiecesThatNobodyHasSeen) {
  auto const script = std::make_shared<Script>();
  auto const id = open_body(script);
  for (int i = 0; i < 100; ++i) script->say("0123456789");
  settle();

  auto const pulled = pull({.acks = {{id, 0}}});
  EXPECT_EQ(pulled->frames.size(), 1);
  EXPECT_EQ(pulled->bytes().size(), 1000);
}

TEST_F(ViewsTest, ServesStreamsInTurnAndWithinTheBytesAskedFor) {
  auto const a = std::make_shared<Script>();
  auto const b = std::make_shared<Script>();
  for (int i = 0; i < 8; ++i) a->say(std::string(50'000, 'a'));
  for (int i = 0; i < 8; ++i) b->say(std::string(50'000, 'b'));
  auto const first = open_body(a);
  auto const second = open_body(b);

  auto const pulled = pull({.acks = {{first, 0}, {second, 0}}}, 210'000);
  ASSERT_EQ(pulled->frames.size(), 4);
  EXPECT_NE(pulled->frames[0].id, pulled->frames[1].id);
  EXPECT_NE(pulled->frames[2].id, pulled->frames[3].id);
}

TEST_F(ViewsTest, ALaterPullEndsTheEarlierOne) {
  auto const script = std::make_shared<Script>();
  auto const id = open_body(script);
  auto earlier = views().pull(kKey, {.acks = {{id, 0}}});
  auto waiting = [&]() -> Task<bool> {
    auto const woken = co_await earlier->wait(Deadline::in(5s));
    co_return woken == Wakeup::Happened && earlier->state().superseded;
  };
  auto later = [&]() -> Task<void> {
    EXPECT_TRUE(views().pull(kKey, {.acks = {{id, 0}}}));
    co_return Result<void>{};
  };
  asio::post(context_, [&] { asio::co_spawn(context_, later(), [](auto, auto) {}); });

  auto const superseded = run(waiting());
  EXPECT_TRUE(superseded && *superseded);
  script->say("for the later one");
  settle();
  EXPECT_TRUE(earlier->take(kMiB).empty());
}

TEST_F(ViewsTest, WakesAPullForAFrameAndForTheEndOfTheLastStream) {
  auto const script = std::make_shared<Script>();
  auto const id = open_body(script);
  auto turn = views().pull(kKey, {.acks = {{id, 0}}});
  auto waiting = [&]() -> Task<Wakeup> { co_return co_await turn->wait(Deadline::in(5s)); };

  asio::post(context_, [&] { script->say("x"); });
  EXPECT_EQ(*run(waiting()), Wakeup::Happened);
  EXPECT_EQ(turn->take(kMiB).size(), 1);
  asio::post(context_, [&] { views().close(kKey, {id}); });
  EXPECT_EQ(*run(waiting()), Wakeup::Happened);
  EXPECT_EQ(turn->state().open, 0);
}

TEST_F(ViewsTest, LosesTheStreamsOfAViewThatDoesNotPull) {
  auto const script = std::make_shared<Script>();
  auto const id = open_body(script);
  now_ += 59s;
  views().sweep();
  EXPECT_TRUE(views().find(kKey, id));
  EXPECT_TRUE(pull({.acks = {{id, 0}}}));
  now_ += 59s;
  views().sweep();
  EXPECT_TRUE(views().find(kKey, id));
  {
    auto const waiting = views().pull(kKey, {.acks = {{id, 0}}});
    now_ += 120s;
    views().sweep();
    EXPECT_TRUE(views().find(kKey, id)) << "a pull that waits is a pull";
  }
  now_ += 61s;
  views().sweep();
  settle();
  EXPECT_FALSE(views().find(kKey, id));
  EXPECT_TRUE(script->gone);
  EXPECT_EQ(views().size(), 0);
  EXPECT_EQ(pull({.acks = {{id, 0}}})->closed, std::vector{id});
}

TEST_F(ViewsTest, AStreamDoesNotExistForAnotherPrincipalOrView) {
  auto const script = std::make_shared<Script>();
  auto const id = open_body(script);
  ViewKey const other_principal{"bob", kKey.view};
  ViewKey const other_view{kKey.principal, "view-of-alice-0002"};

  for (auto const& key : {other_principal, other_view}) {
    EXPECT_EQ(views().find(key, id).error().code, Errc::NotFound);
    EXPECT_TRUE(views().close(key, {id}).empty());
    EXPECT_TRUE(views().close_all(key).empty());
    auto const turn = views().pull(key, {.acks = {{id, 0}}});
    EXPECT_EQ(turn->closed(), std::vector{id});
  }
  EXPECT_TRUE(views().find(kKey, id));
}

TEST_F(ViewsTest, BoundsStreamsOfAViewAndViewsOfAPrincipal) {
  limits_.streams_per_view = 2;
  limits_.views_per_principal = 2;
  auto const script = std::make_shared<Script>();
  open_body(script);
  auto const second = open_body(script);
  auto third = views().open(kKey, context_.get_executor());
  auto const refused = third->publish();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::LimitExceeded);
  EXPECT_EQ(views().close(kKey, {second, "none"}), std::vector{second});
  EXPECT_TRUE(third->publish());

  open_body(script, {"alice", "view-of-alice-0002"});
  auto const too_many = views().open({"alice", "view-of-alice-0003"}, context_.get_executor());
  ASSERT_FALSE(too_many);
  EXPECT_EQ(too_many.error().code, Errc::LimitExceeded);
  EXPECT_TRUE(views().open({"bob", "view-of-bob-000001"}, context_.get_executor()));
}

TEST_F(ViewsTest, BoundsTheBytesOfAViewAndStarvesNobody) {
  limits_.view_bytes = 200'000;
  auto const unread = std::make_shared<Script>();
  auto const read = std::make_shared<Script>();
  for (int i = 0; i < 9; ++i) unread->say(std::string(100'000, 'u'));
  for (int i = 0; i < 9; ++i) read->say(std::string(100'000, 'r'));
  auto const first = open_body(unread);
  auto const second = open_body(read);
  EXPECT_EQ(unread->reads, 2);
  EXPECT_EQ(read->reads, 1);

  EXPECT_EQ(pull({.acks = {{second, 0}}, .credit = {{first, 0}}})->bytes()[0], 'r');
  EXPECT_EQ(pull({.acks = {{second, 1}}})->bytes()[0], 'r');
  EXPECT_EQ(read->reads, 2);
  EXPECT_EQ(unread->reads, 2);
}

TEST_F(ViewsTest, ClosingAStreamLetsGoOfItsOriginAtOnce) {
  auto const silent = std::make_shared<Script>();
  auto const id = open_body(silent);
  EXPECT_EQ(views().close(kKey, {id}), std::vector{id});
  settle();
  EXPECT_TRUE(silent->gone);
  auto const held_back = std::make_shared<Script>();
  for (int i = 0; i < 20; ++i) held_back->say(std::string(100'000, 'x'));
  open_body(held_back);
  EXPECT_EQ(views().close_all(kKey).size(), 1);
  settle();
  EXPECT_TRUE(held_back->gone);
}

TEST_F(ViewsTest, AStreamThatBreaksSaysWhyAfterWhatItHad) {
  auto const script = std::make_shared<Script>();
  script->say("some");
  script->put(sallyport::fail(Errc::UpstreamFailed, "The server \"hung\" up."));
  auto const id = open_body(script);
  auto const pulled = pull({.acks = {{id, 0}}});
  ASSERT_EQ(pulled->frames.size(), 2);
  std::string text;
  write_frame(text, pulled->frames[1], R"(,"streamId":"s")");
  EXPECT_EQ(text, "{\"id\":\"" + id +
                      R"(","seq":1,"kind":"error","code":"upstream_failed",)"
                      R"("message":"The server \"hung\" up.","streamId":"s"})");
}

TEST_F(ViewsTest, AStreamThatIsNotPublishedIsItsOpenersAlone) {
  auto const script = std::make_shared<Script>();
  script->say("whole");
  script->end();
  auto opening = views().open(kKey, context_.get_executor());
  auto const stream = **opening;
  EXPECT_TRUE(
      views().start(stream, "body", pump_body(stream, std::make_unique<FakeOrigin>(script))));
  EXPECT_TRUE(run(stream->settled(100, Deadline::in(5s))));
  EXPECT_EQ(pull({})->state.open, 0);
  EXPECT_FALSE(views().find(kKey, stream->id()));
  EXPECT_EQ(stream->take_whole(4).value_or("too long"), "too long");
  EXPECT_EQ(stream->take_whole(5).value_or("too long"), "whole");
}

}  // namespace
}  // namespace sallyport::stream
