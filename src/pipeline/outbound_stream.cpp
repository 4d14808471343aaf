#include "src/pipeline/outbound_stream.hpp"

#include "src/pipeline/road.hpp"

#include <utility>

namespace sallyport::pipeline {
namespace {

class WholeAnswer final : public OutboundStream {
 public:
  explicit WholeAnswer(OutboundAnswer answer) : answer_{std::move(answer)} {}

  url::Url const& url() const noexcept override { return answer_.url; }
  bool redirected() const noexcept override { return answer_.redirected; }
  egress::ResponseHead& head() noexcept override { return answer_.head; }
  egress::ExchangeStats stats() const override { return answer_.stats; }

  Task<std::optional<std::string>> next() override {
    if (answer_.body.empty()) co_return std::optional<std::string>{};
    co_return std::optional{std::exchange(answer_.body, {})};
  }
  Task<void> close() override {
    answer_.body.clear();
    co_return Result<void>{};
  }

 private:
  OutboundAnswer answer_;
};

}  // namespace

std::unique_ptr<OutboundStream> stream_of(OutboundAnswer answer) {
  return std::make_unique<WholeAnswer>(std::move(answer));
}

Task<std::unique_ptr<OutboundStream>> Road::open(Passage passage, OutboundRequest request) {
  SP_CO_TRY(auto answer, co_await send(passage, std::move(request)));
  co_return stream_of(std::move(answer));
}

Task<std::unique_ptr<OutboundSocket>> Road::connect(Passage, SocketRequest) {
  co_return fail(Errc::NotFound, "There are no WebSockets on this road.");
}

Result<audit::Receipt> Road::begin_record(Passage const&, UnsentCall, Executor loop) {
  audit::Receipt receipt{loop};
  receipt.settle({});
  return receipt;
}

}  // namespace sallyport::pipeline
