#include "src/credentials/injector.hpp"

#include "src/http/chars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sallyport::credentials {
namespace {

bool reaches(Rule const& rule, url::Url const& url, std::string_view method) {
  // SECURITY: a rule that names no host is never sent anywhere, and a secret goes over TLS unless
  // the operator said otherwise.
  if (rule.reach.hosts.empty()) return false;
  if (rule.reach.schemes.empty() && url.scheme() != "https" && url.scheme() != "wss") return false;
  return rule.reach.holds(url, method);
}

// SECURITY: a source outside may give anything; a line break would be a header of its own.
Result<Secret> sendable(Result<Secret> value) {
  if (value && (value->empty() || !http::is_field_value(value->reveal()))) {
    return fail(Errc::CredentialUnavailable, "The value cannot be sent in a header.");
  }
  return value;
}

bool among(std::vector<std::string> const& names, std::string_view name) {
  return std::ranges::any_of(
      names, [&](std::string const& one) { return http::equals_ignoring_case(one, name); });
}

std::string const& name_of(Rule const& rule) {
  return rule.name.empty() ? rule.header : rule.name;
}

std::string refusal_of(Rule const& rule, url::Url const& url, Error const& error) {
  return fmt::format("{} for {} (rule \"{}\"): {}", rule.header, url.host().value_or(""),
                     name_of(rule), error.message);
}

template <class T>
void append(std::vector<T>& to, std::vector<T>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

void Injection::join(Injection other) {
  append(added, other.added);
  append(by, other.by);
  append(failed, other.failed);
  append(refusals, other.refusals);
  append(renewable_, other.renewable_);
  if (other.interrupted) interrupted = std::move(other.interrupted);
}

Async<bool> Injection::renew(Ask const& ask) const {
  bool renewed = false;
  for (auto const& [source, value] : renewable_) {
    bool const another = co_await source->renew(value, ask);
    renewed = renewed || another;
  }
  co_return renewed;
}

Async<Injection> Injector::inject(url::Url const& url, std::string_view method, Ask const& ask,
                                  http::Headers& headers) const {
  Injection injection;
  for (auto const& rule : rules_) {
    if (!reaches(rule, url, method) || among(injection.added, rule.header)) continue;
    if (!rule.override_caller && headers.find(rule.header) != nullptr) continue;
    auto asked = co_await capture(rule.source->value(ask));
    auto value = sendable(std::move(asked));
    if (value) {
      headers.set(rule.header, value->reveal());
      injection.added.push_back(rule.header);
      injection.by.push_back(name_of(rule));
      if (rule.source->renews()) injection.renewable_.push_back({rule.source, std::move(*value)});
      continue;
    }
    auto const& error = value.error();
    if (error.code == Errc::Cancelled || error.code == Errc::DeadlineExceeded) {
      injection.interrupted = error;
      break;
    }
    injection.failed.push_back(name_of(rule));
    if (rule.on_failure == OnFailure::Refuse) {
      injection.refusals.push_back(refusal_of(rule, url, error));
    }
  }
  co_return injection;
}

}  // namespace sallyport::credentials
