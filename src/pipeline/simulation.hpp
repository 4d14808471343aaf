// The road out over a made-up network: a resolver that answers as a vector says, and an origin that
// does. Everything between them is the real thing.
//
// For `sallyport check --simulate`: one JSON object per vector, with the URL in `input`, the
// verdict that is expected in `expect` (`block` or `allow`), and what the network does in
// `resolve`, `resolve_sequence`, `redirect`, `loop`, `headers`, `response_headers` and
// `response_body`.
#pragma once

#include "src/base/event_loops.hpp"
#include "src/credentials/injector.hpp"
#include "src/egress/guard.hpp"
#include "src/json/value.hpp"
#include "src/policy/evaluator.hpp"

#include <string>
#include <string_view>

namespace sallyport::pipeline {

struct SimulationParts {
  egress::Guard const& guard;
  policy::Evaluator& policy;
  credentials::Injector const& injector;
  EventLoops const& loops;
  std::size_t max_redirects{5};
  bool robots{true};
};

struct Simulated {
  std::string input;
  std::string expect;
  std::string verdict;  // "block", "allow", or "leak": sent where the vector forbids it
  std::string reason;
  bool passed{false};
};

// On loop 0. A vector that names with `expect_connect` which addresses may be dialled asks whether
// any other was: `block` means none was, whether or not the call itself was refused.
Task<Simulated> simulate(SimulationParts const& parts, json::Object const& vector);

}  // namespace sallyport::pipeline
