// The entries of auth.tokens.
#include "src/config/entry_reader.hpp"
#include "src/config/item_checks.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>
#include <yaml-cpp/yaml.h>

namespace sallyport::config {
namespace {

constexpr EntryField kTokenFields[] = {
    {"principal", "text", "Who the bearer is; required"},
    {"token", "secret", "The token itself; one of the three is required"},
    {"token_env", "text", "Environment variable that holds the token"},
    {"token_file", "text", "File whose first line is the token"},
    {"scopes", "list", "Scopes that the bearer has"},
    {"caller", "choice", "Who calls with it: `app` (a page in a sandbox) or `model`"},
};

constexpr std::array<std::string_view, 2> kCallers{"app", "model"};

Result<void> take_field(std::string const& field, FieldValue const& value, Draft& draft,
                        oauth::StaticToken& token) {
  if (field == "principal") {
    token.principal = value.text();
  } else if (field == "scopes") {
    token.scopes = value.items;
  } else if (field == "caller") {
    SP_TRY(auto const choice, read_choice(value.text(), kCallers));
    token.kind = choice == 0 ? CallerKind::App : CallerKind::Model;
  } else {
    SP_TRY(token.token, read_secret_field(field, value.text(), draft));
    auto problem = long_enough_token(token.token.reveal());
    if (!problem.empty()) return fail(Errc::InvalidInput, "the token " + std::move(problem));
  }
  return {};
}

void read_token(EntryReader& reader, YAML::Node const& entry) {
  oauth::StaticToken token;
  int sources = 0;
  bool const good = reader.read(entry, [&](std::string const& field, FieldValue const& value) {
    if (field.starts_with("token")) ++sources;
    return take_field(field, value, reader.draft(), token);
  });
  if (!good) return;
  if (token.principal.empty()) return reader.problem(entry, "principal", "is missing");
  if (sources != 1) {
    return reader.problem(entry, {}, "must have exactly one of token, token_env and token_file");
  }
  reader.draft().settings.auth.tokens.push_back(std::move(token));
}

void read_tokens(YAML::Node const& list, std::string const& file, Draft& draft) {
  read_entries(list, file, "auth.tokens", kTokenFields, draft, read_token);
}

std::string_view caller_name(CallerKind kind) {
  switch (kind) {
    case CallerKind::App: return "app";
    case CallerKind::Model: return "model";
    case CallerKind::Unknown: return {};
  }
  return {};
}

// The tokens of the list; the one from auth.token is shown there.
json::Value shown_tokens(Settings const& settings) {
  json::Array list;
  auto const& single = settings.sources.auth_token;
  for (auto const& token : settings.auth.tokens) {
    if (!single.empty() && token.token.matches(single.reveal())) continue;
    json::Object entry;
    entry["principal"] = token.principal;
    entry["token"] = "****";
    if (!token.scopes.empty()) {
      auto& scopes = entry["scopes"].emplace_array();
      for (auto const& scope : token.scopes) scopes.emplace_back(scope);
    }
    if (token.kind != CallerKind::Unknown) entry["caller"] = caller_name(token.kind);
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

EntryList const kTokenList{"tokens", kTokenFields, read_tokens, shown_tokens};

}  // namespace sallyport::config
