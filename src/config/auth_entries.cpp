// `auth` of a rule that adds a header: an access token by OAuth client credentials.
#include "src/config/credential_entries.hpp"
#include "src/config/item_checks.hpp"
#include "src/config/units.hpp"
#include "src/config/yaml_node.hpp"
#include "src/http/chars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sallyport::config {
namespace {

using std::chrono::seconds;

constexpr std::string_view kType = "oauth_client_credentials";
constexpr std::uint64_t kLongestSeconds = 86'400;

constexpr EntryField kFields[] = {
    {"type", "text", "`oauth_client_credentials`; required"},
    {"header", "text", "Header that gets the token; default: `Authorization`"},
    {"token_url", "text", "Token endpoint, https (http on loopback); required"},
    {"client_id", "text", "Who we are; required"},
    {"client_secret", "secret", "Our secret"},
    {"client_auth", "choice",
     "`client_secret_post` (default), `client_secret_basic` or `private_key_jwt`"},
    {"private_key", "secret", "PEM key of `private_key_jwt`; `file:PATH` takes the whole file"},
    {"key_id", "text", "`kid` of that key"},
    {"algorithm", "text", "Signature algorithm; default: the usual one of the key's type"},
    {"assertion_audience", "text", "`aud` of what the key signs; default: `token_url`"},
    {"scope", "text", "Scopes, with blanks between them"},
    {"audience", "text", "`audience` parameter"},
    {"resource", "text or list", "`resource` parameters (RFC 8707)"},
    {"parameters", "map", "Other parameters of the request; values as of a secret"},
    {"refresh_buffer_secs", "number",
     "A token counts as expired so many seconds before it is; default: 30"},
    {"assumed_lifetime_secs", "number",
     "How long a token is kept that does not say when it expires; default: 300"},
    {"timeout", "duration", "Time for one request to the token endpoint; default: 10s"},
};

constexpr std::array<std::string_view, 3> kClientAuth{"client_secret_post", "client_secret_basic",
                                                      "private_key_jwt"};

// These have fields of their own, or are ours to set.
constexpr std::array<std::string_view, 10> kReservedParameters{
    "grant_type",    "client_id", "client_secret", "client_assertion", "client_assertion_type",
    "refresh_token", "scope",     "audience",      "resource",         "assertion"};

Error wrong(std::string problem) {
  return fail(Errc::InvalidInput, std::move(problem));
}

Result<std::string> not_blank(std::string_view text) {
  std::string trimmed{http::trimmed(text)};
  if (trimmed.empty()) return wrong("must not be empty");
  return trimmed;
}

Result<seconds> read_seconds(std::string const& text) {
  auto const number = parse_number(text);
  if (!number || *number > kLongestSeconds) return wrong("must be 0 to 86400 seconds");
  return seconds{static_cast<std::int64_t>(*number)};
}

Result<std::chrono::milliseconds> read_timeout(std::string const& text) {
  SP_TRY(auto const timeout, parse_duration(text));
  if (timeout < std::chrono::milliseconds{1} || timeout > std::chrono::minutes{5}) {
    return wrong("must be 1ms to 5m");
  }
  return timeout;
}

class AuthReader {
 public:
  explicit AuthReader(EntryReader& reader) : reader_{reader} {}

  std::optional<AuthSection> read(YAML::Node const& node) {
    bool const good = reader_.read(
        node,
        [this](std::string const& field, FieldValue const& value) { return take(field, value); },
        [this](std::string const&, YAML::Node const& map) { take_parameters(map); });
    if (!good || !complete(node)) return std::nullopt;
    return std::move(section_);
  }

 private:
  Result<void> take(std::string const& field, FieldValue const& value) {
    auto& options = section_.options;
    if (field == "resource") return take_resources(value);
    auto const& text = value.text();
    if (field == "client_secret" || field == "private_key") return take_secret(field, text);
    if (field == "refresh_buffer_secs") {
      SP_TRY(options.refresh_buffer, read_seconds(text));
      return {};
    }
    if (field == "assumed_lifetime_secs") {
      SP_TRY(options.assumed_lifetime, read_seconds(text));
      return {};
    }
    if (field == "timeout") {
      SP_TRY(options.timeout, read_timeout(text));
      return {};
    }
    SP_TRY(auto trimmed, not_blank(text));
    return take_text(field, std::move(trimmed));
  }

  Result<void> take_text(std::string const& field, std::string text) {
    auto& options = section_.options;
    if (field == "type") {
      if (text != kType) return wrong(fmt::format("must be {}", kType));
      has_type_ = true;
    } else if (field == "header") {
      if (auto problem = injected_header(text); !problem.empty()) return wrong(std::move(problem));
      section_.header = std::move(text);
    } else if (field == "token_url") {
      auto problem = https_or_loopback_url(text);
      if (!problem.empty()) return wrong(std::move(problem));
      options.token_url = std::move(text);
    } else if (field == "client_auth") {
      SP_TRY(auto const choice, read_choice(text, kClientAuth));
      options.client_auth = static_cast<oauth::ClientAuth>(choice);
    } else if (field == "algorithm") {
      auto problem = signature_algorithm(text);
      if (!problem.empty()) return wrong(std::move(problem));
      algorithm_ = std::move(text);
    } else {
      *plain_text(field) = std::move(text);
    }
    return {};
  }

  std::string* plain_text(std::string_view field) {
    auto& options = section_.options;
    if (field == "client_id") return &options.client_id;
    if (field == "key_id") return &options.key_id;
    if (field == "assertion_audience") return &options.assertion_audience;
    if (field == "scope") return &options.scope;
    return &options.audience;
  }

