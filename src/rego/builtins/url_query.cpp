#include "src/rego/build.hpp"
#include "src/rego/builtins/encoding_impl.hpp"
#include "src/rego/builtins/go_url.hpp"
#include "src/rego/builtins/operands.hpp"
#include "src/rego/json.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace sallyport::rego::builtins {

Value url_query_encode(BuiltinCall& call, Operands operands) {
  std::string_view text;
  if (!read_string(call, operands, 1, text)) return {};
  if (!charge_bytes(call, text.size())) return stopped(call);
  return make_text(call, go_escape(text, UrlPart::Query));
}

Value url_query_decode(BuiltinCall& call, Operands operands) {
  std::string_view text;
  if (!read_string(call, operands, 1, text)) return {};
  if (!charge_bytes(call, text.size())) return stopped(call);
  std::string error;
  auto const decoded = go_unescape(text, UrlPart::Query, error);
  return decoded ? make_text(call, *decoded) : call.fail(std::move(error));
}

Value url_query_encode_object(BuiltinCall& call, Operands operands) {
  std::span<Entry const> entries;
  if (!read_object(call, operands, 1, entries)) return {};
  std::map<std::string, std::vector<std::string_view>> fields;
  for (auto const& [key, value] : entries) {
    auto const name = key.is(Kind::String) ? std::string{key.as_string()} : to_json(key);
    auto const is_list = value.is(Kind::Array) || value.is(Kind::Set);
    auto const items = is_list ? value.items() : std::span<Value const>{&value, 1};
    for (auto const item : items) {
      if (!item.is(Kind::String)) {
        return call.wrong_operand(1, "values must be string, array[string], or set[string]");
      }
      fields[name].push_back(item.as_string());
      if (!call.budget.charge(1 + item.size() / 256)) return stopped(call);
    }
  }
  TextBuilder query{call};
  for (auto const& [name, values] : fields) {
    for (auto const value : values) {
      if (!query.view().empty()) query.append('&');
      query.append(go_escape(name, UrlPart::Query));
      query.append('=');
      query.append(go_escape(value, UrlPart::Query));
    }
  }
  return query.finish();
}

Value url_query_decode_object(BuiltinCall& call, Operands operands) {
  std::string_view query;
  if (!read_string(call, operands, 1, query)) return {};
  if (!charge_bytes(call, query.size())) return stopped(call);
  std::map<std::string, std::vector<Value>> fields;
  std::string error;
  while (!query.empty()) {
    auto const field = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), field.size() + 1));
    if (field.find(';') != std::string_view::npos) {
      return call.fail("invalid semicolon separator in query");
    }
    if (field.empty()) continue;
    auto const equals = std::min(field.find('='), field.size());
    auto name = go_unescape(field.substr(0, equals), UrlPart::Query, error);
    if (!name) return call.fail(std::move(error));
    auto const rest = field.substr(std::min(field.size(), equals + 1));
    auto const value = go_unescape(rest, UrlPart::Query, error);
    if (!value) return call.fail(std::move(error));
    fields[std::move(*name)].push_back(Value::string(call.arena.copy(*value)));
    if (!call.budget.charge()) return stopped(call);
  }
  ObjectBuilder object{call.arena};
  for (auto const& [name, values] : fields) {
    ArrayBuilder list{call.arena, values.size()};
    for (auto const value : values) list.add(value);
    object.add(call.arena.copy(name), list.finish());
  }
  return object.finish();
}

}  // namespace sallyport::rego::builtins
