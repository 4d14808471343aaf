#include "src/http/cache_entry.hpp"

#include <algorithm>
#include <array>

namespace sallyport::http {
namespace {

using std::chrono::seconds;

constexpr seconds kLongestGuess{std::chrono::hours{24}};
constexpr std::array kHeuristicStatuses{200, 203, 204, 404, 405, 410, 414, 501};
// Statuses that this cache knows how to keep; redirects are always asked again, because where they
// lead must be judged each time.
constexpr std::array kUnderstood{200, 203, 204, 300, 400, 401, 403, 404, 405, 406, 409,
                                 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 425,
                                 426, 428, 429, 431, 451, 500, 501, 502, 503, 504, 505};
// Fields of one connection, and those that are for the cookie jar alone.
constexpr std::array<std::string_view, 10> kNotStored{"connection",
                                                      "keep-alive",
                                                      "proxy-authenticate",
                                                      "proxy-authentication-info",
                                                      "proxy-connection",
                                                      "te",
                                                      "trailer",
                                                      "transfer-encoding",
                                                      "upgrade",
                                                      "set-cookie"};
// They describe the stored body, which a 304 does not change.
constexpr std::array<std::string_view, 3> kOfTheBody{"content-length", "content-encoding",
                                                     "content-range"};

bool is_among(auto const& names, std::string_view name) {
  return std::ranges::any_of(
      names, [&](std::string_view each) { return equals_ignoring_case(each, name); });
}

std::vector<std::string> connection_fields(Headers const& headers) {
  std::vector<std::string> names;
  auto const value = combined_value(headers, "connection");
  if (value) {
    for (auto const member : list_members(*value)) names.emplace_back(member);
  }
  return names;
}

Headers storable_fields(Headers const& headers) {
  auto const hop = connection_fields(headers);
  Headers kept;
  for (auto const& field : headers) {
    if (!is_among(kNotStored, field.name) && !is_among(hop, field.name)) {
      kept.add(field.name, field.value);
    }
  }
  return kept;
}

std::optional<WallTime> date_in(Headers const& headers, std::string_view name, WallTime now) {
  auto const* value = headers.find(name);
  return value == nullptr ? std::nullopt : parse_http_date(*value, now);
}

WallTime date_of(CacheEntry const& entry) {
  auto const received = entry.times.received;
  return date_in(entry.response.headers, "date", received).value_or(received);
}

bool may_guess(CacheEntry const& entry, CacheControl const& control) {
  return control.is_public || std::ranges::count(kHeuristicStatuses, entry.response.status) > 0;
}

// A tenth of the time since it was last changed.
seconds guessed_lifetime(CacheEntry const& entry) {
  auto const changed = date_in(entry.response.headers, "last-modified", entry.times.received);
  if (!changed) return seconds{0};
  return std::clamp((date_of(entry) - *changed) / 10, seconds{0}, kLongestGuess);
}

bool has_explicit_lifetime(Headers const& headers, CacheControl const& control) {
  return control.max_age || headers.find("expires") != nullptr;
}

}  // namespace

std::size_t CacheEntry::bytes() const noexcept {
  std::size_t total = sizeof(CacheEntry) + variant.size();
  if (response.body) total += response.body->size();
  for (auto const& field : response.headers) total += field.name.size() + field.value.size() + 64;
  for (auto const& [name, value] : selecting) total += name.size() + (value ? value->size() : 0);
  return total;
}

bool is_storable(CacheRequest const& request, CacheableResponse const& response) {
  auto const control = CacheControl::of(response.headers);
  if (request.method != "GET" || request.headers.find("range") != nullptr) return false;
  if (std::ranges::count(kUnderstood, response.status) == 0) return false;
  if (CacheControl::of(request.headers).no_store) return false;
  // must-understand is for caches that know the status, as is asked for above, and takes no-store
  // away from them.
  if (control.no_store && !control.must_understand) return false;
  auto const vary = combined_value(response.headers, "vary");
  if (vary && std::ranges::count(list_members(*vary), "*") > 0) return false;
  return has_explicit_lifetime(response.headers, control) || control.is_public ||
         control.is_private || std::ranges::count(kHeuristicStatuses, response.status) > 0;
}

CacheEntry make_entry(CacheRequest const& request, CacheableResponse response,
                      ExchangeTimes times) {
  CacheEntry entry{.times = times, .variant = request.variant, .selecting = {}};
  if (auto const vary = combined_value(response.headers, "vary")) {
    for (auto const name : list_members(*vary)) {
      entry.selecting.emplace_back(name, combined_value(request.headers, name));
    }
  }
  response.headers = storable_fields(response.headers);
  entry.response = std::move(response);
  return entry;
}

bool answers(CacheEntry const& entry, CacheRequest const& request) {
  return entry.variant == request.variant && std::ranges::all_of(entry.selecting, [&](auto& each) {
           return combined_value(request.headers, each.first) == each.second;
         });
}

seconds current_age(CacheEntry const& entry, WallTime now) {
  auto const& [requested, received] = entry.times;
  auto const apparent = std::max(received - date_of(entry), seconds{0});
  auto const* text = entry.response.headers.find("age");
  auto const said = text == nullptr ? seconds{0}
                                    : parse_delta_seconds(list_members(*text).empty()
                                                              ? std::string_view{}
                                                              : list_members(*text).front())
                                          .value_or(seconds{0});
  auto const corrected = said + std::max(received - requested, seconds{0});
  return std::max(apparent, corrected) + std::max(now - received, seconds{0});
}

seconds freshness_lifetime(CacheEntry const& entry) {
  auto const& headers = entry.response.headers;
  auto const control = CacheControl::of(headers);
  if (control.max_age) return *control.max_age;
  if (headers.find("expires") != nullptr) {
    auto const expires = date_in(headers, "expires", entry.times.received);
    return expires ? std::max(*expires - date_of(entry), seconds{0}) : seconds{0};
  }
  return may_guess(entry, control) ? guessed_lifetime(entry) : seconds{0};
}

bool is_usable_unasked(CacheEntry const& entry, CacheRequest const& request, WallTime now) {
  auto const said = CacheControl::of(entry.response.headers);
  auto const asked = CacheControl::of(request.headers);
  // `no-cache` with field names is taken for one without, as section 5.2.2.4 allows.
  if (said.no_cache || !said.no_cache_fields.empty() || asked.no_cache) return false;
  auto const* pragma = request.headers.find("pragma");
  if (!asked.present && pragma != nullptr && equals_ignoring_case(*pragma, "no-cache"))
    return false;
  auto const age = current_age(entry, now);
  if (asked.max_age && age > *asked.max_age) return false;
  auto const left = freshness_lifetime(entry) - age;
  if (left > asked.min_fresh.value_or(seconds{0})) return true;
  if (asked.min_fresh && left == *asked.min_fresh && left > seconds{0}) return true;
  return asked.max_stale && !asked.min_fresh && !said.must_revalidate && -left <= *asked.max_stale;
}

CacheEntry refreshed(CacheEntry const& entry, Headers const& newer, ExchangeTimes times) {
  auto copy = entry;
  copy.times = times;
  auto& headers = copy.response.headers;
  auto const fields = storable_fields(newer);
  // The age that was said at the time of the first answer is none of the refreshed one.
  headers.erase("age");
  for (auto const& field : fields) {
    if (!is_among(kOfTheBody, field.name)) headers.erase(field.name);
  }
  for (auto const& field : fields) {
    if (!is_among(kOfTheBody, field.name)) headers.add(field.name, field.value);
  }
  return copy;
}

CacheableResponse served(CacheEntry const& entry, WallTime now) {
  auto response = entry.response;
  response.headers.set("age", std::to_string(current_age(entry, now).count()));
  return response;
}

}  // namespace sallyport::http
