// Answers in pieces: back-pressure, decompression, cancellation, and who may go before whom.
#include "tests/support/egress.hpp"
#include "tests/support/origin.hpp"
#include "tests/support/resident.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <gmock/gmock.h>

#include <atomic>
#include <brotli/encode.h>
#include <thread>
#include <zlib.h>
#include <zstd.h>

namespace sallyport::egress {
namespace {

using namespace std::chrono_literals;
using test::get;
using test::make_connector;
using test::Origin;
using test::resident_kilobytes;
using test::send;

constexpr std::size_t kMebi = 1UL << 20;

std::string gzip(std::string_view text) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string brotli(std::string_view text) {
  std::string out(BrotliEncoderMaxCompressedSize(text.size()), '\0');
  auto size = out.size();
  BrotliEncoderCompress(5, 22, BROTLI_MODE_GENERIC, text.size(),
                        reinterpret_cast<std::uint8_t const*>(text.data()), &size,
                        reinterpret_cast<std::uint8_t*>(out.data()));
  out.resize(size);
  return out;
}

std::string zstd(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

struct Encoding {
  char const* name;
  std::string (*encode)(std::string_view);
};
constexpr Encoding kEncodings[] = {{"gzip", gzip}, {"br", brotli}, {"zstd", zstd}};

std::string encoded(Encoding const& with, std::string_view text) {
  return Origin::ok(with.encode(text), std::string{"Content-Encoding: "} + with.name + "\r\n");
}

// Hard to compress, the same every time.
std::string noise(std::size_t size) {
  std::string text(size, '\0');
  std::uint32_t state = 1;
  for (auto& c : text) c = static_cast<char>((state = state * 1664525U + 1013904223U) >> 24U);
  return text;
}

TEST(EgressStreaming, DecompressesAndSaysSoInTheHead) {
  auto const text = noise(700'000);
  for (auto const& encoding : kEncodings) {
    Origin const origin{Origin::answering(encoded(encoding, text))};
    auto const connector = make_connector();
    for (bool const whole : test::kModes) {
      auto dispatch = get(origin.url());
      dispatch.whole = whole;
      auto const answer = send(*connector, std::move(dispatch));
      ASSERT_TRUE(answer) << encoding.name << answer.error().detail;
      EXPECT_TRUE(answer->body == text) << encoding.name;
      EXPECT_EQ(answer->head.headers.find("Content-Encoding"), nullptr);
      EXPECT_EQ(answer->head.headers.find("Content-Length"), nullptr);
      EXPECT_EQ(answer->stats.bytes_received, encoding.encode(text).size());
    }
  }
}

TEST(EgressStreaming, RefusesAnEndlessEventStreamAtOnceWhereAskedTo) {
  Origin const origin{[](Origin::Connection& peer) {
    peer.receive_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Type: Text/Event-Stream ; charset=utf-8\r\n\r\n");
    while (peer.send("data: 1\n\n") && peer.pause(20ms)) {
    }
  }};
  auto const connector = make_connector();
  for (bool const whole : test::kModes) {
    auto dispatch = get(origin.url());
    dispatch.whole = whole;
    dispatch.refuse_event_streams = true;
    auto const begin = Clock::now();
    EXPECT_FAILS(send(*connector, std::move(dispatch)), Errc::UpstreamFailed,
                 "The address answers with an event stream (text/event-stream), which goes on "
                 "without an end; those are not read.");
    EXPECT_LT(Clock::now() - begin, 2s);
  }
}

TEST(EgressStreaming, ReadsAnEventStreamOtherwiseAndARedirectThatSaysItIsOne) {
  auto const stream = Origin::ok("data: 1\n\n", "Content-Type: text/event-stream\r\n");
  Origin const origin{Origin::answering(stream)};
  auto const connector = make_connector();
  auto const answer = send(*connector, get(origin.url()));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "data: 1\n\n");

  Origin const moved{
      Origin::answering("HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Type: text/event-stream\r\n"
                        "Content-Length: 0\r\n\r\n")};
  auto dispatch = get(moved.url());
  dispatch.refuse_event_streams = true;
  EXPECT_TRUE(send(*connector, std::move(dispatch)));
}

TEST(EgressStreaming, LeavesTheBodyAloneWhenTheCallerNamedEncodings) {
  Origin const origin{Origin::answering(encoded(kEncodings[0], "hello"))};
  auto const connector = make_connector();
  auto dispatch = get(origin.url());
  dispatch.headers = {{"Accept-Encoding", "gzip"}};
  auto const answer = send(*connector, std::move(dispatch));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, gzip("hello"));
  EXPECT_EQ(*answer->head.headers.find("Content-Encoding"), "gzip");
}

TEST(EgressStreaming, CutsBombsWhileTheyAreUnpacked) {
  std::string const zeros(200 * kMebi, '\0');
  for (auto const& encoding : kEncodings) {
    Origin const origin{Origin::answering(encoded(encoding, zeros))};
    auto const connector = make_connector();
    for (bool const whole : test::kModes) {
      auto const before = resident_kilobytes();
      auto dispatch = get(origin.url());
      dispatch.whole = whole;
      EXPECT_FAILS(send(*connector, std::move(dispatch)), Errc::LimitExceeded,
                   "The answer grows more than 200-fold when it is decompressed.");
      dispatch = get(origin.url());
      dispatch.whole = whole;
      dispatch.limits.ratio = 1'000'000'000;
      EXPECT_FAILS(send(*connector, std::move(dispatch)), Errc::LimitExceeded,
                   "The answer is larger than the limit of 10 MiB.");
      EXPECT_LT(resident_kilobytes(), before + 64 * 1024) << encoding.name;
    }
  }
}

TEST(EgressStreaming, RefusesEncodingsInsideEncodings) {
  auto const body = gzip(gzip(gzip("hello")));
  Origin const origin{Origin::answering(
      Origin::ok(body, "Content-Encoding: gzip, gzip\r\nContent-Encoding: gzip\r\n"))};
  auto const connector = make_connector();
  EXPECT_FAILS(send(*connector, get(origin.url())), Errc::LimitExceeded,
               "The answer is compressed more than 2 times over.");
}

Task<std::size_t> read_slowly(Connector& connector, Dispatch dispatch, std::size_t& most) {
  ExchangeStats stats;
  SP_CO_TRY(auto const exchange, co_await connector.open(std::move(dispatch), stats));
  Timer timer{co_await asio::this_coro::executor};
  std::size_t size = 0;
  while (true) {
    SP_CO_TRY(auto const piece, co_await exchange->read());
    if (piece.empty()) break;
    size += piece.size();
    most = std::max(most, resident_kilobytes());
    timer.expires_after(1ms);
    co_await timer.async_wait(use_async);
  }
  co_return size;
}

TEST(EgressStreaming, HoldsTheOriginBackWhileNobodyReads) {
  constexpr std::size_t kSize = 100 * kMebi;
  Origin const origin{[](Origin::Connection& peer) {
    peer.receive_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(kSize) + "\r\n\r\n");
    std::string const piece(64 * 1024, 'x');
    for (std::size_t sent = 0; sent < kSize && peer.send(piece); sent += piece.size()) {
    }
  }};
  auto const connector = make_connector();
  auto dispatch = get(origin.url());
  dispatch.whole = false;
  dispatch.limits.body_bytes = kSize;
  auto const before = resident_kilobytes();
  std::size_t most = 0;

