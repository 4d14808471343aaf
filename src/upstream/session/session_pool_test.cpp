#include "src/upstream/session/session_pool.hpp"

#include "tests/support/run.hpp"

#include <gtest/gtest.h>

namespace sallyport::upstream {
namespace {

// Leads to a server that refuses everything, or says nothing.
class FakeRoad final : public pipeline::Road {
 public:
  Task<pipeline::OutboundAnswer> send(pipeline::Passage const&,
                                      pipeline::OutboundRequest) override {
    Signal never{co_await asio::this_coro::executor};
    while (silent) SP_CO_CHECK(co_await never.wait());
    co_return fail(Errc::UpstreamFailed, "Nobody is there.");
  }
  Task<void> record_unsent(pipeline::Passage const&, pipeline::UnsentCall) override {
    co_return Result<void>{};
  }

  bool silent{false};
};

class NobodyWatches final : public mcp::client::Observer {
 public:
  void heard(mcp::NotificationMessage const&) override {}
};

class SessionPoolTest : public testing::Test {
 protected:
  SessionPoolTest() {
    settings_.name = "old";
    settings_.http = HttpAddress{.url = url::Url::parse("http://127.0.0.1:1/mcp").value()};
  }

  static RequestContext client(std::string principal, std::string session) {
    RequestContext about;
    about.principal.id = std::move(principal);
    about.session = std::move(session);
    return about;
  }

  // What comes of `work` in front of a pool, which is closed afterwards.
  template <class T>
  T with_pool(std::function<Task<T>(SessionPool&)> work) {
    auto whole = [&]() -> Task<T> {
      auto const executor = co_await asio::this_coro::executor;
      SessionPool pool{{settings_, road_, nullptr, nobody_}, limits_, false, executor};
      auto result = co_await work(pool);
      co_await pool.close();
      co_return std::move(result);
    };
    return test::run(whole()).value();
  }
  std::shared_ptr<Inbox> begin(SessionPool& pool, Executor executor, RequestContext about) {
    Errand::Job job{.ask = {.method = "tools/call"}, .about = std::move(about), .keeps = nullptr};
    auto const errand = std::make_shared<Errand>(std::move(job), nobody_, executor);
    auto inbox = std::make_shared<Inbox>(executor);
    errand->attach(inbox);
    pool.run(errand);
    return inbox;
  }
  // The code that it fails with.
  Async<Errc> fail_at(SessionPool& pool, RequestContext about) {
    auto const inbox = begin(pool, co_await asio::this_coro::executor, std::move(about));
    auto const said = co_await inbox->next();
    co_return std::get<Ended>(said.value()).outcome.error().code;
  }

  ServerSettings settings_;
  FakeRoad road_;
  NobodyWatches nobody_;
  SessionPool::Limits limits_;
};

TEST_F(SessionPoolTest, HasASessionForEachSessionOfAClientAndForEachPrincipalWithout) {
  auto const sessions = with_pool<std::size_t>([this](SessionPool& pool) -> Task<std::size_t> {
    for (auto const& [principal, session] : {std::pair{"alice", "1"},
                                             {"alice", "2"},
                                             {"alice", ""},
                                             {"bob", ""},
                                             {"", "3"},
                                             {"", ""},
                                             {"alice", "1"},
                                             {"alice", ""}}) {
      co_await fail_at(pool, client(principal, session));
    }
    co_return pool.sessions();
  });

  EXPECT_EQ(sessions, 5U);
}

TEST_F(SessionPoolTest, MakesRoomForAPrincipalFromItsOwnSessions) {
  limits_ = {.sessions = 3, .of_principal = 2};

  auto const failed = with_pool<std::vector<Errc>>([this](SessionPool& pool)
                                                       -> Task<std::vector<Errc>> {
    std::vector<Errc> codes;
    for (auto const& [principal, session] :
         {std::pair{"bob", "1"}, {"alice", "2"}, {"alice", "3"}, {"alice", "4"}, {"carol", "5"}}) {
      auto const code = co_await fail_at(pool, client(principal, session));
      codes.push_back(code);
    }
    co_return codes;
  });

  EXPECT_EQ(failed, (std::vector{Errc::UpstreamFailed, Errc::UpstreamFailed, Errc::UpstreamFailed,
                                 Errc::UpstreamFailed, Errc::LimitExceeded}));
}

TEST_F(SessionPoolTest, LetsNobodyTakeTheSessionsOfOthers) {
  limits_ = {.sessions = 3, .of_principal = 2};
  road_.silent = true;

  auto const sessions = with_pool<std::size_t>([this](SessionPool& pool) -> Task<std::size_t> {
    auto const executor = co_await asio::this_coro::executor;
    begin(pool, executor, client("alice", "1"));
    begin(pool, executor, client("alice", "2"));
    auto const code = co_await fail_at(pool, client("alice", "3"));
    EXPECT_EQ(code, Errc::LimitExceeded) << "both are in use";
    begin(pool, executor, client("bob", "4"));
    co_return pool.sessions();
  });

  EXPECT_EQ(sessions, 3U);
}

}  // namespace
}  // namespace sallyport::upstream
