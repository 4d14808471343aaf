#include "src/egress/loop_connector.hpp"

#include "src/base/assert.hpp"
#include "src/egress/line_pool.hpp"
#include "src/egress/loop_exchange.hpp"
#include "src/egress/tls_client.hpp"

#include <algorithm>
#include <utility>

namespace sallyport::egress {

LoopConnector::LoopConnector(ConnectorOptions options, std::vector<Executor> loops)
    : options_{std::move(options)},
      tls_{std::make_unique<TlsClient>(options_.ca_file)},
      loops_{std::move(loops)} {
  for (std::size_t loop = 0; loop < loops_.size(); ++loop) {
    pools_.push_back(std::make_shared<LinePool>(options_.pooled_connections));
  }
}

LoopConnector::~LoopConnector() {
  for (auto const& pool : pools_) pool->stop();
}

Task<std::unique_ptr<Exchange>> LoopConnector::open(Dispatch dispatch, ExchangeStats& stats) {
  auto const& pool = pool_of(co_await asio::this_coro::executor);
  auto exchange = std::make_unique<LoopExchange>(std::move(dispatch), pool, options_, *tls_);
  auto begun = co_await exchange->begin();
  stats = exchange->stats();
  if (!begun) co_return std::move(begun).error();
  co_return std::unique_ptr<Exchange>{std::move(exchange)};
}

void LoopConnector::stop(Executor const& loop) {
  pool_of(loop)->stop();
}

std::shared_ptr<LinePool> const& LoopConnector::pool_of(Executor const& loop) const {
  auto const found = std::ranges::find(loops_, loop);
  SP_ASSERT(found != loops_.end(), "the executor is one of the loops'");
  return pools_[static_cast<std::size_t>(found - loops_.begin())];
}

}  // namespace sallyport::egress
