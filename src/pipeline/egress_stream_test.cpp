#include "src/pipeline/egress_stream.hpp"

#include "src/pipeline/test_road.hpp"

namespace sallyport::pipeline {
namespace {

using namespace std::chrono_literals;
using audit::StreamState;
using fakes::Then;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class EgressStreamTest : public fakes::EgressRoadTest {
 protected:
  using Stream = std::unique_ptr<OutboundStream>;

  // Opens, and hands the stream to `use`, a coroutine.
  template <class Use>
  Result<void> with_stream(OutboundRequest request, Use const& use) {
    return on_road<void>([&](EgressRoad& road, Passage const& passage) -> Task<void> {
      SP_CO_TRY(auto stream, co_await capture(road.open(passage, std::move(request))));
      co_return co_await use(std::move(stream));
    });
  }

  // All pieces, one by one.
  Result<void> read(OutboundRequest request) {
    return with_stream(std::move(request), [this](Stream stream) -> Task<void> {
      for (;;) {
        SP_CO_TRY(auto piece, co_await stream->next());
        if (!piece) co_return Result<void>{};
        got_.push_back(std::move(*piece));
      }
    });
  }

  std::vector<StreamState> states() const {
    std::vector<StreamState> all;
    for (auto const& record : sink_.records) all.push_back(record.stream);
    return all;
  }

  std::vector<std::string> got_;
};

TEST_F(EgressStreamTest, HasARecordBeforeItsHeadIsSeenAndOneAtItsEnd) {
  connector_.pieces = {"one ", "two ", "three"};
  std::vector<std::size_t> records;

  auto const done = with_stream(get("https://a.example/pieces"), [&](Stream stream) -> Task<void> {
    records.push_back(sink_.records.size());
    EXPECT_EQ(stream->head().status, 200);
    EXPECT_EQ(stream->url().href(), "https://a.example/pieces");
    EXPECT_FALSE(stream->redirected());
    for (;;) {
      SP_CO_TRY(auto piece, co_await stream->next());
      records.push_back(sink_.records.size());
      if (!piece) break;
      got_.push_back(std::move(*piece));
    }
    SP_CO_TRY(auto const again, co_await stream->next());
    EXPECT_FALSE(again);
    co_return co_await stream->close();
  });

  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(got_, ElementsAre("one ", "two ", "three"));
  EXPECT_THAT(records, ElementsAre(1, 1, 1, 1, 2));
  ASSERT_THAT(states(), ElementsAre(StreamState::Opened, StreamState::Closed));
  auto const& [opened, closed] = std::tie(sink_.records[0], sink_.records[1]);
  EXPECT_EQ(opened.id, call_id_);
  EXPECT_EQ(closed.id, call_id_);
  EXPECT_EQ(opened.bytes_received, 0U);
  EXPECT_EQ(closed.bytes_received, 13U);
  EXPECT_EQ(closed.error_code, "");
  for (auto const& record : sink_.records) {
    EXPECT_EQ(record.verdict, audit::Verdict::Allowed);
    EXPECT_EQ(record.status, 200);
    EXPECT_EQ(record.principal, "alice");
    EXPECT_THAT(record.reasons, SizeIs(1));
    EXPECT_THAT(record.hops, SizeIs(1));
  }
}

TEST_F(EgressStreamTest, IsNotSentForAsAWhole) {
  connector_.pieces = {"x"};
  auto request = get("https://a.example/pieces");
  request.response_bytes = 50UL << 20;
  request.timeout = 10s;

  ASSERT_TRUE(read(std::move(request)));

  auto const& sent = connector_.sent.front();
  EXPECT_FALSE(sent.whole);
  EXPECT_EQ(sent.limits.body_bytes, 50UL << 20);
  EXPECT_EQ(sent.deadline.at, Clock::time_point::max());
  EXPECT_LE(sent.head_deadline.at, Clock::now() + 10s);
}

TEST_F(EgressStreamTest, HasATimeForAllOfItWhereAskedTo) {
  auto request = get("https://a.example/");
  request.stream_timeout = 60s;

  ASSERT_TRUE(read(std::move(request)));

  EXPECT_LE(connector_.sent.front().deadline.at, Clock::now() + 60s);
  EXPECT_GT(connector_.sent.front().deadline.at, Clock::now() + 50s);
}

TEST_F(EgressStreamTest, CoversCredentialsThatAreCutInTwo) {
  connector_.pieces = {"you sent hid", "den-", "token and hidden-tok"};

  ASSERT_TRUE(read(get("https://a.example/pieces")));

  std::string all;
  for (auto const& piece : got_) all += piece;
  EXPECT_EQ(all, "you sent ************ and hidden-tok");
  EXPECT_THAT(got_, testing::Each(testing::Not(IsEmpty())));
}

TEST_F(EgressStreamTest, FollowsRedirectsThroughAllStages) {
  connector_.locations = {"https://b.example/pieces"};
  connector_.pieces = {"there"};

  auto const done = with_stream(get("https://a.example/"), [&](Stream stream) -> Task<void> {
    EXPECT_TRUE(stream->redirected());
    EXPECT_EQ(stream->url().href(), "https://b.example/pieces");
    co_return co_await stream->close();
  });

  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(record().hops, SizeIs(2));
  EXPECT_EQ(connector_.sent[1].headers.find("authorization"), nullptr);
}

TEST_F(EgressStreamTest, ThatIsRefusedOrFailsBeforeItsHeadHasOneRecordLikeAnyCall) {
  std::pair<char const*, char const*> const cases[] = {
      {"https://denied.example/", "policy_denied"},
      {"http://inside.example/", "egress_blocked"},
      {"https://a.example/reset", "upstream_failed"},
      {"https://a.example/hang", "cancelled"},
  };
  for (auto const& [url, code] : cases) {
    sink_.records.clear();

    auto const done = read(get(url));

    ASSERT_FALSE(done) << url;
    EXPECT_EQ(to_string(done.error().code), code);
    ASSERT_THAT(states(), ElementsAre(StreamState::None)) << url;
    EXPECT_EQ(record().error_code, code);
    EXPECT_EQ(connector_.alive, 0);
  }
}

TEST_F(EgressStreamTest, ThatBreaksOffSaysSoAgainAndOnRecord) {
  connector_.pieces = {"half"};
  connector_.then = Then::Fails;

  auto const done = with_stream(get("https://a.example/pieces"), [&](Stream stream) -> Task<void> {
    SP_CO_TRY(auto const first, co_await stream->next());
    EXPECT_EQ(first, "half");
    for (int i = 0; i < 2; ++i) {
      auto const failed = co_await stream->next();
      EXPECT_EQ(failed.error().message, "The answer broke off.");
    }
    co_return Result<void>{};
  });

  ASSERT_TRUE(done);
  ASSERT_THAT(states(), ElementsAre(StreamState::Opened, StreamState::Closed));
  EXPECT_EQ(record().error_code, "upstream_failed");
  EXPECT_EQ(record().verdict, audit::Verdict::Allowed);
  EXPECT_EQ(record().bytes_received, 4U);
}

TEST_F(EgressStreamTest, ThatItsOwnerClosesIsOnRecordWithWhatCame) {
  connector_.pieces = {"one", "two"};

  auto const done = with_stream(get("https://a.example/pieces"), [&](Stream stream) -> Task<void> {
    SP_CO_TRY(auto const first, co_await stream->next());
    EXPECT_EQ(first, "one");
    for (int i = 0; i < 2; ++i) SP_CO_CHECK(co_await stream->close());
    auto const after = co_await stream->next();
    EXPECT_EQ(after.error().code, Errc::Cancelled);
    co_return Result<void>{};
  });

  ASSERT_TRUE(done) << done.error().message;
  ASSERT_THAT(states(), ElementsAre(StreamState::Opened, StreamState::Closed));
  EXPECT_EQ(record().error, "The stream was closed before its end.");
  EXPECT_EQ(record().error_code, "cancelled");
  EXPECT_EQ(record().bytes_received, 3U);
}

TEST_F(EgressStreamTest, ThatIsDestroyedIsOnRecordAllTheSame) {
  connector_.pieces = {"one", "two"};

  auto const done = with_stream(get("https://a.example/pieces"), [&](Stream stream) -> Task<void> {
    SP_CO_TRY(auto const first, co_await stream->next());
    stream.reset();
    EXPECT_EQ(connector_.alive, 0);
    co_return Result<void>{};
  });

  ASSERT_TRUE(done);
  ASSERT_THAT(states(), ElementsAre(StreamState::Opened, StreamState::Closed));
  EXPECT_EQ(record().id, call_id_);
  EXPECT_EQ(record().bytes_received, 3U);
  EXPECT_EQ(record().error_code, "cancelled");
}

TEST_F(EgressStreamTest, WhoseReaderIsCancelledIsOnRecord) {
  connector_.pieces = {"one"};
  connector_.then = Then::Hangs;  // and the call is cancelled then

  auto const done = read(get("https://a.example/pieces"));

  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Errc::Cancelled);
  EXPECT_THAT(got_, ElementsAre("one"));
  ASSERT_THAT(states(), ElementsAre(StreamState::Opened, StreamState::Closed));
  EXPECT_EQ(record().error_code, "cancelled");
  EXPECT_EQ(connector_.alive, 0);
}

TEST_F(EgressStreamTest, CancelledWhileItsFirstRecordIsWrittenIsClosedToo) {
  cancel_while_writing_ = true;

  auto const done = read(get("https://a.example/"));

  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Errc::Cancelled);
  EXPECT_THAT(states(), ElementsAre(StreamState::Opened, StreamState::Closed));
  EXPECT_EQ(connector_.alive, 0);
}

