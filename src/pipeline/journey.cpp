#include "src/pipeline/journey.hpp"

#include "src/base/ascii.hpp"
#include "src/base/log.hpp"
#include "src/http/chars.hpp"
#include "src/pipeline/caller_headers.hpp"
#include "src/pipeline/passage_record.hpp"
#include "src/pipeline/robots_fetch.hpp"
#include "src/pipeline/socket_url.hpp"
#include "src/pipeline/spelling.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace sallyport::pipeline {
namespace {

// Of a body that nobody wants.
constexpr std::size_t kWorthReading = 64UL * 1024;
// As long as any program runs.
constexpr std::chrono::hours kForever{24 * 365};

std::vector<std::string> names_of(http::Headers const& headers) {
  std::vector<std::string> names;
  names.reserve(headers.size());
  for (auto const& field : headers) names.push_back(lowered(field.name));
  return names;
}

std::vector<std::string> texts_of(std::vector<url::IpAddress> const& addresses) {
  std::vector<std::string> texts;
  texts.reserve(addresses.size());
  for (auto const& address : addresses) texts.push_back(address.to_string());
  return texts;
}

// A dot at the end says that a name is complete; all of ours are.
std::string dns_name(std::string const& host) {
  return host.ends_with('.') ? host.substr(0, host.size() - 1) : host;
}

std::string joined(std::vector<std::string> const& parts) {
  return fmt::format("{}", fmt::join(parts, "; "));
}

// "Authorization (shop)": the header and its rule.
std::string added_by_rules(credentials::Injection const& injection) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < injection.added.size(); ++i) {
    texts.push_back(fmt::format("{} ({})", injection.added[i], injection.by[i]));
  }
  return joined(texts);
}

}  // namespace

Journey::Journey(RoadParts const& parts, egress::Resolver& resolver, Helpers helpers,
                 Passage const& passage, OutboundRequest request, Manner manner)
    : parts_{parts},
      resolver_{resolver},
      helpers_{helpers},
      passage_{passage},
      request_{std::move(request)},
      manner_{manner},
      deadline_{std::min(passage.request->deadline.at, started_ + request_.timeout)},
      stream_deadline_{request_.stream_timeout ? std::min(passage.request->deadline.at,
                                                          started_ + *request_.stream_timeout)
                                               : passage.request->deadline.at},
      own_guard_{request_.open.empty() ? std::nullopt
                                       : std::optional{parts.guard.with_openings(request_.open)}},
      guard_{own_guard_ ? *own_guard_ : parts.guard},
      record_{passage_record(passage)} {
  if (request_.upload) request_.upload->limit(request_.request_bytes);
}

// Whatever happened, nobody waits any longer to write.
Journey::~Journey() {
  if (!request_.upload) return;
  request_.upload->disconnect(
      fail(Errc::Cancelled, "The request is over; the rest of its body is not sent."));
}

Task<Arrival> Journey::run() {
  SP_CO_CHECK(check_shape());
  SP_CO_TRY(auto first, parse());
  Hop hop{request_.method, std::move(first), std::move(request_.headers), std::move(request_.body)};
  for (;;) {
    begin_hop(hop);
    auto headers = hop.headers;
    SP_CO_TRY(auto addresses, co_await pass_stages(hop, headers));
    SP_CO_TRY(auto exchange, co_await transmit(hop, std::move(headers), std::move(addresses)));
    if (exchange->head().status == 401 && !renewed_) {
      renewed_ = co_await renew_credentials();
      if (renewed_) {
        SP_CO_CHECK(co_await leave(*exchange));
        continue;  // the same hop, from the start
      }
    }
    SP_CO_TRY(auto next, follow(hop, exchange->head()));
    if (!next) {
      std::string body;
      if (!is_stream()) {
        SP_CO_TRY(body, co_await read_whole(*exchange));
      }
      echoes_.apply(exchange->head());
      co_return Arrival{std::move(hop.url), std::move(exchange), std::move(body)};
    }
    SP_CO_CHECK(co_await leave(*exchange));
    hop = std::move(*next);
    ++hops_;
  }
}

Async<void> Journey::rehearse(std::vector<Step>& steps) {
  steps_ = &steps;
  auto const outcome = co_await rehearse_stages();
  if (!outcome) steps.push_back({stage_, false, outcome.error().message});
}

