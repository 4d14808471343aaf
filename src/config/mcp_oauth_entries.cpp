// `oauth` of an MCP server: as whom we come to it, and how tokens for it are got.
#include "src/config/credential_entries.hpp"
#include "src/config/item_checks.hpp"
#include "src/config/mcp_server_entry.hpp"
#include "src/http/chars.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <yaml-cpp/yaml.h>

namespace sallyport::config {
namespace {

using oauth::ClientAuth;
using oauth::upstream::GrantKind;

constexpr EntryField kFields[] = {
    {"grant", "choice",
     "How tokens are got: `authorization_code` (default: a person signs in), "
     "`client_credentials`, `jwt_bearer` or `enterprise_managed`"},
    {"client_id", "text", "Who we are, where we were registered beforehand"},
    {"client_secret", "secret", "Our secret"},
    {"client_auth", "choice",
     "`client_secret_post`, `client_secret_basic`, `private_key_jwt` or `none`; default: what the "
     "server supports"},
    {"private_key", "secret", "PEM key of `private_key_jwt`; `file:PATH` takes the whole file"},
    {"key_id", "text", "`kid` of that key"},
    {"algorithm", "text", "Signature algorithm; default: the usual one of the key's type"},
    {"metadata_document", "text", "An https URL of ours that describes us, used as our id"},
    {"fallback_client_id", "text", "Our id where the server does not register clients"},
    {"client_name", "text", "What a person sees while signing in; default: Sallyport"},
    {"scopes", "list", "Asked for whatever the server says; default: what it says"},
    {"authorization_url", "text",
     "Where a person signs in, instead of what the server says; https (http on loopback)"},
    {"token_url", "text", "Where tokens are got, instead of what the server says; likewise"},
    {"issuer", "text", "Its name in answers (`iss`); default: the origin of `token_url`"},
    {"resource", "text", "What tokens are asked for; default: the server's URL"},
    {"assertion_file", "text",
     "Of `jwt_bearer` and `enterprise_managed`: file with the token to exchange, read each time"},
    {"assertion_env", "text", "The same, from a variable"},
    {"identity_provider", "section", "Of `enterprise_managed`: where the identity is exchanged"},
};

constexpr EntryField kProviderFields[] = {
    {"token_url", "text", "Its token endpoint, https (http on loopback); required"},
    {"client_id", "text", "Who we are there; required"},
    {"client_secret", "secret", "Our secret there"},
    {"client_auth", "choice",
     "`client_secret_post` (default with a secret), `client_secret_basic` or `none`"},
};

constexpr std::array<std::string_view, 4> kGrants{"authorization_code", "client_credentials",
                                                  "jwt_bearer", "enterprise_managed"};
constexpr std::array<std::string_view, 4> kClientAuth{"client_secret_post", "client_secret_basic",
                                                      "private_key_jwt", "none"};

Error wrong(std::string problem) {
  return fail(Errc::InvalidInput, std::move(problem));
}

Result<std::string> not_blank(std::string_view text) {
  std::string trimmed{http::trimmed(text)};
  if (trimmed.empty()) return wrong("must not be empty");
  return trimmed;
}

Result<Secret> read_secret(std::string const& text, Draft& draft) {
  SP_TRY(auto secret, read_secret_text(text, draft));
  if (secret.empty()) return wrong("must not be empty");
  return secret;
}

class ProviderReader {
 public:
  ProviderReader(EntryReader& parent, oauth::upstream::IdentityProvider& provider)
      : reader_{parent.file(), parent.path() + ".identity_provider", kProviderFields,
                parent.draft()},
        provider_{provider} {}

  void read(YAML::Node const& node) {
    bool const good = reader_.read(node, [this](std::string const& field, FieldValue const& value) {
      return take(field, value.text());
    });
    if (!good) return;
    if (provider_.token_url.empty()) return reader_.problem(node, "token_url", "is missing");
    if (provider_.client_id.empty()) return reader_.problem(node, "client_id", "is missing");
    if (!auth_ && !provider_.client_secret.empty()) provider_.client_auth = ClientAuth::SecretPost;
    if (auth_) provider_.client_auth = *auth_;
    bool const by_secret = provider_.client_auth != ClientAuth::None;
    if (by_secret != !provider_.client_secret.empty()) {
      reader_.problem(node, "client_secret", by_secret ? "is missing" : "is not used by none");
    }
  }

