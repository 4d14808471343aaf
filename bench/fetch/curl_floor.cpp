// What one fetch costs at least: loops of GETs through the connector and nothing else.
//
//   curl_floor URL [concurrent] [seconds] [whole|stream]
//
// Prints requests per second, latency, and CPU microseconds per request: of the whole process and
// of the curl thread alone. The URL must be on 127.0.0.1.
#include "src/egress/curl_connector.hpp"
#include "src/egress/guard.hpp"

#include <boost/asio/co_spawn.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace sallyport {
namespace {

struct Load {
  egress::Dispatch dispatch;
  Clock::time_point until;
  std::size_t requests{0};
  std::size_t bytes{0};
  std::size_t failures{0};
  std::string last_failure;
  std::vector<float> latencies;  // microseconds
};

Task<std::size_t> one(egress::Connector& connector, egress::Dispatch dispatch) {
  egress::ExchangeStats stats;
  SP_CO_TRY(auto const exchange, co_await connector.open(std::move(dispatch), stats));
  std::size_t size = 0;
  while (true) {
    SP_CO_TRY(auto const piece, co_await exchange->read());
    if (piece.empty()) co_return size;
    size += piece.size();
  }
}

Async<void> repeat(egress::Connector& connector, Load& load) {
  while (Clock::now() < load.until) {
    auto dispatch = load.dispatch;
    dispatch.deadline = Deadline::in(std::chrono::seconds{30});
    auto const begun = Clock::now();
    auto const size = co_await one(connector, std::move(dispatch));
    load.latencies.push_back(
        std::chrono::duration<float, std::micro>(Clock::now() - begun).count());
    ++load.requests;
    if (size) {
      load.bytes += *size;
    } else {
      ++load.failures;
      load.last_failure = size.error().message + " " + size.error().detail;
    }
  }
}

float percentile(std::vector<float>& values, double part) {
  auto const at = static_cast<std::size_t>(static_cast<double>(values.size() - 1) * part);
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(at));
  return values[at];
}

double cpu_of_process() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  auto const seconds = [](timeval const& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double cpu_of_this_thread() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

int run(std::string const& address, std::size_t concurrent, int seconds, bool whole) {
  auto const url = url::Url::parse(address);
  if (!url) return 2;
  egress::Guard const guard{
      {.ports = {url->effective_port()}, .open = {*egress::Opening::parse("127.0.0.0/8")}}};
  url::IpAddress const loopback[] = {url::IpAddress::v4({127, 0, 0, 1})};
  auto const judged = guard.judge(*url, loopback);
  if (!judged) return 2;
  auto const connector = *egress::CurlConnector::create({.connections_per_host = concurrent});
  Load load{.dispatch = {.url = *url,
                         .addresses = *judged,
                         .headers = {{"Accept", "*/*"}, {"User-Agent", "curl_floor"}},
                         .whole = whole},
            .until = Clock::now() + std::chrono::seconds{seconds}};
  asio::io_context loop{1};
  for (std::size_t i = 0; i < concurrent; ++i) {
    asio::co_spawn(loop, repeat(*connector, load), [](std::exception_ptr const&) {});
  }
  auto const start = Clock::now();
  loop.run();
  auto const elapsed = std::chrono::duration<double>(Clock::now() - start).count();
  auto const per_request = 1e6 / static_cast<double>(load.requests);
  auto const process = cpu_of_process();
  auto const ours = cpu_of_this_thread();
  fmt::print("{:.0f} requests/s, {:.0f} bytes each, {} failed\n",
             static_cast<double>(load.requests) / elapsed,
             static_cast<double>(load.bytes) / static_cast<double>(load.requests), load.failures);
  fmt::print("p50 {:.0f} us, p99 {:.0f} us\n", percentile(load.latencies, 0.5),
             percentile(load.latencies, 0.99));
  fmt::print("CPU {:.1f} us/request: curl thread {:.1f}, caller's loop {:.1f}\n",
             process * per_request, (process - ours) * per_request, ours * per_request);
  if (load.failures > 0) fmt::print("{}\n", load.last_failure);
  return load.failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace sallyport

int main(int count, char** words) {
  if (count < 2) {
    fmt::print(stderr, "curl_floor URL [concurrent] [seconds] [whole|stream]\n");
    return 2;
  }
  auto const number = [&](int at, int otherwise) {
    return count > at ? std::atoi(words[at]) : otherwise;  // NOLINT(cert-err34-c)
  };
  return sallyport::run(words[1], static_cast<std::size_t>(number(2, 64)), number(3, 5),
                        count <= 4 || std::string_view{words[4]} == "whole");
}