TEST_F(EgressStreamTest, WhoseRecordIsLostIsWithheld) {
  sink_.outcome = fail(Errc::Internal, "The disk is gone.");

  auto const done = read(get("https://a.example/"));

  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "The disk is gone.");
  EXPECT_THAT(got_, IsEmpty());
  EXPECT_EQ(connector_.alive, 0);
}

TEST_F(EgressStreamTest, IsNotOpenedWhileTheLogCannotBeWritten) {
  sink_.is_ready = fail(Errc::LimitExceeded, "The audit log is full.");

  EXPECT_FALSE(read(get("https://a.example/")));
  EXPECT_THAT(connector_.sent, IsEmpty());
}

TEST_F(EgressStreamTest, KeepsItsPlaceAmongTheCallsUnderWay) {
  limiter_ = Limiter{{.concurrent_per_principal = 1}};

  auto const done = on_road<void>([&](EgressRoad& road, Passage const& passage) -> Task<void> {
    SP_CO_TRY(auto const stream, co_await road.open(passage, get("https://a.example/")));
    auto const refused = co_await road.send(passage, get("https://a.example/"));
    EXPECT_EQ(refused.error().code, Errc::LimitExceeded);
    SP_CO_CHECK(co_await stream->close());
    auto const passed = co_await road.send(passage, get("https://a.example/"));
    EXPECT_TRUE(passed);
    co_return Result<void>{};
  });

  EXPECT_TRUE(done) << done.error().message;
}

