// What an answer to a query lists.
#pragma once

#include "src/rego/check/context.hpp"

namespace sallyport::rego::check {

// Rewrites the expressions of a query so that their values can be listed: `data.a` becomes
// eq(data.a, x), f(1) becomes f(1, x). Returns for each the variable x, or null where the answer
// lists `true`. Where there is more than one expression, or one that iterates, an expression whose
// value is false fails.
std::vector<Term const*> capture_values(Context& context, Body& query);

}  // namespace sallyport::rego::check
