#include "src/pipeline/simulation.hpp"

#include "src/audit/null_sink.hpp"
#include "src/pipeline/egress_road.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace sallyport::pipeline {
namespace {

std::string text_of(json::Object const& object, std::string_view key) {
  auto const* text = json::find_string(object, key);
  return text == nullptr ? std::string{} : std::string{json::view(*text)};
}

bool flag_of(json::Object const& object, std::string_view key) {
  auto const* flag = object.if_contains(key);
  return flag != nullptr && flag->is_bool() && flag->get_bool();
}

std::vector<url::IpAddress> addresses_in(json::Value const& list) {
  std::vector<url::IpAddress> addresses;
  if (!list.is_array()) return addresses;
  for (auto const& item : list.get_array()) {
    if (!item.is_string()) continue;
    if (auto const address = url::IpAddress::parse(json::view(item.get_string()))) {
      addresses.push_back(*address);
    }
  }
  return addresses;
}

void add_headers(json::Object const& vector, std::string_view key, http::Headers& headers) {
  auto const* fields = json::find_object(vector, key);
  if (fields == nullptr) return;
  for (auto const& [name, value] : *fields) {
    if (value.is_string()) {
      headers.add(std::string{name}, std::string{json::view(value.get_string())});
    }
  }
}

// Answers per look-up: `resolve_sequence` one after the other (the last one stays), `resolve`
// always.
class ScriptedResolver final : public egress::Resolver {
 public:
  explicit ScriptedResolver(json::Object const& vector) {
    if (auto const* names = json::find_object(vector, "resolve")) {
      for (auto const& [name, list] : *names) answers_[name].push_back(addresses_in(list));
    }
    if (auto const* names = json::find_object(vector, "resolve_sequence")) {
      for (auto const& [name, turns] : *names) {
        if (!turns.is_array()) continue;
        for (auto const& list : turns.get_array()) answers_[name].push_back(addresses_in(list));
      }
    }
  }

  Task<std::vector<url::IpAddress>> resolve(std::string host, Deadline) override {
    auto const found = answers_.find(host);
    auto const turn = asked_[host]++;
    if (found == answers_.end() || found->second.empty()) {
      co_return fail(Errc::UpstreamFailed, fmt::format("The name {} does not exist.", host));
    }
    auto const& turns = found->second;
    co_return turns[std::min(turn, turns.size() - 1)];
  }

  // The first answer for a name: where a vector says that only this name may be reached.
  std::vector<url::IpAddress> first_of(std::string const& host) const {
    auto const found = answers_.find(host);
    return found == answers_.end() ? std::vector<url::IpAddress>{} : found->second.front();
  }

 private:
  std::map<std::string, std::vector<std::vector<url::IpAddress>>, std::less<>> answers_;
  std::map<std::string, std::size_t, std::less<>> asked_;
};

class ScriptedExchange final : public egress::Exchange {
 public:
  ScriptedExchange(egress::ResponseHead head, std::string body, egress::ExchangeStats stats)
      : head_{std::move(head)}, body_{std::move(body)}, stats_{std::move(stats)} {}

  egress::ResponseHead& head() noexcept override { return head_; }
  Task<std::string> read() override { co_return std::exchange(body_, {}); }
  egress::ExchangeStats stats() const override { return stats_; }

 private:
  egress::ResponseHead head_;
  std::string body_;
  egress::ExchangeStats stats_;
};

// What one vector's origins answer, and what they saw.
class ScriptedOrigin final : public egress::Connector {
 public:
  explicit ScriptedOrigin(json::Object const& vector) : vector_{vector} {}

  Task<std::unique_ptr<egress::Exchange>> open(egress::Dispatch dispatch,
                                               egress::ExchangeStats& stats) override {
    stats.connected_address = dispatch.addresses.all().front().to_string();
    dialled.insert(stats.connected_address);
    // The check before a page, unless it is what the vector is about.
    bool const robots = dispatch.url.path() == "/robots.txt" &&
                        text_of(vector_, "input").find("/robots.txt") == std::string::npos;
    if (robots) co_return answer({.status = 404}, {}, stats);
    last_headers = dispatch.headers;
    egress::ResponseHead head{.status = 200};
    if (auto const* redirect = next_redirect()) {
      auto const* status = redirect->if_contains("status");
      if (status != nullptr && status->is_int64())
        head.status = static_cast<int>(status->get_int64());
      head.headers.add("Location", text_of(*redirect, "location"));
    }
    add_headers(vector_, "response_headers", head.headers);
    co_return answer(std::move(head), text_of(vector_, "response_body"), stats);
  }

