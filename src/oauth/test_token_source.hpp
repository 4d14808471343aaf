// A token endpoint and a source that asks it, for tests.
#pragma once

#include "src/base/one_shot_event.hpp"
#include "src/oauth/token_source.hpp"

#include "tests/support/run.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace sallyport::oauth::fakes {

inline constexpr auto* kClientSecret = "hunter2-hunter2";

// A token endpoint: gives what the test says, in order, and remembers what it was asked. When the
// list is empty, a new token each time.
class FakeEndpoint final : public http::Client {
 public:
  Task<http::Response> send(http::ClientRequest request) override {
    auto answer = take(request);
    if (gate) {
      auto const wakeup = co_await gate->wait();
      if (wakeup != Wakeup::Happened) co_return fail(Errc::Cancelled, "cancelled");
    }
    co_return answer;
  }

  static http::Response token(std::string const& name, std::string const& more = {}) {
    return {.body = R"({"access_token":")" + name + R"(","expires_in":3600)" + more + "}"};
  }

  int calls() const {
    std::lock_guard const lock{mutex_};
    return static_cast<int>(grants.size());
  }

  std::deque<Result<http::Response>> answers;
  std::vector<std::string> grants;  // and the refresh token
  std::shared_ptr<OneShotEvent> gate;

 private:
  Result<http::Response> take(http::ClientRequest const& request) {
    std::lock_guard const lock{mutex_};
    auto grant = http::query_value(request.body, "grant_type");
    if (grant == "refresh_token") grant += ":" + http::query_value(request.body, "refresh_token");
    grants.push_back(std::move(grant));
    if (answers.empty()) return token("t" + std::to_string(grants.size()));
    auto answer = std::move(answers.front());
    answers.pop_front();
    return answer;
  }

  mutable std::mutex mutex_;
};

class TokenSourceTest : public testing::Test {
 protected:
  Result<std::string> ask(Deadline deadline = {}) {
    auto const value = test::run(source_.value(endpoint_, deadline));
    if (!value) return value.error();
    return value->reveal();
  }
  static Task<bool> renewal(TokenSource& source, std::string refused, http::Client& client) {
    Secret const secret{std::move(refused)};
    co_return co_await source.renew(secret, client, {});
  }
  bool renew(std::string refused) {
    return *test::run(renewal(source_, std::move(refused), endpoint_));
  }

  FakeEndpoint endpoint_;
  Clock::time_point now_{std::chrono::hours{1000}};
  TokenSource source_{{.token_url = "https://as.example/token",
                       .client_id = "shop",
                       .client_secret = Secret{kClientSecret}},
                      {.steady = [this] { return now_; }}};
};

}  // namespace sallyport::oauth::fakes