Task<void> Journey::rehearse_stages() {
  SP_CO_CHECK(check_shape());
  SP_CO_TRY(auto first, parse());
  Hop hop{request_.method, std::move(first), std::move(request_.headers), std::move(request_.body)};
  begin_hop(hop);
  auto headers = hop.headers;
  SP_CO_TRY(auto addresses, co_await pass_stages(hop, headers));
  enter("send");
  note([&] {
    return fmt::format("{} {} would be sent to {}, port {}.", hop.method, hop.url.href(),
                       addresses.all().front().to_string(), addresses.port());
  });
  co_return Result<void>{};
}

// What can be said of the request before its URL is read.
Result<void> Journey::check_shape() const {
  if (!http::is_token(request_.method)) {
    return fail(Errc::InvalidInput, "The method is not a name such as GET or POST.");
  }
  SP_CHECK(check_caller_headers(request_.headers, {.bytes = request_.header_bytes}));
  auto const size = request_.upload ? request_.upload->size().value_or(0) : request_.body.size();
  if (size > request_.request_bytes) {
    return fail(Errc::LimitExceeded,
                fmt::format("The request body has {} bytes, but at most {} are allowed.", size,
                            request_.request_bytes));
  }
  return {};
}

Result<url::Url> Journey::parse() {
  SP_CHECK(check_spelling(request_.url));
  auto const* base = request_.base ? &*request_.base : nullptr;
  SP_TRY(auto parsed, url::Url::parse(request_.url, base));
  if (manner_ == Manner::Socket) parsed = as_socket_url(parsed);
  note([&] { return fmt::format("It is {}.", parsed.without_credentials().href()); });
  return parsed.without_fragment();
}

Task<egress::JudgedAddresses> Journey::pass_stages(Hop const& hop, http::Headers& headers) {
  if (std::ranges::find(request_.schemes, hop.url.scheme()) == request_.schemes.end()) {
    co_return fail(Errc::EgressBlocked,
                   fmt::format("URLs with the scheme {} are not fetched; use {}.", hop.url.scheme(),
                               fmt::join(request_.schemes, " or ")));
  }
  // A place is the same whether it is reached by HTTP or by WebSocket: for limits and guard.
  auto const place = as_http_url(hop.url);
  SP_CO_CHECK(enter_limits(place));
  SP_CO_CHECK(co_await inject_and_decide(hop, headers));
  enter("guard");
  SP_CO_CHECK(guard_.check_url(place));
  SP_CO_TRY(auto addresses, co_await resolve_and_judge(place));
  if (request_.robots) SP_CO_CHECK(co_await ask_robots(hop.url, headers));
  co_return addresses;
}

Result<void> Journey::enter_limits(url::Url const& url) {
  auto const principal = passage_.request->principal.key();
  Limiter::Ask const ask{
      .principal = principal, .tool = passage_.tool, .url = url, .now = Clock::now()};
  // On behalf of a call that has passed here itself: it must not need a second place, nor be
  // refused for a rate of which that call has just taken the last token.
  if (passage_.purpose == policy::kRobotsPurpose || request_.for_policy) {
    parts_.limiter.count(ask);
    return {};
  }
  if (is_named_by_settings()) return {};  // one token of a source at a time is asked for
  if (std::exchange(keeps_slot_, false)) return {};
  enter("limits");
  slot_ = {};  // that of the hop before
  SP_TRY(slot_, parts_.limiter.enter(ask));
  note([] { return "No limit of rate or number is reached."; });
  return {};
}

// After a 401, where another token can be had: one more attempt, which passes all stages again.
Async<bool> Journey::renew_credentials() {
  bool const renewed = co_await injection_.renew(ask());
  // Renewed it is in any case, for the call after this one.
  bool const again = renewed && !request_.upload;
  keeps_slot_ = again;
  co_return again;
}

