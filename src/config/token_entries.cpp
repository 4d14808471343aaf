#include "src/config/token_entries.hpp"

#include "src/config/item_checks.hpp"
#include "src/config/suggest.hpp"
#include "src/config/yaml_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <yaml-cpp/yaml.h>

namespace sallyport::config {
namespace {

constexpr std::string_view kList = "auth.tokens";

constexpr TokenField kFields[] = {
    {"principal", "text", "Who the bearer is; required"},
    {"token", "secret", "The token itself; one of the three is required"},
    {"token_env", "text", "Environment variable that holds the token"},
    {"token_file", "text", "File whose first line is the token"},
    {"scopes", "list", "Scopes that the bearer has"},
    {"caller", "choice", "Who calls with it: `app` (a page in a sandbox) or `model`"},
};

class EntryReader {
 public:
  EntryReader(std::string file, std::string path, Draft& draft)
      : file_{std::move(file)}, path_{std::move(path)}, draft_{draft} {}

  void read(YAML::Node const& entry) {
    if (!entry.IsMap()) return problem(entry, {}, "must have keys such as principal and token");
    auto const problems_before = draft_.problems.size();
    std::vector<std::string> seen;
    for (auto const& member : entry) {
      if (!good_member(member.first, path_, seen, file_, draft_)) continue;
      read_field(member.first, member.second);
    }
    if (draft_.problems.size() != problems_before) return;
    if (token_.principal.empty()) return problem(entry, "principal", "is missing");
    if (sources_ != 1) {
      return problem(entry, {}, "must have exactly one of token, token_env and token_file");
    }
    draft_.settings.auth.tokens.push_back(std::move(token_));
  }

 private:
  void problem(YAML::Node const& at, std::string_view field, std::string message) {
    auto key = field.empty() ? path_ : fmt::format("{}.{}", path_, field);
    draft_.problems.push_back({origin_of(at, file_), std::move(key), std::move(message)});
  }

  void read_field(YAML::Node const& key, YAML::Node const& value) {
    auto const& name = key.Scalar();
    auto const& at = value.IsNull() ? key : value;
    if (std::ranges::find(kFields, name, &TokenField::key) == std::end(kFields)) {
      std::vector<std::string> names;
      for (auto const& field : kFields) names.emplace_back(field.key);
      return problem(key, name, "unknown key" + did_you_mean(name, names));
    }
    auto const written = written_in(value);
    if (!written) return problem(at, name, written.error().message);
    if (written->is_list != (name == "scopes")) {
      return problem(at, name, name == "scopes" ? "must be a list" : "must be one value");
    }
    if (name == "scopes") {
      token_.scopes = written->items;
    } else if (auto done = read_text(name, written->items.front()); !done) {
      problem(at, name, done.error().message);
    }
  }

  Result<void> read_text(std::string const& name, std::string const& text) {
    if (name == "principal") {
      token_.principal = text;
      return {};
    }
    if (name == "caller") return read_caller(text);
    ++sources_;
    if (name == "token") return take(Secret{text});
    if (name == "token_env") return read_variable(text);
    SP_TRY(auto secret, read_secret_file(text));
    return take(std::move(secret));
  }

  Result<void> read_caller(std::string const& text) {
    if (text != "app" && text != "model") {
      return fail(Errc::InvalidInput, "must be one of app, model");
    }
    token_.kind = text == "app" ? CallerKind::App : CallerKind::Model;
    return {};
  }

  Result<void> read_variable(std::string const& name) {
    draft_.variables_in_use.insert(name);
    auto const found = std::ranges::find(draft_.environment, name, &Variables::value_type::first);
    if (found == draft_.environment.end()) {
      return fail(Errc::InvalidInput, fmt::format("the variable {} is not set", name));
    }
    return take(Secret{found->second});
  }

  Result<void> take(Secret secret) {
    auto problem = long_enough_token(secret.reveal());
    if (!problem.empty()) {
      return fail(Errc::InvalidInput, "the token " + std::move(problem));
    }
    token_.token = std::move(secret);
    return {};
  }

  std::string file_;
  std::string path_;
  Draft& draft_;
  oauth::StaticToken token_;
  int sources_{0};
};

}  // namespace

std::span<TokenField const> token_fields() noexcept {
  return kFields;
}

void read_tokens(YAML::Node const& list, std::string const& file, Draft& draft) {
  if (!list.IsSequence()) {
    auto message = fmt::format("must be a list of tokens, but there is {}", kind_of(list));
    draft.problems.push_back({origin_of(list, file), std::string{kList}, std::move(message)});
    return;
  }
  draft.origins.insert_or_assign(std::string{kList}, origin_of(list, file));
  // SECURITY: an empty list would leave the door open that the operator meant to close.
  if (list.size() == 0) note(kList, "must not be empty", draft);
  std::size_t index = 0;
  for (auto const& entry : list) {
    EntryReader{file, fmt::format("{}[{}]", kList, index++), draft}.read(entry);
  }
}

}  // namespace sallyport::config
