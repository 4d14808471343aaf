// What a source is asked: whether something may be sent, or asked of an MCP server.
#pragma once

#include "src/policy/evaluator.hpp"

#include <string>
#include <variant>

namespace sallyport::policy {

// For the life of the query it is about, which it stands for: hence made without a word.
class Question {
 public:
  Question(Query const& query) : about_{&query} {}     // NOLINT(google-explicit-constructor)
  Question(McpQuery const& query) : about_{&query} {}  // NOLINT(google-explicit-constructor)

  // The one or the other; nullptr where it is about the other.
  Query const* sending() const noexcept;
  McpQuery const* asking() const noexcept;

  RequestContext const& request() const noexcept;
  // Where it is about no tool, the method that is asked for.
  std::string_view tool() const noexcept;
  std::string_view server() const noexcept;
  Deadline deadline() const noexcept;
  bool for_policy() const noexcept;
  // For the log, without secrets: an origin, or a tool. The URI of a resource may hold some.
  std::string subject() const;

 private:
  std::variant<Query const*, McpQuery const*> about_;
};

}  // namespace sallyport::policy