Task<void> Journey::inject_and_decide(Hop const& hop, http::Headers& headers) {
  enter("inject");
  if (request_.before_hop) request_.before_hop(hop.url, headers);
  auto const& about = *passage_.request;
  injection_ = {};
  if (request_.inject) {
    injection_ = co_await parts_.injector.inject(hop.url, hop.method, ask(), headers);
  }
  if (request_.inject && request_.credentials != nullptr) {
    auto own = co_await request_.credentials->inject(hop.url, hop.method, ask(), headers);
    injection_.join(std::move(own));
  }
  if (injection_.interrupted) co_return *std::move(injection_.interrupted);
  auto& entry = record_.hops.back();
  entry.header_names = names_of(headers);
  entry.injected = injection_.added;
  for (auto const& name : injection_.added) {
    auto const* value = headers.find(name);
    if (value != nullptr && parts_.mask_echoes) echoes_.add(*value);
  }
  note([&] {
    return injection_.added.empty() ? std::string{"No rule adds a header."}
                                    : fmt::format("Rules add {}.", added_by_rules(injection_));
  });

  enter("policy");
  auto decision = co_await parts_.policy.decide({.operation = passage_.operation,
                                                 .purpose = passage_.purpose,
                                                 .url = hop.url,
                                                 .method = hop.method,
                                                 .headers = headers,
                                                 .request = about,
                                                 .tool = passage_.tool,
                                                 .server = passage_.server,
                                                 .hop = hops_,
                                                 .injection_failed = !injection_.failed.empty(),
                                                 .injected = injection_.added,
                                                 .named_by_settings = is_named_by_settings(),
                                                 .for_policy = request_.for_policy,
                                                 .deadline = deadline_});
  // Who gave up was not denied anything.
  if (!decision && decision.error().code == Errc::Cancelled) co_return decision.error();
  if (!decision)
    co_return fail(Errc::PolicyDenied, decision.error().message, decision.error().detail);
  entry.policy = std::move(decision->revision);
  if (!decision->allowed) {
    record_.reasons = decision->reasons;
    co_return fail(Errc::PolicyDenied, fmt::format("{}{} {}: {}.", policy::kDenial, hop.method,
                                                   entry.url, joined(decision->reasons)));
  }
  note([&] { return fmt::format("Allowed: {}.", joined(decision->reasons)); });
  allowed_by_ = std::move(decision->reasons);
  if (injection_.refuse()) {
    enter("inject");
    co_return fail(Errc::CredentialUnavailable,
                   fmt::format("A credential cannot be had, so nothing was sent: {}",
                               joined(injection_.refusals)));
  }
  co_return Result<void>{};
}

Task<void> Journey::ask_robots(url::Url const& url, http::Headers const& headers) {
  enter("robots");
  auto const* field = headers.find("user-agent");
  auto const agent = field == nullptr ? std::string_view{} : std::string_view{*field};
  RobotsCache::Fetch const fetch = [&](url::Url robots_url) {
    return fetch_robots(helpers_.road, passage_, request_, agent, std::move(robots_url));
  };
  SP_CO_CHECK(co_await helpers_.robots.check(url, agent, deadline_, fetch));
  note([&] { return fmt::format("The robots.txt of {} does not disallow it.", url.origin()); });
  co_return Result<void>{};
}

Task<egress::JudgedAddresses> Journey::resolve_and_judge(url::Url const& url) {
  std::vector<url::IpAddress> addresses;
  if (url.address()) {
    addresses.push_back(*url.address());
  } else {
    enter("resolve");
    SP_CO_TRY(addresses, co_await resolver_.resolve(dns_name(*url.host()), deadline_));
    record_.hops.back().resolved = texts_of(addresses);
    note([&] {
      return fmt::format("{} is {}.", *url.host(), joined(record_.hops.back().resolved));
    });
  }
  enter("guard");
  SP_CO_TRY(auto judged, guard_.judge(url, addresses));
  note([] { return "All addresses may be reached."; });
  co_return judged;
}

Task<std::unique_ptr<egress::Exchange>> Journey::transmit(Hop const& hop, http::Headers headers,
                                                          egress::JudgedAddresses addresses) {
  sent_ = true;
  auto exchange = co_await connector().open({.method = hop.method,
                                             .url = hop.url,
                                             .addresses = std::move(addresses),
                                             .headers = std::move(headers),
                                             .body = hop.body,
                                             .upload = hops_ == 0 ? request_.upload : nullptr,
                                             .limits = limits(),
                                             .deadline = is_stream() ? stream_deadline_ : deadline_,
                                             .head_deadline = deadline_,
                                             .whole = sends_whole(),
                                             .refuse_event_streams = request_.refuse_event_streams},
                                            stats_);
  if (exchange) {
    stats_ = (*exchange)->stats();
    note_answer(hop.url, (*exchange)->head());
  }
  record_.hops.back().connected = stats_.connected_address;
  co_return std::move(exchange);
}

