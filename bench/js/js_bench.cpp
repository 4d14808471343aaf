// What a script costs before it does anything: from the order to fork to its answer, and how many a
// machine does in a second.
#include "tests/support/js_sandbox.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>
#include <thread>
#include <vector>

namespace {

using sallyport::test::JsSandbox;
using sallyport::test::RunPeer;
using Clock = std::chrono::steady_clock;

double since_us(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

void wait_for_end(JsSandbox& sandbox) {
  if (!sandbox.message()) std::exit(1);
}

// One after the other: fork, run, Done, and then the child's end, which is not part of the time.
void measure_latency(JsSandbox& sandbox, std::string const& code, int runs,
                     std::chrono::milliseconds pause = {}) {
  std::vector<double> times;
  for (int i = 0; i < runs; ++i) {
    auto const start = Clock::now();
    auto peer = sandbox.fork();
    if (!peer.run_to_end(code).is_done()) std::exit(1);
    times.push_back(since_us(start));
    wait_for_end(sandbox);
    if (pause.count() > 0) std::this_thread::sleep_for(pause);
  }
  std::sort(times.begin(), times.end());
  auto const at = [&](double share) {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
  };
  std::printf("fork to Done, µs: min %.0f  p50 %.0f  p90 %.0f  p99 %.0f   %s%s\n", at(0), at(0.5),
              at(0.9), at(0.99), code.c_str(), pause.count() > 0 ? "   (with pauses)" : "");
}

// The same child again and again: what is left when nothing is forked.
void measure_session(JsSandbox& sandbox, std::string const& code, int runs) {
  auto peer = sandbox.fork();
  auto const start = Clock::now();
  for (int i = 0; i < runs; ++i) {
    if (!peer.run_in_session(code).is_done()) std::exit(1);
  }
  std::printf("next run of a session: %.0f µs   %s\n", since_us(start) / runs, code.c_str());
  peer.close();
  wait_for_end(sandbox);
}

void measure_throughput(JsSandbox& sandbox, std::size_t at_a_time, int runs) {
  std::deque<RunPeer> peers;
  auto const begin_one = [&] {
    peers.push_back(sandbox.fork());
    peers.back().run({.code = "1 + 1"});
  };
  auto const start = Clock::now();
  for (std::size_t i = 0; i < at_a_time; ++i) begin_one();
  for (int done = 0; done < runs; ++done) {
    if (!peers.front().answer().is_done()) std::exit(1);
    peers.pop_front();
    begin_one();
    wait_for_end(sandbox);
  }
  std::printf("%zu at a time: %.0f runs/s\n", at_a_time, runs / (since_us(start) / 1e6));
  while (!peers.empty()) {
    peers.front().answer();
    peers.pop_front();
    wait_for_end(sandbox);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("js_bench PROGRAM [runs]\n", stderr);
    return 2;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  int const runs = argc > 2 ? std::atoi(argv[2]) : 1000;
  JsSandbox sandbox{argv[1]};
  if (sandbox.ready().empty()) return 1;
  measure_latency(sandbox, "1 + 1", runs / 10);  // warm
  measure_latency(sandbox, "1 + 1", runs);
  measure_latency(sandbox, "1 + 1", runs, std::chrono::milliseconds{10});
  measure_latency(
      sandbox, "let s = 0; for (let i = 0; i < 1e5; i++) s += Math.sqrt(i); await null; s", runs);
  measure_session(sandbox, "1 + 1", runs);
  measure_throughput(sandbox, 1, runs);
  measure_throughput(sandbox, 2, runs);
  measure_throughput(sandbox, 8, runs);
}