 private:
  Result<void> take(std::string const& field, std::string const& text) {
    if (field == "client_secret") {
      SP_TRY(provider_.client_secret, read_secret(text, reader_.draft()));
    } else if (field == "client_id") {
      SP_TRY(provider_.client_id, not_blank(text));
    } else if (field == "token_url") {
      if (auto problem = https_or_loopback_url(text); !problem.empty()) return wrong(problem);
      provider_.token_url = text;
    } else {
      SP_TRY(auto const choice, read_choice(text, kClientAuth));
      auth_ = static_cast<ClientAuth>(choice);
      if (*auth_ == ClientAuth::PrivateKeyJwt) return wrong("cannot be private_key_jwt here");
    }
    return {};
  }

  EntryReader reader_;
  oauth::upstream::IdentityProvider& provider_;
  std::optional<ClientAuth> auth_;
};

class OauthReader {
 public:
  OauthReader(EntryReader& parent, oauth::upstream::ServerSettings& oauth)
      : reader_{parent.file(), parent.path() + ".oauth", kFields, parent.draft()}, oauth_{oauth} {}

  void read(YAML::Node const& node) {
    bool const good = reader_.read(
        node,
        [this](std::string const& field, FieldValue const& value) { return take(field, value); },
        [this](std::string const&, YAML::Node const& section) {
          has_provider_ = true;
          ProviderReader{reader_, oauth_.identity_provider}.read(section);
        });
    if (good) check_together(node);
  }

 private:
  Result<void> take(std::string const& field, FieldValue const& value) {
    auto& client = oauth_.client;
    if (field == "scopes") return take_scopes(value);
    auto const& text = value.text();
    if (field == "client_secret") {
      SP_TRY(client.client_secret, read_secret(text, reader_.draft()));
    } else if (field == "private_key") {
      SP_TRY(private_key_, read_whole_secret(text, reader_.draft()));
    } else if (field == "grant") {
      SP_TRY(auto const choice, read_choice(text, kGrants));
      oauth_.kind = static_cast<GrantKind>(choice);
    } else if (field == "client_auth") {
      SP_TRY(auto const choice, read_choice(text, kClientAuth));
      client.client_auth = static_cast<ClientAuth>(choice);
    } else if (field == "algorithm") {
      if (auto problem = signature_algorithm(text); !problem.empty()) return wrong(problem);
      algorithm_ = text;
    } else if (field.starts_with("assertion_")) {
      return take_assertion(field, text);
    } else if (auto* const endpoint = stated_endpoint(field, oauth_.endpoints)) {
      return take_endpoint(*endpoint, field, text);
    } else {
      return take_text(field, text);
    }
    return {};
  }

  Result<void> take_text(std::string const& field, std::string const& text) {
    auto& client = oauth_.client;
    SP_TRY(auto trimmed, not_blank(text));
    if (field == "metadata_document") {
      if (!trimmed.starts_with("https://") || !http_url(trimmed).empty()) {
        return wrong("must be an https URL");
      }
      client.metadata_document = std::move(trimmed);
    } else if (field == "client_id") {
      client.client_id = std::move(trimmed);
    } else if (field == "key_id") {
      client.key_id = std::move(trimmed);
    } else if (field == "fallback_client_id") {
      client.fallback_client_id = std::move(trimmed);
    } else {
      client.name = std::move(trimmed);
    }
    return {};
  }

  static Result<void> take_endpoint(std::string& into, std::string const& field,
                                    std::string const& text) {
    if (auto problem = endpoint_problem(field, text); !problem.empty()) return wrong(problem);
    into = text;
    return {};
  }

  Result<void> take_scopes(FieldValue const& value) {
    std::vector<std::string> scopes;
    for (auto const& item : value.items) {
      SP_TRY(auto scope, not_blank(item));
      scopes.push_back(std::move(scope));
    }
    oauth_.scope = fmt::format("{}", fmt::join(scopes, " "));
    return {};
  }

  // Read once now, so that what is missing is noticed; then each time, since tokens are renewed.
  Result<void> take_assertion(std::string const& field, std::string const& text) {
    ++assertions_;
    SP_TRY(auto const now, read_secret_field(field, text, reader_.draft()));
    if (field == "assertion_file") {
      oauth_.assertion = [text] { return read_secret_file(text); };
    } else {
      oauth_.assertion = [now]() -> Result<Secret> { return now; };
    }
    return {};
  }

