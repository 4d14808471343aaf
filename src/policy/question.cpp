#include "src/policy/question.hpp"

#include <fmt/format.h>

namespace sallyport::policy {

Query const* Question::sending() const noexcept {
  auto const* const query = std::get_if<Query const*>(&about_);
  return query == nullptr ? nullptr : *query;
}

McpQuery const* Question::asking() const noexcept {
  auto const* const query = std::get_if<McpQuery const*>(&about_);
  return query == nullptr ? nullptr : *query;
}

RequestContext const& Question::request() const noexcept {
  return std::visit([](auto const* query) -> RequestContext const& { return query->request; },
                    about_);
}

std::string_view Question::tool() const noexcept {
  auto const* const query = asking();
  return query == nullptr ? sending()->tool : tool_of(*query);
}

std::string_view Question::server() const noexcept {
  return std::visit([](auto const* query) { return query->server; }, about_);
}

Deadline Question::deadline() const noexcept {
  return std::visit([](auto const* query) { return query->deadline; }, about_);
}

bool Question::for_policy() const noexcept {
  auto const* const query = sending();
  return query != nullptr && query->for_policy;
}

std::string Question::subject() const {
  if (auto const* const query = sending()) return query->url.origin();
  auto const& query = *asking();
  auto const noun = words_of(query.operation).noun;
  if (query.operation == McpOperation::ReadResource) return fmt::format("{} of {}", noun, server());
  return fmt::format("{} {} of {}", noun, query.name, server());
}

}  // namespace sallyport::policy
