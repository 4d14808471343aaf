#include "src/config/credential_entries.hpp"

#include "src/base/ascii.hpp"
#include "src/config/item_checks.hpp"
#include "src/config/units.hpp"
#include "src/config/yaml_node.hpp"
#include "src/http/chars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sallyport::config {
namespace {

constexpr std::string_view kEnvironment = "env:";
constexpr std::string_view kFile = "file:";
constexpr std::array<std::string_view, 2> kOnFailure{"refuse", "continue"};

Error wrong(std::string problem) {
  return fail(Errc::InvalidInput, std::move(problem));
}

std::string upper(std::string_view text) {
  std::string result{text};
  for (char& c : result) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return result;
}

// SECURITY: what is wrong is said without the value.
Result<Secret> read_header_text(std::string_view text, Draft& draft) {
  SP_TRY(auto secret, read_secret_text(text, draft));
  if (secret.empty() || !header_value(secret.reveal()).empty()) {
    return wrong("the value is empty or cannot stand in a header");
  }
  return secret;
}

Result<std::string> read_header_name(std::string_view text) {
  std::string name{http::trimmed(text)};
  if (auto problem = injected_header(name); !problem.empty()) return wrong(std::move(problem));
  return name;
}

Result<std::vector<std::string>> read_methods(FieldValue const& value) {
  std::vector<std::string> methods;
  for (auto const& item : value.items) {
    methods.push_back(upper(http::trimmed(item)));
    if (auto problem = http_method(methods.back()); !problem.empty()) {
      return wrong(fmt::format("\"{}\" {}", item, problem));
    }
  }
  return methods;
}

}  // namespace

Result<Secret> read_secret_text(std::string_view text, Draft& draft) {
  text = http::trimmed(text);
  if (text.starts_with(kEnvironment)) {
    return read_secret_field("_env", std::string{text.substr(kEnvironment.size())}, draft);
  }
  if (text.starts_with(kFile)) {
    return read_secret_field("_file", std::string{text.substr(kFile.size())}, draft);
  }
  return Secret{std::string{text}};
}

Result<Secret> read_whole_secret(std::string_view text, Draft& draft) {
  text = http::trimmed(text);
  if (!text.starts_with(kFile)) return read_secret_text(text, draft);
  return read_secret_file(std::string{text.substr(kFile.size())}, SecretFile::Whole);
}

Result<void> CredentialEntry::take(std::string const& field, FieldValue const& value,
                                   Draft& draft) {
  if (field == "header") {
    SP_TRY(header_, read_header_name(value.text()));
  } else if (field == "value") {
    ++values_;
    SP_TRY(value_, read_header_text(value.text(), draft));
  } else if (field == "value_env" || field == "value_file") {
    ++values_;
    SP_TRY(value_, read_header_secret(field, value.text(), draft));
  } else if (field == "override") {
    has_override_ = true;
    SP_TRY(rule.override_caller, parse_switch(value.text()));
  } else if (field == "on_failure") {
    SP_TRY(auto const choice, read_choice(value.text(), kOnFailure));
    rule.on_failure =
        choice == 0 ? credentials::OnFailure::Refuse : credentials::OnFailure::Continue;
  } else if (field == "name") {
    rule.name = value.text();
  } else if (field == "methods") {
    SP_TRY(rule.reach.methods, read_methods(value));
  }
  return {};
}

void CredentialEntry::take_nested(std::string const& field, YAML::Node const& node,
                                  EntryReader& reader) {
  field == "headers" ? take_headers(node, reader) : take_auth(node, reader);
}

void CredentialEntry::take_headers(YAML::Node const& node, EntryReader& reader) {
  has_headers_ = true;
  if (!node.IsMap() || node.size() == 0) {
    return reader.problem(node, "headers", "must have at least one header and its value");
  }
  std::vector<std::string> seen;
  for (auto const& member : node) {
    if (!good_member(member.first, reader.path() + ".headers", seen, reader.file(),
                     reader.draft())) {
      continue;
    }
    auto const where = "headers." + member.first.Scalar();
    auto name = read_header_name(member.first.Scalar());
    if (!name) {
      reader.problem(member.first, where, name.error().message);
      continue;
    }
    bool const twice = std::ranges::any_of(headers_, [&](auto const& known) {
      return http::equals_ignoring_case(known.first, *name);
    });
    if (twice) {
      reader.problem(member.first, where, "is there twice, in another case");
      continue;
    }
    if (!member.second.IsScalar()) {
      reader.problem(member.first, where, "must have one value");
      continue;
    }
    auto value = read_header_text(member.second.Scalar(), reader.draft());
    if (!value) {
      reader.problem(member.second, where, value.error().message);
      continue;
    }
    headers_.emplace_back(std::move(*name), std::move(*value));
  }
}

void CredentialEntry::take_auth(YAML::Node const& node, EntryReader& reader) {
  has_auth_ = true;
  auto section = read_auth(node, reader);
  if (!section) return;
  auth_header_ = std::move(section->header);
  auth_ = std::move(section->options);
}

std::string CredentialEntry::misfit() const {
  bool const single = values_ > 0 || !header_.empty();
  int const forms = (has_headers_ ? 1 : 0) + (single ? 1 : 0) + (has_auth_ ? 1 : 0);
  if (forms != 1) return "must have exactly one of headers, header with value, and auth";
  if (single && header_.empty()) return "needs header, the name of the one to add";
  if (single && values_ != 1) {
    return "must have exactly one of value, value_env and value_file beside header";
  }
  if (has_auth_ && has_override_) return "cannot have override together with auth";
  return {};
}

std::vector<credentials::Rule> CredentialEntry::rules(YAML::Node const& entry,
                                                      EntryReader& reader) {
  if (auto problem = misfit(); !problem.empty()) {
    reader.problem(entry, {}, std::move(problem));
    return {};
  }
  if (rule.name.empty()) rule.name = reader.path();
  std::vector<credentials::Rule> rules;
  auto const add = [&](std::string header, std::shared_ptr<credentials::Source> source) {
    auto& made = rules.emplace_back(rule);
    made.header = std::move(header);
    made.source = std::move(source);
  };
  if (value_) add(header_, credentials::fixed_source(*value_));
  for (auto& [name, value] : headers_) add(name, credentials::fixed_source(std::move(value)));
  if (auth_) add(auth_header_, credentials::token_source(std::move(*auth_)));
  return rules;
}

void show_credential(json::Object& entry, credentials::Rule const& rule) {
  if (auto const* const options = rule.source ? rule.source->token_options() : nullptr) {
    show_auth(entry, rule.header, *options);
  } else {
    entry["header"] = rule.header;
    entry["value"] = "****";
  }
  if (rule.override_caller) entry["override"] = true;
  if (rule.on_failure == credentials::OnFailure::Continue) entry["on_failure"] = "continue";
}

}  // namespace sallyport::config
