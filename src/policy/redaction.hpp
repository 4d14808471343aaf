// Takes the values of credentials out of what a policy says of a call.
//
// A policy in a file sees them, so that it can require one. What it says in turn (reasons, errors
// of built-in functions that repeat their operand) goes to the caller, the audit log and the log.
#pragma once

#include "src/policy/evaluator.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::policy {

// What stands for a value that is not shown.
inline constexpr std::string_view kRedacted = "[redacted]";

// Whether others than a policy of the operator's own may not see the header's value: a rule added
// it, or it is one that always has credentials.
bool is_secret_header(Query const& query, std::string_view name);

// For the life of `query`.
class Redaction {
 public:
  explicit Redaction(Query const& query) : query_{query} {}

  // Found are a value as it is and as JSON writes it, with and without the word before its first
  // blank ("Bearer "). What is shorter than 8 characters is no secret, and would be found
  // everywhere.
  void apply(std::string& text);

 private:
  void collect();
  void add(std::string_view secret);

  Query const& query_;
  bool collected_{false};  // most policies say nothing
  std::vector<std::string> secrets_;
};

}  // namespace sallyport::policy
