#include "src/upstream/session/errand.hpp"

#include "tests/support/run.hpp"

#include <boost/asio/post.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sallyport::upstream {
namespace {

using mcp::client::Inquiry;
using mcp::client::Outcome;
using testing::Each;
using testing::SizeIs;

class NobodyObserves final : public mcp::client::Observer {
 public:
  void heard(mcp::NotificationMessage const&) override {}
};

Task<Outcome> answers_once(Signal& told) {
  SP_CO_CHECK(co_await told.wait());
  co_return Outcome{};
}

Task<void> ask(std::shared_ptr<Errand> errand, std::vector<Errc>& failures) {
  Inquiry inquiry{.server_waits = true};
  inquiry.questions["question"] = {"elicitation/create", {}};
  auto const answers = co_await errand->answer(std::move(inquiry));
  if (!answers) failures.push_back(answers.error().code);
  co_return Result<void>{};
}

// A server that asks twice and answers without waiting: nobody is left to settle either question,
// and both waited until the connection was closed.
TEST(ErrandTest, QuestionsEndWithTheRequestTheyBelongTo) {
  std::vector<Errc> failures;
  auto const work = [&failures]() -> Task<std::size_t> {
    auto const executor = co_await asio::this_coro::executor;
    NobodyObserves nobody;
    Signal told{executor};
    TaskGroup requests{executor, [](std::string_view, Error const&) {}};
    TaskGroup questions{executor, [](std::string_view, Error const&) {}};
    auto const errand = std::make_shared<Errand>(Errand::Job{}, nobody, executor);
    errand->attach(std::make_shared<Inbox>(executor));
    errand->run_in(requests, answers_once(told));
    questions.spawn("first", ask(errand, failures));
    questions.spawn("second, in line", ask(errand, failures));

    told.raise();
    co_await requests.join();
    questions.spawn("too late", ask(errand, failures));
    for (int turn = 0; turn < 100; ++turn) co_await asio::post(executor, use_tuple);

    auto const left = questions.size();
    questions.stop(asio::cancellation_type::terminal);
    co_await questions.join();
    co_return left;
  };

  auto const left = test::run(work());

  EXPECT_EQ(left.value(), 0U);
  EXPECT_THAT(failures, SizeIs(3));
  EXPECT_THAT(failures, Each(Errc::Cancelled));
}

}  // namespace
}  // namespace sallyport::upstream
