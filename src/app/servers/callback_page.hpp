// The page that the browser comes back to after signing in: http://127.0.0.1:PORT/callback.
#pragma once

#include "src/base/event_loops.hpp"
#include "src/base/metrics.hpp"
#include "src/base/one_shot_event.hpp"
#include "src/net/http_server.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace sallyport::app::servers {

class CallbackPage {
 public:
  // Gets the query that the browser brought. Fails with InvalidInput where it is not the answer
  // that is waited for: then waiting goes on.
  using Finish = std::function<Task<std::string>(std::string query)>;

  // Listens, and serves from now on. `port` 0: any free one. Fails as HttpServer::create() does.
  // `loops` and `metrics` outlive it.
  static Result<std::unique_ptr<CallbackPage>> create(std::uint16_t port, EventLoops& loops,
                                                      Metrics& metrics, Finish finish);

  std::string redirect_uri() const;

  // What came of it. Fails with what `finish` failed with, DeadlineExceeded or Cancelled.
  Task<std::string> wait(Deadline deadline);

  // Must have returned before it is destroyed.
  Async<void> close();

 private:
  explicit CallbackPage(Finish finish) : finish_{std::move(finish)} {}

  Async<void> answer(net::Exchange& exchange);

  Finish finish_;
  std::unique_ptr<net::HttpServer> server_;
  std::optional<Result<std::string>> outcome_;
  std::shared_ptr<OneShotEvent> came_ = OneShotEvent::make();
};

}  // namespace sallyport::app::servers
