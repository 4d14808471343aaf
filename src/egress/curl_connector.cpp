#include "src/egress/curl_connector.hpp"

#include "src/egress/exchange_loop.hpp"

#include <fstream>
#include <utility>

namespace sallyport::egress {
namespace {

Error cancelled() {
  return fail(Errc::Cancelled, "The request was cancelled.");
}

// The caller's end. Whatever ends it, also the end of the caller's loop, takes the transfer off the
// curl thread.
class CurlExchange final : public Exchange {
 public:
  CurlExchange(std::shared_ptr<ExchangeMailbox> mailbox, std::shared_ptr<Delivery> delivery,
               std::shared_ptr<BodyPipe> upload)
      : mailbox_{std::move(mailbox)}, delivery_{std::move(delivery)}, upload_{std::move(upload)} {}
  ~CurlExchange() override {
    if (!delivery_->has_ended()) mailbox_->give_up(delivery_);
  }
  CurlExchange(CurlExchange const&) = delete;
  CurlExchange& operator=(CurlExchange const&) = delete;

  ResponseHead& head() noexcept override { return delivery_->head(); }
  ExchangeStats stats() const override {
    auto stats = delivery_->stats();
    if (upload_ && !delivery_->has_ended()) stats.bytes_sent = upload_->taken();
    return stats;
  }

  Task<std::string> read() override {
    auto const wakeup = co_await delivery_->body_or_end();
    if (wakeup == Wakeup::Cancelled) {
      mailbox_->give_up(delivery_);
      co_return cancelled();
    }
    auto taken = delivery_->take();
    if (taken.origin_waits) mailbox_->want_more(delivery_);
    co_return std::move(taken.piece);
  }

  Async<void> end() override {
    if (delivery_->has_ended()) co_return;
    mailbox_->give_up(delivery_);
    co_await delivery_->end();
  }

 private:
  std::shared_ptr<ExchangeMailbox> mailbox_;
  std::shared_ptr<Delivery> delivery_;
  std::shared_ptr<BodyPipe> upload_;
};

// Weak: what was sent is kept in the delivery, and the pipe is part of it.
void connect(BodyPipe& upload, std::shared_ptr<ExchangeMailbox> mailbox,
             std::shared_ptr<Delivery> const& delivery) {
  upload.connect([mailbox = std::move(mailbox), weak = std::weak_ptr{delivery}] {
    if (auto const alive = weak.lock()) mailbox->feed(alive);
  });
}

}  // namespace

Result<std::unique_ptr<CurlConnector>> CurlConnector::create(ConnectorOptions options) {
  if (!options.ca_file.empty() && !std::ifstream{options.ca_file}.is_open()) {
    return fail(Errc::InvalidInput, "The file of trusted certificates cannot be read.",
                options.ca_file);
  }
  if (options.proxy && (!options.proxy->url.host() || options.proxy->addresses.empty())) {
    return fail(Errc::InvalidInput, "The proxy has no host, or its host has no address.");
  }
  return std::unique_ptr<CurlConnector>{
      new CurlConnector{std::make_unique<ExchangeLoop>(std::move(options))}};
}

CurlConnector::CurlConnector(std::unique_ptr<ExchangeLoop> loop) : loop_{std::move(loop)} {}

CurlConnector::~CurlConnector() = default;

Task<std::unique_ptr<Exchange>> CurlConnector::open(Dispatch dispatch, ExchangeStats& stats) {
  auto const mailbox = loop_->mailbox();
  auto const delivery = std::make_shared<Delivery>();
  auto const upload = dispatch.upload;
  if (upload) connect(*upload, mailbox, delivery);
  SP_CO_TRY(auto request, PreparedRequest::create(std::move(dispatch)));
  SP_CO_CHECK(mailbox->submit(std::move(request), delivery));
  auto exchange = std::make_unique<CurlExchange>(mailbox, delivery, upload);

  auto const wakeup = co_await delivery->head_or_end();

  stats = delivery->stats();
  if (wakeup == Wakeup::Cancelled) co_return cancelled();
  if (auto failure = delivery->failure(); failure && !delivery->has_head()) co_return *failure;
  co_return std::unique_ptr<Exchange>{std::move(exchange)};
}

}  // namespace sallyport::egress
