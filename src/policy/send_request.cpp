#include "src/policy/send_request.hpp"

#include "src/base/ascii.hpp"
#include "src/rego/build.hpp"
#include "src/rego/builtins/runes.hpp"
#include "src/rego/json.hpp"
#include "src/rego/time/duration.hpp"
#include "src/rego/yaml_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <vector>

namespace sallyport::policy {
namespace {

using rego::Arena;
using rego::ArrayBuilder;
using rego::Kind;
using rego::ObjectBuilder;
using rego::Value;

constexpr std::size_t kLargestRequest = 1024UL * 1024;
// Longer than any judgement, and short enough to be added to the time of day.
constexpr std::chrono::nanoseconds kLongestTimeout = std::chrono::hours{1};

Error refused(std::string message) {
  return fail(Errc::InvalidInput, std::move(message));
}

// Whether the text of a value has at most so many bytes, about. Values may share their parts, so
// that their text is far larger than the memory that they take.
bool fits(Value value, std::size_t& left) {
  auto const is_text = value.is(Kind::String) || (value.is(Kind::Number) && !value.is_int64());
  auto const own = 8 + (is_text ? std::size_t{value.size()} : 0);
  if (own > left) return false;
  left -= own;
  if (value.is(Kind::Object)) {
    return std::ranges::all_of(value.entries(), [&](rego::Entry const& entry) {
      return fits(entry.key, left) && fits(entry.value, left);
    });
  }
  if (!value.is(Kind::Array) && !value.is(Kind::Set)) return true;
  return std::ranges::all_of(value.items(), [&](Value item) { return fits(item, left); });
}

Result<std::string> text_in(Value object, std::string_view name) {
  auto const value = rego::get(object, name);
  if (!value.is_defined()) return std::string{};
  if (!value.is(Kind::String)) return refused(fmt::format("\"{}\" must be a string", name));
  return std::string{value.as_string()};
}

Result<bool> flag_in(Value object, std::string_view name) {
  auto const value = rego::get(object, name);
  if (!value.is_defined()) return false;
  if (!value.is(Kind::Boolean)) return refused(fmt::format("invalid value for {} field", name));
  return value.as_boolean();
}

Result<http::Headers> headers_in(Value object) {
  http::Headers headers;
  auto const value = rego::get(object, "headers");
  if (!value.is_defined()) return headers;
  if (!value.is(Kind::Object)) return refused("invalid type for headers key");
  for (auto const& [name, text] : value.entries()) {
    if (!name.is(Kind::String)) return refused("invalid type for headers key");
    if (!text.is(Kind::String)) {
      return refused(fmt::format("invalid type for headers value of \"{}\"", name.as_string()));
    }
    headers.add(std::string{name.as_string()}, std::string{text.as_string()});
  }
  return headers;
}

Result<std::string> body_in(Value object) {
  if (rego::get(object, "raw_body").is_defined()) return text_in(object, "raw_body");
  auto const body = rego::get(object, "body");
  return body.is_defined() ? rego::to_json(body) : std::string{};
}

Result<std::chrono::nanoseconds> timeout_of(Value value) {
  if (value.is_int64()) return std::chrono::nanoseconds{value.as_int64()};
  if (value.is(Kind::Number)) {
    return refused(
        fmt::format("invalid timeout number value {}, must be int64", value.as_number_text()));
  }
  if (!value.is(Kind::String)) {
    return refused(fmt::format("'timeout' must be one of {{string, number}} but got {}",
                               name_of(value.kind())));
  }
  auto const text = value.as_string();
  std::int64_t number = 0;
  auto const [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed == std::errc{} && end == text.data() + text.size()) {
    return std::chrono::nanoseconds{number};
  }
  auto const parsed = rego::time::parse_duration(text);
  if (!parsed.problem.empty()) {
    return refused(fmt::format("invalid timeout value \"{}\": {}", text, parsed.problem));
  }
  return std::chrono::nanoseconds{parsed.nanoseconds};
}

// None, or one without an end: the time of the judgement counts.
Result<std::chrono::nanoseconds> timeout_in(Value object) {
  auto const value = rego::get(object, "timeout");
  if (!value.is_defined()) return ReadRequest{}.timeout;
  SP_TRY(auto const timeout, timeout_of(value));
  return timeout.count() <= 0 ? kLongestTimeout : std::min(timeout, kLongestTimeout);
}

// What OPA offers and we do not: said here, instead of doing something else than was asked for.
Result<void> check_offered(Value object) {
  for (auto const& [name, value] : object.entries()) {
    if (name.as_string().starts_with("tls_")) {
      return refused(fmt::format(
          "`{}` is not offered: TLS is set up by the settings of the gateway", name.as_string()));
    }
  }
  auto const retries = rego::get(object, "max_retry_attempts");
  if (retries.is_defined() && !(retries.is_int64() && retries.as_int64() == 0)) {
    return refused("`max_retry_attempts` is not offered: a request is sent once");
  }
  return {};
}

Result<Reuse> reuse_in(Value object) {
  SP_TRY(bool const forced, flag_in(object, "force_cache"));
  SP_TRY(bool const wanted, flag_in(object, "cache"));
  if (forced) return Reuse::Forced;
  return wanted ? Reuse::AsItSays : Reuse::No;
}

Result<std::chrono::seconds> forced_lifetime_in(Value object) {
  auto const value = rego::get(object, "force_cache_duration_seconds");
  if (!value.is_defined()) {
    return refused("'force_cache' set but 'force_cache_duration_seconds' parameter is missing");
  }
  constexpr auto kMost = std::numeric_limits<std::int32_t>::max();
  if (!value.is_int64() || value.as_int64() < 0 || value.as_int64() > kMost) {
    return refused("invalid value for force_cache_duration_seconds field");
  }
  return std::chrono::seconds{value.as_int64()};
}

// The object's text without the headers that do not count.
Result<std::string> key_of(Value object) {
  auto const ignored = rego::get(object, "cache_ignored_headers");
  bool const is_list =
      ignored.is(Kind::Array) &&
      std::ranges::all_of(ignored.items(), [](Value name) { return name.is(Kind::String); });
  if (ignored.is_defined() && !ignored.is(Kind::Null) && !is_list) {
    return refused("cache_ignored_headers must be an array of strings");
  }
  if (!is_list) return rego::to_rego(object);
  auto const is_ignored = [&](Value name) {
    return std::ranges::any_of(ignored.items(), [&](Value each) { return equal(each, name); });
  };
  Arena arena;
  ObjectBuilder headers{arena};
  for (auto const& [name, value] : rego::get(object, "headers").entries()) {
    if (!is_ignored(name)) headers.add(name, value);
  }
  ObjectBuilder key{arena};
  for (auto const& [name, value] : object.entries()) {
    if (name.as_string() != "cache_ignored_headers") key.add(name, value);
  }
  key.add("headers", headers.finish());
  return rego::to_rego(key.finish());
}

Result<Decode> decode_in(Value object) {
  SP_TRY(bool const json, flag_in(object, "force_json_decode"));
  SP_TRY(bool const yaml, flag_in(object, "force_yaml_decode"));
  if (json) return Decode::Json;
  return yaml ? Decode::Yaml : Decode::ByType;
}

Decode decode_by_type(http::Headers const& headers) {
  auto const* const field = headers.find("content-type");
  if (field == nullptr) return Decode::ByType;
  auto const type = lowered(*field);
  auto essence = std::string_view{type}.substr(0, type.find(';'));
  while (essence.ends_with(' ')) essence.remove_suffix(1);
  bool const is_json = essence == "application/json" ||
                       (essence.starts_with("application/") && essence.ends_with("+json"));
  if (is_json) return Decode::Json;
  bool const is_yaml = type.find("application/yaml") != std::string::npos ||
                       type.find("application/x-yaml") != std::string::npos;
  return is_yaml ? Decode::Yaml : Decode::ByType;
}

Value body_value(http::Response const& response, Decode decode, Arena& arena) {
  if (decode == Decode::ByType) decode = decode_by_type(response.headers);
  if (decode == Decode::ByType) return Value::null();
  auto const value = decode == Decode::Json ? rego::parse_json(response.body, arena)
                                            : rego::parse_yaml(response.body, arena);
  return value ? *value : Value::null();
}

Value text_value(std::string_view text, Arena& arena) {
  namespace runes = rego::builtins;
  if (runes::is_well_formed(text)) return Value::string(arena.copy(text));
  std::string mended;
  while (!text.empty()) {
    auto const rune = runes::first_rune(text);
    mended += runes::encode(rune.code).view();
    text.remove_prefix(rune.width);
  }
  return Value::string(arena.copy(mended));
}

Value headers_value(http::Headers const& headers, Arena& arena) {
  std::map<std::string, std::vector<std::string_view>> all;
  for (auto const& field : headers) all[lowered(field.name)].push_back(field.value);
  ObjectBuilder object{arena, all.size()};
  for (auto const& [name, values] : all) {
    ArrayBuilder list{arena, values.size()};
    for (auto const value : values) list.add(text_value(value, arena));
    object.add(text_value(name, arena), list.finish());
  }
  return object.finish();
}

}  // namespace

Result<ReadRequest> read_send_request(Value object) {
  auto room = kLargestRequest;
  if (!fits(object, room)) return refused("the request is larger than 1 MiB");
  SP_CHECK(check_offered(object));
  ReadRequest read;
  SP_TRY(read.request.method, text_in(object, "method"));
  std::ranges::transform(read.request.method, read.request.method.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  SP_TRY(read.request.url, text_in(object, "url"));
  SP_TRY(read.request.headers, headers_in(object));
  SP_TRY(read.request.body, body_in(object));
  SP_TRY(read.request.follow_redirects, flag_in(object, "enable_redirect"));
  SP_TRY(read.timeout, timeout_in(object));
  SP_TRY(read.decode, decode_in(object));
  SP_TRY(read.reuse, reuse_in(object));
  if (read.reuse == Reuse::Forced) {
    SP_TRY(read.forced_lifetime, forced_lifetime_in(object));
  }
  SP_TRY(read.key, key_of(object));
  return read;
}

Value answer_value(http::Response const& response, Decode decode, Arena& arena) {
  auto const status = fmt::format("{} {}", response.status, http::reason_phrase(response.status));
  ObjectBuilder answer{arena, 5};
  answer.add("status", text_value(status, arena));
  answer.add("status_code", Value::integer(response.status));
  answer.add("body", body_value(response, decode, arena));
  answer.add("raw_body", text_value(response.body, arena));
  answer.add("headers", headers_value(response.headers, arena));
  return answer.finish();
}

}  // namespace sallyport::policy
