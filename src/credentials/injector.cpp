#include "src/credentials/injector.hpp"

#include "src/http/chars.hpp"

#include <algorithm>

namespace sallyport::credentials {
namespace {

class FixedSource final : public Source {
 public:
  explicit FixedSource(Secret value) : value_{std::move(value)} {}

  Task<Secret> value(RequestContext const&) override { co_return value_; }

 private:
  Secret value_;
};

bool reaches(Rule const& rule, url::Url const& url, std::string_view method) {
  // SECURITY: a rule that names no host is never sent anywhere, and a secret goes over TLS unless
  // the operator said otherwise.
  if (rule.reach.hosts.empty()) return false;
  if (rule.reach.schemes.empty() && url.scheme() != "https" && url.scheme() != "wss") return false;
  return rule.reach.holds(url, method);
}

// SECURITY: a source outside may give anything; a line break would be a header of its own.
bool is_sendable(Secret const& value) noexcept {
  return !value.empty() && http::is_field_value(value.reveal());
}

bool among(std::vector<std::string> const& names, std::string_view name) {
  return std::ranges::any_of(
      names, [&](std::string const& one) { return http::equals_ignoring_case(one, name); });
}

}  // namespace

Async<Injection> Injector::inject(url::Url const& url, std::string_view method,
                                  RequestContext const& request, http::Headers& headers) const {
  Injection injection;
  for (auto const& rule : rules_) {
    if (!reaches(rule, url, method) || among(injection.added, rule.header)) continue;
    if (!rule.override_caller && headers.find(rule.header) != nullptr) continue;
    auto value = co_await capture(rule.source->value(request));
    if (value && is_sendable(*value)) {
      headers.set(rule.header, value->reveal());
      injection.added.push_back(rule.header);
      continue;
    }
    injection.failed.push_back(rule.name.empty() ? rule.header : rule.name);
    injection.refuse |= rule.on_failure == OnFailure::Refuse;
  }
  co_return injection;
}

std::shared_ptr<Source> fixed_source(Secret value) {
  return std::make_shared<FixedSource>(std::move(value));
}

}  // namespace sallyport::credentials