  auto const size = test::run(read_slowly(*connector, std::move(dispatch), most));

  ASSERT_TRUE(size) << size.error().message;
  EXPECT_EQ(*size, kSize);
  EXPECT_LT(most, before + 16 * 1024);
}

TEST(EgressStreaming, HoldsBackWhatIsDecompressedToo) {
  std::string text;
  while (text.size() < 60 * kMebi) text += noise(256 * 1024 + text.size() % 7);
  Origin const origin{Origin::answering(encoded(kEncodings[0], text))};
  auto const connector = make_connector();
  auto dispatch = get(origin.url());
  dispatch.whole = false;
  dispatch.limits.body_bytes = text.size();
  auto const before = resident_kilobytes();
  std::size_t most = 0;

  auto const size = test::run(read_slowly(*connector, std::move(dispatch), most));

  ASSERT_TRUE(size) << size.error().message;
  EXPECT_EQ(*size, text.size());
  EXPECT_LT(most, before + 24 * 1024);
}

TEST(EgressStreaming, AHeldBackOriginDoesNotStall) {
  Origin const origin{Origin::answering(Origin::ok(std::string(3 * kMebi, 'x')))};
  auto const connector = make_connector();
  auto dispatch = get(origin.url());
  dispatch.whole = false;
  dispatch.limits.stall = 100ms;
  auto const task = [&]() -> Task<std::size_t> {
    ExchangeStats stats;
    SP_CO_TRY(auto const exchange, co_await connector->open(std::move(dispatch), stats));
    Timer timer{co_await asio::this_coro::executor, Clock::now() + 400ms};
    co_await timer.async_wait(use_async);
    std::size_t size = 0;
    while (true) {
      SP_CO_TRY(auto const piece, co_await exchange->read());
      if (piece.empty()) break;
      size += piece.size();
    }
    co_return size;
  };
  auto const size = test::run(task());
  ASSERT_TRUE(size) << size.error().message;
  EXPECT_EQ(*size, 3 * kMebi);
}

TEST(EgressStreaming, ACancelledExchangeEndsAtOnceAtTheOriginToo) {
  std::atomic<int> ended{0};
  Origin const origin{[&](Origin::Connection& peer) {
    peer.receive_request();
    peer.wait_for_end();
    ++ended;
  }};
  auto const connector = make_connector();
  for (bool const whole : test::kModes) {
    auto dispatch = get(origin.url());
    dispatch.whole = whole;
    auto const start = Clock::now();
    asio::io_context loop;
    asio::cancellation_signal stop;
    Result<test::Answer> answer = fail(Errc::Internal, "");
    asio::co_spawn(loop, capture(test::read_all(*connector, std::move(dispatch))),
                   asio::bind_cancellation_slot(stop.slot(), [&](auto, Result<test::Answer> got) {
                     answer = std::move(got);
                   }));
    loop.run_for(50ms);
    stop.emit(asio::cancellation_type::terminal);
    loop.run();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, Errc::Cancelled);
    EXPECT_LT(Clock::now() - start, 1s);
  }
  for (int left = 200; left > 0 && ended < 2; --left) std::this_thread::sleep_for(5ms);
  EXPECT_EQ(ended, 2);
}

