// A call as policies see it: the `input` document.
#pragma once

#include "src/policy/evaluator.hpp"
#include "src/rego/value.hpp"

namespace sallyport::policy {

enum class Secrets {
  Shown,     // for policies that are evaluated here
  Redacted,  // for others: injected values, and the headers that carry credentials by their nature
};

// `operation`, `url`, `method` (in upper case), `headers`, `url_parsed`; `principal`, `client`,
// `session`, `tool`, `server`, `purpose`, `hop`, `injection`. Texts are those of the query, so it
// must outlive the value.
rego::Value make_input(Query const& query, Secrets secrets, rego::Arena& arena);

}  // namespace sallyport::policy
