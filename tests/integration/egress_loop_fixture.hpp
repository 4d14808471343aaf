// LoopConnector on a loop that lives as long as the test, so that connections are kept.
#pragma once

#include "src/egress/loop_connector.hpp"

#include "tests/support/egress.hpp"
#include "tests/support/origin.hpp"

#include <gmock/gmock.h>

#include <optional>

namespace sallyport::egress {

class EgressLoopTest : public testing::Test {
 protected:
  ~EgressLoopTest() override {
    if (connector_) connector_->stop(loop_.get_executor());
    // Whatever keeps a loop from ending would hang here.
    loop_.restart();
    loop_.run();
  }

  LoopConnector& connector() {
    if (!connector_) connector_.emplace(options_, std::vector<Executor>{loop_.get_executor()});
    return *connector_;
  }

  template <class T>
  Result<T> run(Task<T> task) {
    std::optional<Result<T>> result;
    asio::co_spawn(loop_, capture(std::move(task)),
                   [&](std::exception_ptr, Result<T> value) { result = std::move(value); });
    loop_.restart();
    while (!result) loop_.run_one();
    return std::move(*result);
  }

  Result<test::Answer> send(Dispatch dispatch, ExchangeStats* stats = nullptr) {
    return run(test::read_all(connector(), std::move(dispatch), stats));
  }

  Result<test::Answer> ask(test::Origin const& origin, ExchangeLimits const& limits = {},
                           bool whole = true,
                           std::chrono::milliseconds time = std::chrono::seconds{20}) {
    auto dispatch = test::get(origin.url());
    dispatch.limits = limits;
    dispatch.whole = whole;
    dispatch.deadline = Deadline::in(time);
    return send(std::move(dispatch));
  }

  static Dispatch post(std::string_view url, std::string body) {
    auto dispatch = test::get(url);
    dispatch.method = "POST";
    dispatch.body = std::move(body);
    return dispatch;
  }

  ConnectorOptions options_;
  asio::io_context loop_;
  std::optional<LoopConnector> connector_;
};

}  // namespace sallyport::egress
