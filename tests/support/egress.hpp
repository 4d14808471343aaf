// Sending through the real connector in a test: judged addresses on loopback, and an answer read to
// its end.
#pragma once

#include "src/egress/curl_connector.hpp"
#include "src/egress/guard.hpp"

#include "tests/support/run.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::test {

inline url::Url parse_url(std::string_view text) {
  return *url::Url::parse(text);
}

// As if a resolver had given `addresses` for the URL's host, under a guard that opens loopback.
inline egress::JudgedAddresses judged(url::Url const& url,
                                      std::vector<std::string> const& addresses = {"127.0.0.1"}) {
  std::vector<url::IpAddress> parsed;
  for (auto const& address : addresses) parsed.push_back(*url::IpAddress::parse(address));
  egress::Guard const guard{
      {.ports = {url.effective_port()},
       .open = {*egress::Opening::parse("127.0.0.0/8"), *egress::Opening::parse("::1/128"),
                *egress::Opening::parse("localhost"), *egress::Opening::parse("*.example")}}};
  auto const verdict = guard.judge(url, parsed);
  EXPECT_TRUE(verdict) << verdict.error().message;
  return *verdict;
}

inline egress::Dispatch get(std::string_view url,
                            std::vector<std::string> const& addresses = {"127.0.0.1"}) {
  auto const parsed = parse_url(url);
  return {.url = parsed,
          .addresses = judged(parsed, addresses),
          .deadline = Deadline::in(std::chrono::seconds{20})};
}

struct Answer {
  egress::ResponseHead head;
  std::string body;
  egress::ExchangeStats stats;
  std::size_t pieces{0};
};

// `stats` is filled in also when the exchange fails.
inline Task<Answer> read_all(egress::Connector& connector, egress::Dispatch dispatch,
                             egress::ExchangeStats* stats = nullptr) {
  egress::ExchangeStats first;
  auto opened = co_await connector.open(std::move(dispatch), first);
  if (stats != nullptr) *stats = first;
  SP_CO_TRY(auto const exchange, std::move(opened));
  Answer answer{.head = std::move(exchange->head())};
  while (true) {
    auto piece = co_await exchange->read();
    if (stats != nullptr) *stats = exchange->stats();
    if (!piece) co_return piece.error();
    if (piece->empty()) break;
    ++answer.pieces;
    if (answer.body.empty()) {
      answer.body = std::move(*piece);
    } else {
      answer.body += *piece;
    }
  }
  answer.stats = exchange->stats();
  co_return answer;
}

inline Result<Answer> send(egress::Connector& connector, egress::Dispatch dispatch,
                           egress::ExchangeStats* stats = nullptr) {
  return run(read_all(connector, std::move(dispatch), stats));
}

inline std::unique_ptr<egress::CurlConnector> make_connector(
    egress::ConnectorOptions options = {}) {
  return *egress::CurlConnector::create(std::move(options));
}

// Both modes of handing over, for what must hold in either.
inline constexpr bool kModes[] = {true, false};

}  // namespace sallyport::test

#define EXPECT_FAILS(result, errc, text)                                                  \
  do {                                                                                    \
    auto const& sallyport_result = (result);                                              \
    ASSERT_FALSE(sallyport_result);                                                       \
    EXPECT_EQ(to_string(sallyport_result.error().code), to_string(errc))                  \
        << sallyport_result.error().message << " / " << sallyport_result.error().detail;  \
    EXPECT_EQ(sallyport_result.error().message, text) << sallyport_result.error().detail; \
  } while (false)
