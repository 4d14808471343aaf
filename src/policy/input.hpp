// A call as policies see it: the `input` document.
#pragma once

#include "src/policy/question.hpp"
#include "src/rego/value.hpp"

namespace sallyport::policy {

enum class Secrets {
  Shown,     // for policies that are evaluated here
  Redacted,  // for others: injected values, and the headers that carry credentials by their nature
};

// Of a request: `operation`, `url`, `method` (in upper case), `headers`, `url_parsed`; `principal`,
// `client`, `session`, `tool`, `server`, `purpose`, `hop`, `injection`. Of what is asked of an MCP
// server: `operation`, `server`, `tool` or `prompt` with `arguments`, or `uri`; `principal`,
// `client`, `session`, `purpose`. Texts are those of the query, so it must outlive the value.
rego::Value make_input(Question question, Secrets secrets, rego::Arena& arena);

}  // namespace sallyport::policy
