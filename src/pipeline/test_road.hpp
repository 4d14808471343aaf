// A road out with fakes at both ends: names that resolve, an origin that answers by path, a log in
// memory.
#pragma once

#include "src/base/task_group.hpp"
#include "src/pipeline/egress_road.hpp"
#include "src/policy/allowlist.hpp"

#include <boost/asio/post.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <optional>
#include <utility>

namespace sallyport::pipeline::fakes {

class FakeResolver final : public egress::Resolver {
 public:
  Task<std::vector<url::IpAddress>> resolve(std::string host, Deadline) override {
    auto const address = host.starts_with("inside") ? "10.0.0.1" : "93.184.215.14";
    co_return std::vector{*url::IpAddress::parse(address)};
  }
};

// What a body does after its last piece.
enum class Then { Ends, Fails, Hangs };

class FakeExchange final : public egress::Exchange {
 public:
  FakeExchange(egress::ResponseHead head, std::deque<std::string> pieces, Then then, int& alive,
               std::function<void()> on_hang)
      : head_{std::move(head)},
        pieces_{std::move(pieces)},
        then_{then},
        alive_{alive},
        on_hang_{std::move(on_hang)} {
    ++alive_;
  }
  ~FakeExchange() override { --alive_; }
  void receive_all() {
    for (auto const& piece : pieces_) received_ += piece.size();
    whole_ = true;
  }
  egress::ResponseHead& head() noexcept override { return head_; }
  Task<std::string> read() override {
    if (!pieces_.empty()) {
      auto piece = std::move(pieces_.front());
      pieces_.pop_front();
      if (!whole_) received_ += piece.size();
      co_return piece;
    }
    if (then_ == Then::Ends) co_return std::string{};
    if (then_ == Then::Fails) co_return fail(Errc::UpstreamFailed, "The answer broke off.");
    if (on_hang_) on_hang_();
    Timer timer{co_await asio::this_coro::executor, Clock::time_point::max()};
    co_await timer.async_wait(use_async);
    co_return fail(Errc::Cancelled, "The request was cancelled.");
  }
  egress::ExchangeStats stats() const override {
    return {.connected_address = "93.184.215.14", .bytes_received = received_};
  }

 private:
  egress::ResponseHead head_;
  std::deque<std::string> pieces_;
  Then then_;
  int& alive_;
  std::function<void()> on_hang_;
  std::size_t received_{0};
  bool whole_{false};
};

// Answers by path; "/hang" waits until it is cancelled.
class FakeConnector final : public egress::Connector {
 public:
  Task<std::unique_ptr<egress::Exchange>> open(egress::Dispatch dispatch,
                                               egress::ExchangeStats&) override {
    sent.push_back(dispatch);
    auto const path = dispatch.url.path();
    if (path == "/hang") {
      if (on_hang) on_hang();
      Timer timer{co_await asio::this_coro::executor, Clock::time_point::max()};
      co_await timer.async_wait(use_async);
    }
    if (path == "/reset") co_return fail(Errc::UpstreamFailed, "The connection was reset.");
    egress::ResponseHead head{.status = 200};
    std::string body = "hello";
    if (path == "/echo") {
      body.clear();
      for (auto const& [name, value] : dispatch.headers) body += name + ": " + value + "\n";
    }
    if (!content_type.empty()) head.headers.add("Content-Type", content_type);
    if (path == "/robots.txt") head.status = 404;
    auto const* token = dispatch.headers.find("authorization");
    if (path == "/first-refused") head.status = token && token->ends_with("-1") ? 401 : 200;
    if (path == "/always-refused") head.status = 401;
    if (path == "/leak") {
      head = {.status = 302, .headers = {{"Location", "https://b.example/?t=" + token->substr(7)}}};
    }
    if (path == "/away") head = {.status = 302, .headers = {{"Location", "https://b.example/"}}};
    if (path == "/loop") head = {.status = 302, .headers = {{"Location", "/loop"}}};
    if (!locations.empty()) {
      head = {.status = redirect_status, .headers = {{"Location", locations.front()}}};
      locations.pop_front();
    }
    auto parts = path == "/pieces" ? pieces : std::deque<std::string>{std::move(body)};
    auto exchange =
        std::make_unique<FakeExchange>(std::move(head), std::move(parts), then, alive, on_hang);
    if (dispatch.whole) exchange->receive_all();
    co_return std::move(exchange);
  }