  std::set<std::string> dialled;
  http::Headers last_headers;

 private:
  static std::unique_ptr<egress::Exchange> answer(egress::ResponseHead head, std::string body,
                                                  egress::ExchangeStats const& stats) {
    return std::make_unique<ScriptedExchange>(std::move(head), std::move(body), stats);
  }

  json::Object const* next_redirect() {
    auto const* redirects = json::find_array(vector_, "redirect");
    if (redirects == nullptr || redirects->empty()) return nullptr;
    auto const index = flag_of(vector_, "loop") ? turn_ % redirects->size() : turn_;
    ++turn_;
    if (index >= redirects->size()) return nullptr;
    auto const& entry = (*redirects)[index];
    return entry.is_object() ? &entry.get_object() : nullptr;
  }

  json::Object const& vector_;
  std::size_t turn_{0};
};

// "8.8.8.8 or none", "pub.example only": the addresses that this names.
std::set<std::string> named_addresses(std::string_view text, ScriptedResolver const& resolver) {
  std::set<std::string> addresses;
  while (!text.empty()) {
    auto const end = std::min(text.find(' '), text.size());
    std::string const word{text.substr(0, end)};
    text.remove_prefix(std::min(end + 1, text.size()));
    if (auto const address = url::IpAddress::parse(word)) addresses.insert(address->to_string());
    for (auto const& address : resolver.first_of(word)) addresses.insert(address.to_string());
  }
  return addresses;
}

std::optional<std::string> kept_header(json::Object const& vector, http::Headers const& sent) {
  auto const* names = json::find_array(vector, "expect_headers_absent_after_redirect");
  if (names == nullptr) return std::nullopt;
  for (auto const& name : *names) {
    if (!name.is_string()) continue;
    if (sent.find(json::view(name.get_string())) != nullptr) {
      return std::string{json::view(name.get_string())};
    }
  }
  return std::nullopt;
}

void judge(json::Object const& vector, Result<OutboundAnswer> const& outcome,
           ScriptedOrigin const& origin, ScriptedResolver const& resolver, Simulated& result) {
  auto const blocked = std::string{"block"};
  result.verdict = outcome ? "allow" : blocked;
  result.reason = outcome ? fmt::format("sent to {}", fmt::join(origin.dialled, ", "))
                          : outcome.error().message;
  auto const limit = text_of(vector, "expect_connect");
  if (!limit.empty()) {
    auto const allowed = named_addresses(limit, resolver);
    if (!std::ranges::includes(allowed, origin.dialled)) {
      result.verdict = "allow";
      result.reason = fmt::format("dialled {}", fmt::join(origin.dialled, ", "));
    } else if (outcome && result.expect == blocked) {
      result.verdict = blocked;
      result.reason = fmt::format("nothing but {} was dialled", fmt::join(origin.dialled, ", "));
    }
  }
  if (auto const name = kept_header(vector, origin.last_headers)) {
    result.verdict = "leak";
    result.reason = fmt::format("the header {} went along to another origin", *name);
  }
  result.passed = result.verdict == result.expect || flag_of(vector, "either");
}

}  // namespace

Task<Simulated> simulate(SimulationParts const& parts, json::Object const& vector) {
  Simulated result{.input = text_of(vector, "input"), .expect = text_of(vector, "expect")};
  ScriptedOrigin origin{vector};
  Limiter limiter{{}};
  audit::NullSink log;
  auto own_resolver = std::make_unique<ScriptedResolver>(vector);
  auto const& resolver = *own_resolver;
  std::vector<std::unique_ptr<egress::Resolver>> resolvers;
  resolvers.push_back(std::move(own_resolver));
  EgressRoad road{{.guard = parts.guard,
                   .connector = origin,
                   .policy = parts.policy,
                   .injector = parts.injector,
                   .limiter = limiter,
                   .audit = log},
                  parts.loops,
                  std::move(resolvers)};

  RequestContext const nobody;
  Passage const passage{
      .request = &nobody, .operation = "fetch", .purpose = "fetch", .tool = "fetch"};
  OutboundRequest request{
      .url = result.input, .max_redirects = parts.max_redirects, .robots = parts.robots};
  add_headers(vector, "headers", request.headers);
  auto const outcome = co_await road.send(passage, std::move(request));
  judge(vector, outcome, origin, resolver, result);
  co_return result;
}

}  // namespace sallyport::pipeline
