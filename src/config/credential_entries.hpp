// What a rule adds to requests, as it is written: the same in egress.inject and in the credentials
// of a backend. Private to this module.
#pragma once

#include "src/config/entry_reader.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sallyport::config {

// The fields of both; what a rule reaches comes beside them.
inline constexpr std::array kCredentialFields = {
    EntryField{"headers", "map", "Headers to add, with their values: this, `header` or `auth`"},
    EntryField{"header", "text", "One header to add, with `value`"},
    EntryField{"value", "secret", "Its value"},
    EntryField{"value_env", "text", "The same as `value: env:NAME`"},
    EntryField{"value_file", "text", "The same as `value: file:PATH`"},
    EntryField{"auth", "section",
               "Adds an access token by OAuth client credentials (docs/credentials.md)"},
    EntryField{"override", "switch", "Replace a header that the caller set; not with `auth`"},
    EntryField{"on_failure", "choice",
               "Without a value: `refuse` the request (default), or `continue` without the header"},
    EntryField{"name", "text", "What the audit log calls the rule"},
    EntryField{"methods", "list", "Methods, such as `GET`; default: all"},
};

template <std::size_t A, std::size_t B>
constexpr std::array<EntryField, A + B> joined(std::array<EntryField, A> const& first,
                                               std::array<EntryField, B> const& second) {
  std::array<EntryField, A + B> all{};
  std::ranges::copy(second, std::ranges::copy(first, all.begin()).out);
  return all;
}

// Reads one entry field by field, then makes rules of it: one for each header.
class CredentialEntry {
 public:
  // `rule` has what the rules have in common; its `reach` is the caller's to fill.
  credentials::Rule rule;

  // Fields that are not of kCredentialFields are not for it.
  Result<void> take(std::string const& field, FieldValue const& value, Draft& draft);
  void take_nested(std::string const& field, YAML::Node const& node, EntryReader& reader);

  // Empty, and a problem is noted, where the fields do not fit together.
  std::vector<credentials::Rule> rules(YAML::Node const& entry, EntryReader& reader);

 private:
  void take_headers(YAML::Node const& node, EntryReader& reader);
  void take_auth(YAML::Node const& node, EntryReader& reader);
  std::string misfit() const;

  std::string header_;
  std::optional<Secret> value_;
  int values_{0};  // of value, value_env and value_file
  std::vector<std::pair<std::string, Secret>> headers_;
  std::optional<oauth::TokenOptions> auth_;
  std::string auth_header_{"Authorization"};
  bool has_headers_{false};
  bool has_auth_{false};
  bool has_override_{false};
};

// "env:NAME", "file:PATH", or the secret itself; without blanks around it. SECURITY: no failure
// holds it.
Result<Secret> read_secret_text(std::string_view text, Draft& draft);
// The same, but a file is read to its end: a key has many lines.
Result<Secret> read_whole_secret(std::string_view text, Draft& draft);

// Adds to `entry` what the rule adds, secrets masked.
void show_credential(json::Object& entry, credentials::Rule const& rule);

// The fields of `auth`.
std::span<EntryField const> auth_fields();

// From `auth` of a rule. Notes a problem where it is not good.
struct AuthSection {
  std::string header{"Authorization"};
  oauth::TokenOptions options;
};
std::optional<AuthSection> read_auth(YAML::Node const& node, EntryReader& parent);

void show_auth(json::Object& entry, std::string const& header, oauth::TokenOptions const& options);

}  // namespace sallyport::config