  std::vector<egress::Dispatch> sent;
  std::deque<std::string> locations;  // answered with first, whatever the path
  std::string content_type;           // of all others
  int redirect_status{302};           // of these
  std::deque<std::string> pieces;     // of the body of "/pieces"
  Then then{Then::Ends};              // every body
  int alive{0};                       // exchanges
  std::function<void()> on_hang;
};

class FakeSink final : public audit::Sink {
 public:
  Result<void> ready() const override { return is_ready; }
  Task<void> write(audit::Record record) override {
    if (on_write) on_write();
    // As the real one: the record is safe only after a turn of the loop.
    co_await asio::post(co_await asio::this_coro::executor, use_async);
    records.push_back(std::move(record));
    co_return outcome;
  }
  audit::Receipt begin(audit::Record record, Executor loop) override {
    if (on_write) on_write();
    records.push_back(std::move(record));
    audit::Receipt receipt{loop};
    asio::post(loop, [receipt, settled = outcome]() mutable { receipt.settle(settled); });
    return receipt;
  }
  void post(audit::Record record) override { records.push_back(std::move(record)); }

  Result<void> is_ready;
  Result<void> outcome;
  std::function<void()> on_write;
  std::vector<audit::Record> records;
};

class EgressRoadTest : public testing::Test {
 protected:
  using Outcome = Result<OutboundAnswer>;

  OutboundRequest get(std::string url) {
    return {.url = std::move(url), .headers = {{"X-Mine", "1"}, {"Accept", "text/html"}}};
  }

  // The outcome of one call; cancelled when it hangs, or while its record is written.
  Outcome send(OutboundRequest request) {
    return on_road<OutboundAnswer>([&](EgressRoad& road, Passage const& passage) {
      return road.send(passage, std::move(request));
    });
  }

  Result<void> record_unsent(UnsentCall call) {
    return on_road<void>([&](EgressRoad& road, Passage const& passage) {
      return road.record_unsent(passage, std::move(call));
    });
  }

  template <class T, class Use>
  Result<T> on_road(Use const& use) {
    EventLoops loops{1};
    std::vector<std::unique_ptr<egress::Resolver>> resolvers;
    resolvers.push_back(std::make_unique<FakeResolver>());
    EgressRoad road{{.guard = guard_,
                     .connector = connector_,
                     .policy = *evaluator_,
                     .injector = injector_,
                     .limiter = limiter_,
                     .audit = sink_,
                     .mask_echoes = mask_echoes_,
                     .sockets = sockets_,
                     .on_loop = on_loop_},
                    loops,
                    std::move(resolvers)};
    Passage const passage{.request = &about_, .operation = operation_, .purpose = "fetch"};
    std::optional<Result<T>> outcome;
    TaskGroup group{loops.executor(0), [](std::string_view, Error const&) {}};
    connector_.on_hang = [&] {
      asio::post(loops.executor(0), [&] { group.stop(asio::cancellation_type::terminal); });
    };
    if (cancel_while_writing_) sink_.on_write = connector_.on_hang;
    auto const call = [&]() -> Task<void> {
      outcome = co_await use(road, passage);
      loops.finish();
      co_return Result<void>{};
    };
    group.spawn("call", call());
    loops.run();
    call_id_ = passage.call_id;
    return std::move(*outcome);
  }

  audit::Record const& record() const { return sink_.records.back(); }

  RequestContext about_{.request_id = "r-1", .principal = {.id = "alice"}, .client = "c/1"};
  egress::Guard guard_;
  policy::Evaluator* evaluator_{&policy_};
  policy::Allowlist policy_{{.deny = {{.reach = {.hosts = {"denied.example"}}, .name = "no"}}}};
  credentials::Injector injector_{
      {{.reach = {.hosts = {"a.example"}, .schemes = {"http", "https"}},
        .header = "Authorization",
        .source = credentials::fixed_source(Secret{"Bearer hidden-token"}),
        .name = "a"}}};
  Limiter limiter_{{}};
  FakeConnector connector_;
  egress::SocketConnector* sockets_{nullptr};
  egress::OnLoopConnector* on_loop_{nullptr};
  FakeSink sink_;
  std::string operation_{"fetch"};
  std::string call_id_;
  bool cancel_while_writing_{false};
  bool mask_echoes_{true};
};

}  // namespace sallyport::pipeline::fakes
