#include "src/policy/redaction.hpp"

#include "src/json/write.hpp"

#include <algorithm>
#include <array>

namespace sallyport::policy {
namespace {

constexpr std::size_t kShortestSecret = 8;
constexpr std::array<std::string_view, 3> kCredentialHeaders{"authorization", "cookie",
                                                             "proxy-authorization"};

std::string in_json(std::string_view text) {
  std::string quoted;
  json::write_string(text, quoted);
  return quoted.substr(1, quoted.size() - 2);
}

void replace_all(std::string& text, std::string_view wanted) {
  for (auto at = text.find(wanted); at != std::string::npos; at = text.find(wanted, at)) {
    text.replace(at, wanted.size(), kRedacted);
    at += kRedacted.size();
  }
}

}  // namespace

bool is_secret_header(Query const& query, std::string_view name) {
  auto const is_it = [&](std::string_view each) { return http::equals_ignoring_case(each, name); };
  return std::ranges::any_of(kCredentialHeaders, is_it) ||
         std::ranges::any_of(query.injected, is_it);
}

void Redaction::apply(std::string& text) {
  if (text.empty()) return;
  if (!collected_) collect();
  for (auto const& secret : secrets_) replace_all(text, secret);
}

void Redaction::collect() {
  collected_ = true;
  for (auto const& field : query_.headers) {
    if (!is_secret_header(query_, field.name)) continue;
    add(field.value);
    auto const blank = field.value.find(' ');
    if (blank != std::string::npos) add(std::string_view{field.value}.substr(blank + 1));
  }
}

void Redaction::add(std::string_view secret) {
  if (secret.size() < kShortestSecret) return;
  secrets_.emplace_back(secret);
  if (auto escaped = in_json(secret); escaped != secret) secrets_.push_back(std::move(escaped));
}

}  // namespace sallyport::policy