class EgressUploadTest : public EgressStreamTest {
 protected:
  OutboundRequest post(std::string url) {
    return {.method = "POST", .url = std::move(url), .upload = ends_.pipe};
  }
  Result<void> write(std::string piece) {
    return on_road<void>([&](EgressRoad&, Passage const&) { return ends_.writer.write(piece); });
  }

  egress::BodyEnds ends_{egress::make_body_pipe()};
};

TEST_F(EgressUploadTest, IsHandedToTheConnector) {
  ASSERT_TRUE(read(post("https://a.example/")));
  EXPECT_EQ(connector_.sent.front().upload, ends_.pipe);
}

TEST_F(EgressUploadTest, ARedirectThatNeedsTheBodyAgainFails) {
  for (int const status : {301, 302, 307, 308}) {
    ends_ = egress::make_body_pipe();
    connector_.sent.clear();
    connector_.redirect_status = status;
    connector_.locations = {"https://b.example/"};

    auto const done = read(post("https://a.example/"));

    ASSERT_FALSE(done) << status;
    EXPECT_EQ(done.error().code, Errc::UpstreamFailed);
    EXPECT_THAT(done.error().message,
                HasSubstr("that needs the body of the request once more, but a streamed body can "
                          "be sent only once"));
    EXPECT_THAT(connector_.sent, SizeIs(1));
  }
}