TEST(EgressStreaming, DestroyingAnExchangeEndsItsTransfer) {
  std::atomic<bool> ended{false};
  Origin const origin{[&](Origin::Connection& peer) {
    peer.receive_request();
    peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    peer.wait_for_end();
    ended = true;
  }};
  auto const connector = make_connector();
  auto dispatch = get(origin.url());
  dispatch.whole = false;
  auto const task = [&]() -> Task<int> {
    ExchangeStats stats;
    SP_CO_TRY(auto const exchange, co_await connector->open(std::move(dispatch), stats));
    co_return exchange->head().status;
  };
  ASSERT_TRUE(test::run(task()));
  for (int left = 200; left > 0 && !ended; --left) std::this_thread::sleep_for(5ms);
  EXPECT_TRUE(ended);
}

TEST(EgressStreaming, WhatIsUnderWayFailsWhenTheConnectorGoes) {
  Origin const origin{[](Origin::Connection& peer) {
    peer.receive_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf");
    peer.wait_for_end();
  }};
  for (bool const whole : test::kModes) {
    auto connector = make_connector();
    auto dispatch = get(origin.url());
    dispatch.whole = whole;
    asio::io_context loop;
    Result<test::Answer> answer = fail(Errc::Internal, "");
    asio::co_spawn(loop, test::read_all(*connector, std::move(dispatch)),
                   [&](auto, Result<test::Answer> got) { answer = std::move(got); });
    loop.run_for(50ms);
    connector.reset();
    loop.run();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, Errc::Cancelled);
  }
}

TEST(EgressStreaming, ExchangesMayOutliveTheConnectorAndTheConnectorTheirLoop) {
  Origin const origin{[](Origin::Connection& peer) {
    peer.receive_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf");
    peer.wait_for_end();
  }};
  auto connector = make_connector();
  for (bool const whole : test::kModes) {
    auto dispatch = get(origin.url());
    dispatch.whole = whole;
    asio::io_context loop;
    asio::co_spawn(loop, test::read_all(*connector, std::move(dispatch)), [](auto, auto const&) {});
    loop.run_for(30ms);
  }
  std::unique_ptr<Exchange> exchange;
  auto const task = [&]() -> Task<int> {
    ExchangeStats stats;
    auto dispatch = get(origin.url());
    dispatch.whole = false;
    SP_CO_TRY(exchange, co_await connector->open(std::move(dispatch), stats));
    co_return 0;
  };
  ASSERT_TRUE(test::run(task()));
  connector.reset();
  // What came before the end can still be read.
  auto const rest = test::run(exchange->read());
  if (rest) {
    EXPECT_EQ(*rest, "half");
    EXPECT_FALSE(test::run(exchange->read()));
  }
  EXPECT_EQ(exchange->head().status, 200);
}

TEST(EgressStreaming, ManyLoopsMayAskAtTheSameTime) {
  Origin const origin{Origin::answering(Origin::ok("hello"))};
  auto const connector = make_connector({.connections_per_host = 8});
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      asio::io_context loop;
      auto const many = [&](bool whole) -> Task<int> {
        for (int round = 0; round < 25; ++round) {
          auto dispatch = get(origin.url());
          dispatch.whole = whole;
          SP_CO_TRY(auto const answer, co_await test::read_all(*connector, std::move(dispatch)));
          good += answer.body == "hello" ? 1 : 0;
        }
        co_return 0;
      };
      for (int i = 0; i < 8; ++i) {
        asio::co_spawn(loop, many(i % 2 == 0), [](auto, auto const&) {});
        loop.poll();
      }
      loop.run();
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(good, 4 * 8 * 25);
  EXPECT_LE(origin.connections(), 8U);
}

}  // namespace
}  // namespace sallyport::egress
