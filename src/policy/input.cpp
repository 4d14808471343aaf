#include "src/policy/input.hpp"

#include "src/base/ascii.hpp"
#include "src/base/assert.hpp"
#include "src/json/write.hpp"
#include "src/policy/chain_settings.hpp"
#include "src/policy/redaction.hpp"
#include "src/rego/build.hpp"
#include "src/rego/json.hpp"
#include "src/url/utf8.hpp"

#include <map>
#include <string>

namespace sallyport::policy {
namespace {

using rego::Arena;
using rego::ArrayBuilder;
using rego::ObjectBuilder;
using rego::Value;

// Policies know one operation for everything that is an HTTP request; `tool` tells them apart.
std::string_view seen_operation(std::string_view operation) {
  auto const section = section_of(operation);
  return section == "fetch" ? section : operation;
}

// Values are bytes, and policies read text.
std::string as_text(std::string const& value) {
  auto text = url::well_formed(value);
  return text == value ? text : url::from_latin1(value);
}

Value principal_value(Principal const& who, Arena& arena) {
  ArrayBuilder scopes{arena, who.scopes.size()};
  for (auto const& scope : who.scopes) scopes.add(Value::string(scope));
  ObjectBuilder object{arena, 3};
  object.add("id", Value::string(who.id));
  object.add("issuer", Value::string(who.issuer));
  object.add("scopes", scopes.finish());
  return object.finish();
}

class InputMaker {
 public:
  InputMaker(Query const& query, Secrets secrets, Arena& arena)
      : query_{query}, secrets_{secrets}, arena_{arena} {}

  Value make() {
    ObjectBuilder input{arena_, 13};
    input.add("operation", Value::string(seen_operation(query_.operation)));
    input.add("url", copied(query_.url.href()));
    input.add("method", method());
    input.add("headers", headers());
    input.add("url_parsed", url_parsed());
    input.add("principal", principal_value(query_.request.principal, arena_));
    input.add("client", Value::string(query_.request.client));
    input.add("session", Value::string(query_.request.session));
    input.add("tool", Value::string(query_.tool));
    input.add("server", Value::string(query_.server));
    input.add("purpose", Value::string(query_.purpose));
    input.add("hop", Value::integer(static_cast<std::int64_t>(query_.hop)));
    input.add("injection", injection());
    return input.finish();
  }

 private:
  Value copied(std::string_view text) { return Value::string(arena_.copy(text)); }

  // SECURITY: servers read "post" as "POST", so a policy that names one means both.
  Value method() {
    std::string upper{query_.method};
    for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return copied(upper);
  }

  bool is_hidden(std::string_view name) const {
    return secrets_ == Secrets::Redacted && is_secret_header(query_, name);
  }

  // Names in lower case; values of one name are joined as HTTP allows.
  Value headers() {
    std::map<std::string, std::string> all;
    for (auto const& field : query_.headers) {
      auto const name = lowered(field.name);
      auto const [at, added] = all.try_emplace(name, field.value);
      if (!added) at->second += ", " + field.value;
    }
    ObjectBuilder object{arena_, all.size()};
    for (auto const& [name, value] : all) {
      object.add(copied(name), is_hidden(name) ? Value::string(kRedacted) : copied(as_text(value)));
    }
    return object.finish();
  }

  Value url_parsed() {
    auto const& url = query_.url;
    ObjectBuilder object{arena_, 5};
    object.add("scheme", copied(url.scheme()));
    object.add("host", copied(url.host().value_or("")));
    object.add("port", url.port() ? Value::integer(*url.port()) : Value::null());
    object.add("path", copied(url.path()));
    object.add("query", copied(url.query().value_or("")));
    return object.finish();
  }

  Value injection() {
    ArrayBuilder names{arena_, query_.injected.size()};
    for (auto const& name : query_.injected) names.add(copied(lowered(name)));
    ObjectBuilder object{arena_, 2};
    object.add("failed", Value::boolean(query_.injection_failed));
    object.add("headers", names.finish());
    return object.finish();
  }

  Query const& query_;
  Secrets secrets_;
  Arena& arena_;
};

Value arguments_value(json::Object const& arguments, Arena& arena) {
  auto const value = rego::parse_json(json::to_text(arguments), arena);
  // SECURITY: what is missing here, a policy cannot deny.
  SP_ASSERT(value.has_value(), "arguments came as JSON that nests less deeply than Rego's may");
  return *value;
}

// Arguments are the caller's own: there is nothing in them to hide from a policy.
Value mcp_input(McpQuery const& query, Arena& arena) {
  auto const& words = words_of(query.operation);
  ObjectBuilder input{arena, 8};
  input.add("operation", Value::string(words.operation));
  input.add("server", Value::string(query.server));
  input.add(words.member, Value::string(query.name));
  if (query.arguments != nullptr) {
    input.add("arguments", arguments_value(*query.arguments, arena));
  }
  input.add("principal", principal_value(query.request.principal, arena));
  input.add("client", Value::string(query.request.client));
  input.add("session", Value::string(query.request.session));
  input.add("purpose", Value::string(query.purpose));
  return input.finish();
}

}  // namespace

Value make_input(Question question, Secrets secrets, Arena& arena) {
  if (auto const* const query = question.asking()) return mcp_input(*query, arena);
  return InputMaker{*question.sending(), secrets, arena}.make();
}

}  // namespace sallyport::policy