  void check_together(YAML::Node const& node) {
    auto const problem = [&](std::string_view field, std::string message) {
      reader_.problem(node, field, std::move(message));
    };
    auto& client = oauth_.client;
    bool const exchanges =
        oauth_.kind == GrantKind::JwtBearer || oauth_.kind == GrantKind::EnterpriseManaged;
    if (assertions_ > 1) return problem("assertion_env", "cannot be used with assertion_file");
    if (exchanges != (assertions_ == 1)) {
      return problem("assertion_file", exchanges ? "is missing"
                                                 : "needs the grant jwt_bearer or "
                                                   "enterprise_managed");
    }
    if ((oauth_.kind == GrantKind::EnterpriseManaged) != has_provider_) {
      return problem("identity_provider",
                     has_provider_ ? "needs the grant enterprise_managed" : "is missing");
    }
    if (!client.client_secret.empty() && client.client_id.empty()) {
      return problem("client_id", "is missing beside client_secret");
    }
    bool const machine = oauth_.kind == GrantKind::ClientCredentials;
    if (machine && client.client_id.empty()) return problem("client_id", "is missing");
    if (machine && client.client_secret.empty() && private_key_.empty()) {
      return problem("client_secret", "is missing, and so is private_key");
    }
    if (auto const lack = endpoints_lack(oauth_); !lack.empty()) {
      return problem(lack, "is missing beside the other endpoint");
    }
    bool const by_key = client.client_auth == ClientAuth::PrivateKeyJwt;
    if (by_key && private_key_.empty()) return problem("private_key", "is missing");
    if (private_key_.empty()) return;
    auto key = oauth::PrivateKey::from_pem(private_key_, algorithm_);
    if (!key) return problem("private_key", key.error().message);
    client.private_key = std::make_shared<oauth::PrivateKey const>(std::move(*key));
  }

  EntryReader reader_;
  oauth::upstream::ServerSettings& oauth_;
  Secret private_key_;
  std::string algorithm_;
  int assertions_{0};
  bool has_provider_{false};
};

}  // namespace

std::span<EntryField const> mcp_oauth_fields() {
  return kFields;
}

std::span<EntryField const> identity_provider_fields() {
  return kProviderFields;
}

std::string* stated_endpoint(std::string_view field, oauth::upstream::StatedEndpoints& endpoints) {
  if (field == "authorization_url") return &endpoints.authorization_url;
  if (field == "token_url") return &endpoints.token_url;
  if (field == "issuer") return &endpoints.issuer;
  if (field == "resource") return &endpoints.resource;
  return nullptr;
}

std::string endpoint_problem(std::string_view field, std::string_view text) {
  return field == "resource" ? http_url(text) : https_or_loopback_url(text);
}

std::string_view endpoints_lack(oauth::upstream::ServerSettings const& oauth) {
  auto const& [authorization_url, token_url, issuer, resource, in_need_only] = oauth.endpoints;
  bool const by_person = oauth.kind == GrantKind::AuthorizationCode;
  if (token_url.empty()) {
    bool const some = !authorization_url.empty() || !issuer.empty() || !resource.empty();
    return some ? "token_url" : "";
  }
  return by_person && authorization_url.empty() ? "authorization_url" : "";
}

void read_mcp_oauth(YAML::Node const& node, EntryReader& parent,
                    oauth::upstream::ServerSettings& oauth) {
  OauthReader{parent, oauth}.read(node);
}

json::Object shown_mcp_oauth(oauth::upstream::ServerSettings const& oauth) {
  json::Object shown;
  auto const show = [&](std::string_view key, std::string const& text) {
    if (!text.empty()) shown[key] = text;
  };
  auto const& client = oauth.client;
  if (oauth.kind != GrantKind::AuthorizationCode) {
    shown["grant"] = kGrants[static_cast<std::size_t>(oauth.kind)];
  }
  show("client_id", client.client_id);
  if (!client.client_secret.empty()) shown["client_secret"] = "****";
  if (client.client_auth) {
    shown["client_auth"] = kClientAuth[static_cast<std::size_t>(*client.client_auth)];
  }
  if (client.private_key) shown["private_key"] = "****";
  show("key_id", client.key_id);
  show("metadata_document", client.metadata_document);
  show("fallback_client_id", client.fallback_client_id);
  if (client.name != oauth::upstream::ClientSettings{}.name) show("client_name", client.name);
  show("scopes", oauth.scope);
  show("authorization_url", oauth.endpoints.authorization_url);
  show("token_url", oauth.endpoints.token_url);
  show("issuer", oauth.endpoints.issuer);
  show("resource", oauth.endpoints.resource);
  if (oauth.assertion) shown["assertion"] = "****";
  show("identity_provider", oauth.identity_provider.token_url);
  return shown;
}

}  // namespace sallyport::config