egress::Connector& Journey::connector() const {
  bool const on_loop = parts_.on_loop != nullptr && is_message(passage_) && !request_.upload;
  return on_loop ? *parts_.on_loop : parts_.connector;
}

egress::ExchangeLimits Journey::limits() const {
  auto limits = parts_.limits;
  if (request_.slow_answer) limits.first_byte = request_.timeout;
  if (request_.may_pause) limits.stall = kForever;
  if (is_stream()) {
    limits.body_bytes = request_.response_bytes;  // nobody holds all of it in memory
  } else if (!request_.cut_long_body) {           // what is cut off is not read
    limits.body_bytes = std::min(limits.body_bytes, request_.response_bytes);
  }
  return limits;
}

Result<std::optional<Hop>> Journey::follow(Hop const& hop, egress::ResponseHead const& head) {
  auto const* location = head.headers.find("location");
  if (request_.redirects == Redirects::Manual || !is_redirect(head.status) || location == nullptr) {
    return std::optional<Hop>{};
  }
  if (request_.redirects == Redirects::Refuse) {
    return fail(Errc::UpstreamFailed, "The answer is a redirect, and the call allows none.");
  }
  if (hops_ == request_.max_redirects) {
    return fail(Errc::LimitExceeded,
                fmt::format("More than {} redirects; the last one came from {}.",
                            request_.max_redirects, record_.hops.back().url));
  }
  // https://fetch.spec.whatwg.org/#http-redirect-fetch, step 9
  if (request_.upload && hops_ == 0 && head.status != 303) {
    return fail(Errc::UpstreamFailed,
                fmt::format("The answer is a redirect ({}) that needs the body of the request once "
                            "more, but a streamed body can be sent only once.",
                            head.status));
  }
  SP_CHECK(check_location_spelling(*location));
  // SECURITY: it would be told to another host, to the caller and to the log.
  if (echoes_.finds_in(*location)) {
    return fail(Errc::EgressBlocked,
                "The answer redirects to a URL that repeats a credential of the request.");
  }
  SP_TRY(auto next, next_hop(hop, head.status, head.headers));
  if (next && request_.may_redirect_to && !request_.may_redirect_to(next->url)) {
    return fail(Errc::PolicyDenied,
                fmt::format("The answer redirects to {}, which this call may not reach.",
                            next->url.origin()));
  }
  return next;
}

// An answer that is not for the caller.
Task<void> Journey::leave(egress::Exchange& exchange) {
  if (sends_whole()) {
    count_bytes();
    co_return Result<void>{};
  }
  // What is small is read, so that its connection can serve again.
  for (std::size_t size = 0; size < kWorthReading;) {
    auto const piece = co_await exchange.read();
    if (!piece && piece.error().code == Errc::Cancelled) co_return piece.error();
    if (!piece || piece->empty()) break;
    size += piece->size();
  }
  co_await exchange.end();
  stats_ = exchange.stats();
  count_bytes();
  co_return Result<void>{};
}

Task<std::string> Journey::read_whole(egress::Exchange& exchange) {
  std::string body;
  for (;;) {
    auto piece = co_await exchange.read();
    stats_ = exchange.stats();
    if (!piece) co_return std::move(piece).error();
    if (piece->empty()) break;
    if (body.empty()) {
      body = std::move(*piece);
    } else {
      body += *piece;
    }
    if (request_.cut_long_body && body.size() >= request_.response_bytes) {
      echoes_.apply(body);  // before half of one is cut off
      body.resize(request_.response_bytes);
      break;
    }
  }
  echoes_.apply(body);
  co_return body;
}

OutboundAnswer Journey::take_answer(Arrival arrival) {
  return {.url = std::move(arrival.url),
          .redirected = redirected(),
          .head = std::move(arrival.exchange->head()),
          .body = std::move(arrival.body),
          .stats = std::move(stats_)};
}

}  // namespace sallyport::pipeline