TEST_F(EgressUploadTest, ARedirectThatNeedsNoBodyIsFollowed) {
  connector_.redirect_status = 303;
  connector_.locations = {"https://b.example/"};

  ASSERT_TRUE(read(post("https://a.example/")));

  ASSERT_THAT(connector_.sent, SizeIs(2));
  EXPECT_EQ(connector_.sent[1].method, "GET");
  EXPECT_EQ(connector_.sent[1].upload, nullptr);
}

TEST_F(EgressUploadTest, OfAnAnnouncedSizeThatIsTooLargeIsNotBegun) {
  ends_ = egress::make_body_pipe(1000);
  auto request = post("https://a.example/");
  request.request_bytes = 999;

  auto const done = read(std::move(request));

  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "The request body has 1000 bytes, but at most 999 are allowed.");
  EXPECT_THAT(connector_.sent, IsEmpty());
}

TEST_F(EgressUploadTest, WhoWritesLearnsWhyNothingIsSent) {
  ASSERT_FALSE(read(post("https://denied.example/")));

  auto const written = write("piece");

  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Errc::PolicyDenied);
}

TEST_F(EgressUploadTest, MayBeSentForAWholeAnswerToo) {
  auto const answer = send(post("https://a.example/"));

  ASSERT_TRUE(answer);
  EXPECT_EQ(connector_.sent.front().upload, ends_.pipe);
  EXPECT_FALSE(write("too late"));
}

TEST(OutboundStream, OfAWholeAnswerHasOnePiece) {
  struct Plain final : Road {
    Task<OutboundAnswer> send(Passage const&, OutboundRequest request) override {
      co_return OutboundAnswer{.url = *url::Url::parse(request.url),
                               .redirected = true,
                               .head = {.status = 203},
                               .body = "all",
                               .stats = {}};
    }
    Task<void> record_unsent(Passage const&, UnsentCall) override { co_return Result<void>{}; }
  } road;
  asio::io_context loop;
  std::vector<std::string> seen;
  auto const task = [&]() -> Async<void> {
    OutboundRequest request{.url = "https://a.example/x"};
    auto const stream = co_await road.open({}, std::move(request));
    seen.push_back((*stream)->url().href() + std::to_string((*stream)->head().status));
    auto const piece = co_await (*stream)->next();
    seen.push_back(piece->value());
    auto const end = co_await (*stream)->next();
    seen.push_back(end->value_or("end"));
  };

  asio::co_spawn(loop, task, [](std::exception_ptr) {});
  loop.run();

  EXPECT_THAT(seen, ElementsAre("https://a.example/x203", "all", "end"));
}

class OnLoop final : public egress::OnLoopConnector {
 public:
  explicit OnLoop(egress::Connector& connector) : connector_{connector} {}
  Task<std::unique_ptr<egress::Exchange>> open(egress::Dispatch dispatch,
                                               egress::ExchangeStats& stats) override {
    return connector_.open(std::move(dispatch), stats);
  }
  void stop(Executor const&) override {}

