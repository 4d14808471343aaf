#include "src/credentials/source.hpp"

#include "src/oauth/token_source.hpp"

#include <utility>

namespace sallyport::credentials {
namespace {

class FixedSource final : public Source {
 public:
  explicit FixedSource(Secret value) : value_{std::move(value)} {}

  Task<Secret> value(Ask const&) override { co_return value_; }

 private:
  Secret value_;
};

class ClientCredentials final : public Source {
 public:
  explicit ClientCredentials(oauth::TokenOptions options) : tokens_{std::move(options)} {}

  Task<Secret> value(Ask const& ask) override {
    if (ask.client == nullptr) co_return Secret{"Bearer stand-in-for-a-token"};
    co_return co_await tokens_.value(*ask.client, ask.deadline);
  }

  bool renews() const noexcept override { return true; }

  Async<bool> renew(Secret const& refused, Ask const& ask) override {
    if (ask.client == nullptr) co_return false;
    co_return co_await tokens_.renew(refused, *ask.client, ask.deadline);
  }

  void measure(Metrics& metrics, std::string_view rule) override {
    tokens_.measure(oauth::TokenMetrics{metrics, rule});
  }

  oauth::TokenOptions const* token_options() const noexcept override { return &tokens_.options(); }

 private:
  oauth::TokenSource tokens_;
};

}  // namespace

Async<bool> Source::renew(Secret const&, Ask const&) {
  co_return false;
}

void Source::measure(Metrics&, std::string_view) {}

std::shared_ptr<Source> fixed_source(Secret value) {
  return std::make_shared<FixedSource>(std::move(value));
}

std::shared_ptr<Source> token_source(oauth::TokenOptions options) {
  return std::make_shared<ClientCredentials>(std::move(options));
}

}  // namespace sallyport::credentials
