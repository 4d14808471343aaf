#include "src/pipeline/simulation.hpp"

#include "src/audit/null_sink.hpp"
#include "src/json/write.hpp"
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

// Something went where the vector says that it must not: right for no expectation.
constexpr std::string_view kLeak = "leak";

std::string text_of(json::Object const& object, std::string_view key) {
  auto const* text = json::find_string(object, key);
  return text == nullptr ? std::string{} : std::string{json::view(*text)};
}

bool flag_of(json::Object const& object, std::string_view key) {
  auto const* flag = object.if_contains(key);
  return flag != nullptr && flag->is_bool() && flag->get_bool();
}

// Where one would do, vectors leave the list out.
json::Array listed(json::Value const* value) {
  if (value == nullptr || value->is_null()) return {};
  return value->is_array() ? value->get_array() : json::Array{*value};
}

// The words of a text, or of a list of texts: "A, B" and ["A", "B"] are the same.
std::vector<std::string> words_in(json::Value const* value) {
  constexpr std::string_view kBetween = " ,;";
  std::vector<std::string> words;
  for (auto const& item : listed(value)) {
    if (!item.is_string()) continue;
    std::string_view text = json::view(item.get_string());
    while (!text.empty()) {
      auto const end = std::min(text.find_first_of(kBetween), text.size());
      if (end > 0) words.emplace_back(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }
  return words;
}

// A zone is no part of what DNS answers, but of how some print it.
Result<url::IpAddress> address_in(json::Value const& item) {
  std::string_view const text = item.is_string() ? json::view(item.get_string()) : "";
  auto const address = url::IpAddress::parse(text.substr(0, text.find('%')));
  if (address) return *address;
  return fail(Errc::UpstreamFailed,
              fmt::format("The vector resolves a name to {}, which is not an address.",
                          json::to_text(item)));
}

Result<std::vector<url::IpAddress>> addresses_in(json::Value const& list) {
  std::vector<url::IpAddress> addresses;
  for (auto const& item : listed(&list)) {
    SP_TRY(auto const address, address_in(item));
    addresses.push_back(address);
  }
  return addresses;
}

// As the road asks for it.
std::string as_asked(std::string_view name) {
  if (name.ends_with('.')) name.remove_suffix(1);
  auto const ascii = url::domain_to_ascii(name);
  return ascii ? *ascii : std::string{name};
}

void add_header(std::string_view name, json::Value const& values, http::Headers& headers) {
  for (auto const& value : listed(&values)) {
    headers.add(std::string{name}, value.is_string() ? std::string{json::view(value.get_string())}
                                                     : json::to_text(value));
  }
}

// A record, whose values may be lists, or [name, value] pairs.
void add_headers(json::Object const& vector, std::string_view key, http::Headers& headers) {
  if (auto const* fields = json::find_object(vector, key)) {
    for (auto const& [name, value] : *fields) add_header(name, value, headers);
  }
  auto const* pairs = json::find_array(vector, key);
  if (pairs == nullptr) return;
  for (auto const& pair : *pairs) {
    bool const good =
        pair.is_array() && pair.get_array().size() == 2 && pair.get_array().front().is_string();
    if (!good) continue;
    auto const& both = pair.get_array();
    add_header(json::view(both[0].get_string()), both[1], headers);
  }
}

// Answers per look-up: `resolve_sequence` one after the other (the last one stays), `resolve`
// always.
class ScriptedResolver final : public egress::Resolver {
 public:
  explicit ScriptedResolver(json::Object const& vector) {
    if (auto const* names = json::find_object(vector, "resolve")) {
      for (auto const& [name, list] : *names) {
        answers_[as_asked(name)].push_back(addresses_in(list));
      }
    }
    if (auto const* names = json::find_object(vector, "resolve_sequence")) {
      for (auto const& [name, turns] : *names) {
        for (auto const& list : listed(&turns)) {
          answers_[as_asked(name)].push_back(addresses_in(list));
        }
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
    auto const found = answers_.find(as_asked(host));
    bool const known = found != answers_.end() && found->second.front();
    return known ? *found->second.front() : std::vector<url::IpAddress>{};
  }

 private:
  using Answer = Result<std::vector<url::IpAddress>>;

  std::map<std::string, std::vector<Answer>, std::less<>> answers_;
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
    if (auto const redirect = next_redirect()) {
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

  std::optional<json::Object> next_redirect() {
    auto const redirects = listed(vector_.if_contains("redirect"));
    if (redirects.empty()) return std::nullopt;
    auto const index = flag_of(vector_, "loop") ? turn_ % redirects.size() : turn_;
    ++turn_;
    if (index >= redirects.size() || !redirects[index].is_object()) return std::nullopt;
    return redirects[index].get_object();
  }

  json::Object const& vector_;
  std::size_t turn_{0};
};

// "8.8.8.8 or none", "pub.example only": the addresses that this names.
std::set<std::string> named_addresses(std::vector<std::string> const& words,
                                      ScriptedResolver const& resolver) {
  std::set<std::string> addresses;
  for (auto const& word : words) {
    if (auto const address = url::IpAddress::parse(word)) addresses.insert(address->to_string());
    for (auto const& address : resolver.first_of(word)) addresses.insert(address.to_string());
  }
  return addresses;
}

std::optional<std::string> kept_header(json::Object const& vector, http::Headers const& sent) {
  for (auto& name : words_in(vector.if_contains("expect_headers_absent_after_redirect"))) {
    if (sent.find(name) != nullptr) return std::move(name);
  }
  return std::nullopt;
}

void judge(json::Object const& vector, Result<OutboundAnswer> const& outcome,
           ScriptedOrigin const& origin, ScriptedResolver const& resolver, Simulated& result) {
  auto const blocked = std::string{"block"};
  result.verdict = outcome ? "allow" : blocked;
  result.reason = outcome ? fmt::format("sent to {}", fmt::join(origin.dialled, ", "))
                          : outcome.error().message;
  auto const limit = words_in(vector.if_contains("expect_connect"));
  if (!limit.empty()) {
    auto const allowed = named_addresses(limit, resolver);
    if (!std::ranges::includes(allowed, origin.dialled)) {
      result.verdict = kLeak;
      result.reason = fmt::format("dialled {}", fmt::join(origin.dialled, ", "));
    } else if (outcome && result.expect == blocked) {
      result.verdict = blocked;
      result.reason = fmt::format("nothing but {} was dialled", fmt::join(origin.dialled, ", "));
    }
  }
  if (auto const name = kept_header(vector, origin.last_headers)) {
    result.verdict = kLeak;
    result.reason = fmt::format("the header {} went along to another origin", *name);
  }
  bool const either = flag_of(vector, "either") && result.verdict != kLeak;
  result.passed = result.verdict == result.expect || either;
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
                   .audit = log,
                   .fetch_tokens = false},
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