 private:
  egress::Connector& connector_;
};

// The answer to a message for an MCP server.
class MessageStreamTest : public EgressStreamTest {
 protected:
  MessageStreamTest() { operation_ = "mcp"; }

  // How many records there are when the head is seen, after the first piece, and at the end.
  Result<void> count_records(std::string url) {
    return with_stream(get(std::move(url)), [this](Stream stream) -> Task<void> {
      counts_.push_back(sink_.records.size());
      for (;;) {
        SP_CO_TRY(auto const piece, co_await stream->next());
        counts_.push_back(sink_.records.size());
        if (!piece) co_return Result<void>{};
      }
    });
  }

  std::vector<std::size_t> counts_;
};

TEST_F(MessageStreamTest, HasOneRecordWhichIsSafeBeforeItsEndIsSeen) {
  ASSERT_TRUE(count_records("https://a.example/"));
  EXPECT_THAT(counts_, ElementsAre(0, 0, 1));
  ASSERT_THAT(states(), ElementsAre(StreamState::None));
  EXPECT_EQ(record().status, 200);
  EXPECT_EQ(record().bytes_received, 5U);
  EXPECT_EQ(record().error_code, "");
}

TEST_F(MessageStreamTest, OfEventsHasTwoRecordsAsEveryStream) {
  connector_.content_type = "text/event-stream; charset=utf-8";
  ASSERT_TRUE(count_records("https://a.example/"));
  EXPECT_THAT(counts_, ElementsAre(1, 1, 2));
  EXPECT_THAT(states(), ElementsAre(StreamState::Opened, StreamState::Closed));
}

// The call's own record is waited for.
TEST_F(MessageStreamTest, OfARecordedCallWaitsForNoRecord) {
  about_.is_recorded = true;
  sink_.outcome = fail(Errc::LimitExceeded, "The audit log is full.");
  ASSERT_TRUE(count_records("https://a.example/"));
  EXPECT_THAT(counts_, ElementsAre(0, 0, 1));
  connector_.content_type = "text/event-stream";
  ASSERT_TRUE(count_records("https://a.example/"));
  EXPECT_THAT(states(), ElementsAre(StreamState::None, StreamState::Opened, StreamState::Closed));
}

TEST_F(MessageStreamTest, EndsWithTheFailureOfTheLog) {
  sink_.outcome = fail(Errc::LimitExceeded, "The audit log is full.");
  auto const done = count_records("https://a.example/");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "The audit log is full.");
}

TEST_F(MessageStreamTest, IsOnRecordAlsoWhereNobodyReadsIt) {
  auto const left = with_stream(get("https://a.example/"),
                                [](Stream) -> Task<void> { co_return Result<void>{}; });
  ASSERT_TRUE(left);
  ASSERT_THAT(states(), ElementsAre(StreamState::None));
  EXPECT_EQ(record().error_code, "cancelled");
}

TEST_F(MessageStreamTest, ThatIsRefusedIsOnRecordBeforeItsCallerHears) {
  auto const refused = count_records("https://denied.example/");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::PolicyDenied);
  ASSERT_THAT(states(), ElementsAre(StreamState::None));
  EXPECT_EQ(record().verdict, audit::Verdict::Denied);
}

TEST_F(MessageStreamTest, GoesOnTheCallersLoopWhereThereIsAWay) {
  fakes::FakeConnector on_loop;
  OnLoop way{on_loop};
  on_loop_ = &way;
  ASSERT_TRUE(count_records("https://a.example/"));
  EXPECT_THAT(on_loop.sent, SizeIs(1));
  EXPECT_THAT(connector_.sent, IsEmpty());

  operation_ = "fetch";
  ASSERT_TRUE(read(get("https://a.example/")));
  EXPECT_THAT(on_loop.sent, SizeIs(1));
  EXPECT_THAT(connector_.sent, SizeIs(1));
}

}  // namespace
}  // namespace sallyport::pipeline
