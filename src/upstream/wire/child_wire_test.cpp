#include "src/upstream/wire/child_wire.hpp"

#include "tests/support/run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>

namespace sallyport::upstream {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

ChildCommand shell(std::string script) {
  return {.command = "sh", .args = {"-c", std::move(script)}};
}

// Posts a request to such a child and gives what it answers first.
Result<json::Object> first_answer(ChildCommand const& command, ChildWire::Limits limits = {}) {
  return test::run([](ChildCommand const& what, ChildWire::Limits bounds) -> Task<json::Object> {
    auto const executor = co_await asio::this_coro::executor;
    SP_CO_TRY(auto const wire, ChildWire::start(what, bounds, executor));
    auto const asking = [&]() -> Task<json::Object> {
      SP_CO_TRY(
          auto const conversation,
          co_await wire->post({.message = R"({"jsonrpc":"2.0","id":1,"method":"x"})", .id = 1}));
      SP_CO_TRY(auto const message, co_await conversation->next());
      co_return std::get<mcp::ResponseMessage>(*message).result;
    };
    auto answer = co_await asking();
    co_await wire->close();
    co_return std::move(answer);
  }(command, limits));
}

TEST(ChildWire, CarriesAMessageEachWayAndOverhearsGreetings) {
  auto const answer = first_answer(
      shell(R"(echo hello; read line; echo '{"jsonrpc":"2.0","id":2,"result":{"not":"it"}}'; )"
            R"(echo '{"jsonrpc":"2.0","id":1,"result":{"ok":true}}'; cat >/dev/null)"));

  EXPECT_TRUE(answer->at("ok").as_bool());
}

TEST(ChildWire, PutsAMessageTogetherThatComesInPieces) {
  auto const answer =
      first_answer(shell(R"(printf 'hello\n{"jsonrpc":"2.0",'; sleep 0.1; printf '"id":1,'; )"
                         R"(sleep 0.1; printf '"result":{"ok":true}}\n'; cat >/dev/null)"));

  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_TRUE(answer->at("ok").as_bool());
}

TEST(ChildWire, SaysWhatTheChildComplainedAboutLast) {
  auto const answer = first_answer(shell("echo first >&2; echo 'no such database' >&2; sleep 0.2"));

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::UpstreamFailed);
  EXPECT_EQ(answer.error().detail, "no such database");
}

TEST(ChildWire, SaysWhyAProgramCannotBeStarted) {
  auto const answer = first_answer({.command = "/nowhere/server"});

  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("/nowhere/server cannot be started: No such file"));
}

TEST(ChildWire, CutsOffAChildWhoseMessageHasNoEnd) {
  auto const answer =
      first_answer(shell("head -c 100000 /dev/zero; sleep 5"), {.message_bytes = 1000});

  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("longer than 1000 bytes"));
}

TEST(ChildWire, EndsAChildThatWillNotEnd) {
  auto const begin = Clock::now();
  auto const answer =
      first_answer(shell(R"(trap '' TERM; echo '{"jsonrpc":"2.0","id":1,"result":{}}'; )"
                         R"(while true; do sleep 0.1; done)"));

  EXPECT_TRUE(answer);
  EXPECT_LT(Clock::now() - begin, 15s);
}

TEST(ChildProcess, SeesNoneOfOurDescriptorsAndVariables) {
  int const ours = ::fcntl(STDOUT_FILENO, F_DUPFD, 200);  // not closed by exec
  ::setenv("TEST_OUR_SECRET", "hush", 1);                 // NOLINT(concurrency-mt-unsafe)

  auto const answer = first_answer(shell(
      R"(read line; echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"fds\":\"$(echo $(ls /proc/self/fd))\",)"
      R"(\"secret\":\"$TEST_OUR_SECRET\",\"mine\":\"$MINE\",\"path\":\"$PATH\"}}"; cat >/dev/null)"));
  ::close(ours);

  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_THAT(std::string{answer->at("fds").as_string()}, Not(HasSubstr(std::to_string(ours))));
  EXPECT_EQ(answer->at("secret").as_string(), "");
  EXPECT_NE(answer->at("path").as_string(), "");
}

}  // namespace
}  // namespace sallyport::upstream
