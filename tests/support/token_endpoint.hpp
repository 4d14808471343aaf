// A token endpoint that does what a test says, wrong things included, and remembers what it was
// sent. Without being told otherwise it gives a new token for an hour each time.
//
//   TokenEndpoint endpoint;
//   endpoint.will(TokenEndpoint::refusal(400, "invalid_grant"));
//   … endpoint.sent().at(0).field("grant_type")
#pragma once

#include "src/http/message.hpp"

#include "tests/support/origin.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::test {

class TokenEndpoint {
 public:
  struct Sent {
    std::string request;

    std::string form() const { return request.substr(request.find("\r\n\r\n") + 4); }
    std::string field(std::string_view name) const { return http::query_value(form(), name); }
  };

  std::string url() const { return origin_.url("/token"); }
  // Whether or not it answered.
  std::size_t calls() const { return sent().size(); }
  std::vector<Sent> sent() const {
    std::lock_guard const lock{mutex_};
    return sent_;
  }
  // "client_credentials refresh_token:abc …", in order.
  std::string grants() const {
    std::string all;
    for (auto const& one : sent()) {
      auto const refresh = one.field("refresh_token");
      all += (all.empty() ? "" : " ") + one.field("grant_type") +
             (refresh.empty() ? "" : ":" + refresh);
    }
    return all;
  }

  // The whole answer to the next request that has none yet; "" closes the connection.
  void will(std::string answer) {
    std::lock_guard const lock{mutex_};
    answers_.push_back(std::move(answer));
  }
  // Requests wait from here on, until they are let go.
  void hold() {
    std::lock_guard const lock{mutex_};
    held_ = true;
  }
  void let_go() {
    std::lock_guard const lock{mutex_};
    held_ = false;
    changed_.notify_all();
  }
  // Until so many were sent; false when they do not come.
  bool wait_for_calls(std::size_t count) {
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, std::chrono::seconds{20}, [&] { return sent_.size() >= count; });
  }

  static std::string token(std::string const& name,
                           std::string const& more = R"(,"expires_in":3600)") {
    return Origin::ok(R"({"access_token":")" + name + R"(","token_type":"Bearer")" + more + "}",
                      "Content-Type: application/json\r\n");
  }
  static std::string refusal(int status, std::string const& error,
                             std::string const& headers = {}) {
    auto const body = R"({"error":")" + error + R"("})";
    return "HTTP/1.1 " + std::to_string(status) + " No\r\n" + headers +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }

  ~TokenEndpoint() { let_go(); }

 private:
  std::string take(std::string const& request) {
    std::unique_lock lock{mutex_};
    sent_.push_back({request});
    changed_.notify_all();
    auto const number = sent_.size();
    changed_.wait_for(lock, std::chrono::seconds{20}, [this] { return !held_; });
    if (answers_.empty()) return token("issued-token-" + std::to_string(number));
    auto answer = std::move(answers_.front());
    answers_.pop_front();
    return answer;
  }

  void serve(Origin::Connection& peer) {
    for (std::string request; !(request = peer.receive_request()).empty();) {
      auto const answer = take(request);
      if (answer.empty() || !peer.send(answer)) return;
    }
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Sent> sent_;
  std::deque<std::string> answers_;
  bool held_{false};
  Origin origin_{[this](Origin::Connection& peer) { serve(peer); }};
};

}  // namespace sallyport::test
