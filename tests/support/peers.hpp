// Servers that we did not write, run by Node from tests/peers.
//
//   SP_START_PEER(peer, "oidc_provider.mjs", {});  // skips the test where they are not installed
//   auto const issuer = peer->line();
#pragma once

#include "tests/support/child_process.hpp"
#include "tests/support/not_tested.hpp"

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sallyport::test {

inline std::string peers_directory() {
  auto const* chosen = std::getenv("TEST_PEERS_DIR");  // NOLINT(concurrency-mt-unsafe)
  return chosen != nullptr ? chosen : SALLYPORT_TESTS_DIR "/../build/peers";
}

// Null where the peers are not installed.
inline std::unique_ptr<ChildProcess> start_peer(std::string const& script,
                                                std::vector<std::string> variables = {}) {
  std::string const tests = SALLYPORT_TESTS_DIR;
  auto const node = peers_directory() + "/node";
  if (!std::filesystem::exists(node)) return nullptr;
  return std::make_unique<ChildProcess>(
      std::vector<std::string>{node, "--import", tests + "/peers/resolve.mjs",
                               tests + "/peers/" + script},
      std::move(variables));
}

}  // namespace sallyport::test

#define SP_START_PEER(peer, script, ...)                       \
  (peer) = ::sallyport::test::start_peer(script, __VA_ARGS__); \
  if (!(peer)) SP_NOT_TESTED("the peers are not installed: run tests/peers/install.")