  Result<void> take_resources(FieldValue const& value) {
    if (value.items.empty()) return wrong("must not be empty");
    for (auto const& item : value.items) {
      SP_TRY(auto resource, not_blank(item));
      section_.options.resources.push_back(std::move(resource));
    }
    return {};
  }

  Result<void> take_secret(std::string const& field, std::string const& text) {
    bool const key = field == "private_key";
    SP_TRY(auto secret, key ? read_whole_secret(text, reader_.draft())
                            : read_secret_text(text, reader_.draft()));
    // SECURITY: what is wrong is said without the value.
    if (secret.empty()) return wrong("must not be empty");
    (key ? private_key_ : section_.options.client_secret) = std::move(secret);
    return {};
  }

  void take_parameters(YAML::Node const& map) {
    if (!map.IsMap()) {
      return reader_.problem(map, "parameters", "must have names with their values");
    }
    std::vector<std::string> seen;
    for (auto const& member : map) {
      if (!good_member(member.first, reader_.path() + ".parameters", seen, reader_.file(),
                       reader_.draft())) {
        continue;
      }
      auto const& name = member.first.Scalar();
      auto const where = "parameters." + name;
      if (name.empty() || !member.second.IsScalar()) {
        reader_.problem(member.first, where, "must be a name with one value");
      } else if (std::ranges::find(kReservedParameters, name) != kReservedParameters.end()) {
        reader_.problem(member.first, where, "cannot be set here");
      } else {
        take_parameter(member.second, where, name);
      }
    }
  }

  void take_parameter(YAML::Node const& value, std::string const& where, std::string const& name) {
    auto const text = read_secret_text(value.Scalar(), reader_.draft());
    if (!text) return reader_.problem(value, where, text.error().message);
    section_.options.parameters.emplace_back(name, text->reveal());
  }

  // What no single field can know.
  bool complete(YAML::Node const& node) {
    auto& options = section_.options;
    auto const missing = [&](std::string_view field) {
      reader_.problem(node, field, "is missing");
      return false;
    };
    if (!has_type_) return missing("type");
    if (options.token_url.empty()) return missing("token_url");
    if (options.client_id.empty()) return missing("client_id");
    bool const by_key = options.client_auth == oauth::ClientAuth::PrivateKeyJwt;
    if (by_key && private_key_.empty()) return missing("private_key");
    if (!by_key && options.client_secret.empty()) return missing("client_secret");
    if (by_key && !options.client_secret.empty()) {
      reader_.problem(node, "client_secret", "is not used by private_key_jwt");
      return false;
    }
    bool const about_a_key = !private_key_.empty() || !algorithm_.empty() ||
                             !options.key_id.empty() || !options.assertion_audience.empty();
    if (!by_key && about_a_key) {
      reader_.problem(node, "client_auth",
                      "must be private_key_jwt where there are private_key, key_id, algorithm or "
                      "assertion_audience");
      return false;
    }
    return !by_key || read_key(node);
  }

  bool read_key(YAML::Node const& node) {
    auto key = oauth::PrivateKey::from_pem(private_key_, algorithm_);
    if (!key) {
      reader_.problem(node, "private_key", key.error().message);
      return false;
    }
    section_.options.private_key = std::make_shared<oauth::PrivateKey const>(std::move(*key));
    return true;
  }

  EntryReader& reader_;
  AuthSection section_;
  Secret private_key_;
  std::string algorithm_;
  bool has_type_{false};
};

void show_if_set(json::Object& object, std::string_view key, std::string const& text) {
  if (!text.empty()) object[key] = text;
}

}  // namespace

std::span<EntryField const> auth_fields() {
  return kFields;
}

std::optional<AuthSection> read_auth(YAML::Node const& node, EntryReader& parent) {
  EntryReader reader{parent.file(), parent.path() + ".auth", kFields, parent.draft()};
  return AuthReader{reader}.read(node);
}

void show_auth(json::Object& entry, std::string const& header, oauth::TokenOptions const& options) {
  json::Object auth{{"type", kType},
                    {"header", header},
                    {"token_url", options.token_url},
                    {"client_id", options.client_id},
                    {"client_auth", kClientAuth[static_cast<std::size_t>(options.client_auth)]}};
  bool const by_key = options.client_auth == oauth::ClientAuth::PrivateKeyJwt;
  auth[by_key ? "private_key" : "client_secret"] = "****";
  if (by_key) auth["algorithm"] = name_of(options.private_key->algorithm());
  show_if_set(auth, "key_id", options.key_id);
  show_if_set(auth, "assertion_audience", options.assertion_audience);
  show_if_set(auth, "scope", options.scope);
  show_if_set(auth, "audience", options.audience);
  if (!options.resources.empty()) {
    auto& list = auth["resource"].emplace_array();
    for (auto const& resource : options.resources) list.emplace_back(resource);
  }
  if (!options.parameters.empty()) {
    auto& map = auth["parameters"].emplace_object();
    // SECURITY: servers have parameters that are secrets.
    for (auto const& [name, value] : options.parameters) map[name] = "****";
  }
  auth["refresh_buffer_secs"] = options.refresh_buffer.count();
  auth["assumed_lifetime_secs"] = options.assumed_lifetime.count();
  auth["timeout"] = format_duration(options.timeout);
  entry["auth"] = std::move(auth);
}

}  // namespace sallyport::config
