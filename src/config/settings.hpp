// Every setting of the program, as values. The initializers here are the defaults.
//
// What a setting is called, what it means and where it may come from is in table/; a new
// setting is a member here and one entry there.
#pragma once

#include "src/audit/audit_log.hpp"
#include "src/base/log.hpp"
#include "src/base/secret.hpp"
#include "src/credentials/injector.hpp"
#include "src/egress/exchange.hpp"
#include "src/net/http_server.hpp"
#include "src/oauth/inbound_options.hpp"
#include "src/oauth/upstream/client_settings.hpp"
#include "src/pipeline/limiter.hpp"
#include "src/policy/allowlist.hpp"
#include "src/policy/chain_settings.hpp"
#include "src/stream/limits.hpp"
#include "src/tools/backend.hpp"
#include "src/tools/run_js/run_js.hpp"
#include "src/upstream/server_settings.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sallyport::config {

// What `initialize` and `server/discover` say about us.
struct ServerSettings {
  std::string name{"sallyport"};
  std::string version{SALLYPORT_VERSION};
  std::string title;
  std::string instructions;
  // Answered to `initialize` when a client asks for a version that we do not know.
  std::string protocol_version{"2025-11-25"};
};

struct ListenSettings {
  std::string host{"127.0.0.1"};
  std::uint16_t port{3000};
  net::TlsOptions tls;
  std::string path{"/mcp"};
  std::vector<std::string> allowed_origins;
  std::vector<std::string> allowed_hosts;
  bool insecure_no_auth{false};
  std::size_t loops{0};  // 0: one per core
};

struct LimitSettings {
  net::ServerLimits http;
  std::size_t json_depth{128};
  std::size_t sessions{10'000};
  std::chrono::milliseconds session_idle_timeout{std::chrono::minutes{30}};
  std::size_t requests_in_flight{64};  // of one session, or of one connection without a session
  std::chrono::milliseconds sse_keep_alive{15'000};
  std::size_t sse_queue_bytes{1024UL * 1024};
  std::size_t event_store_events{1024};
  std::size_t event_store_bytes{4UL * 1024 * 1024};
  std::chrono::milliseconds call_timeout{300'000};
  std::chrono::milliseconds shutdown_grace{10'000};
  std::size_t page_size{100};
  std::chrono::milliseconds cache_ttl{60'000};
};

struct FetchSettings {
  std::vector<std::string> allowed_schemes{"http", "https"};
  std::size_t max_redirects{5};
  std::string default_user_agent{"ModelContextProtocol/1.0 (Fetch Server)"};
  bool enable_sse{false};
  bool robots{true};
  std::chrono::milliseconds timeout{30'000};
  std::chrono::milliseconds max_timeout{120'000};
  std::size_t max_bytes{10UL * 1024 * 1024};
};

// The road out. Texts are checked when they are read, and become options in egress_options.hpp.
struct EgressSettings {
  std::vector<std::string> ports{"80", "443", "8000", "8008", "8080", "8443", "8888"};
  std::vector<std::string> open;
  std::vector<std::string> dns_servers;
  std::chrono::milliseconds dns_timeout{5'000};
  std::string ca_file;
  std::string proxy;
  Secret proxy_login;
  bool proxy_by_name{false};
  egress::ExchangeLimits exchange;
  std::size_t connections_per_host{64};
  pipeline::LimiterOptions limits;
  std::string rate_per_principal;
  std::string rate_per_tool;
  std::string rate_per_host;
  policy::AllowlistOptions policy;
  std::vector<credentials::Rule> inject;
  bool mask_echoes{true};
};

struct AuditSettings {
  bool enabled{true};
  std::string file;      // once loaded: where state belongs, unless the operator named another
  std::string key_file;  // empty: beside the file
  audit::Durability durability{audit::Durability::Process};
  audit::WhenFull when_full{audit::WhenFull::Refuse};
  std::chrono::milliseconds keep_for{std::chrono::hours{24 * 90}};
  std::size_t keep_bytes{1024UL * 1024 * 1024};
  std::size_t checkpoint_every{1000};
  std::vector<std::string> shown_query_parameters;

  audit::AuditOptions options() const {
    return {.file = file,
            .key_file = key_file,
            .durability = durability,
            .when_full = when_full,
            .keep_for = keep_for,
            .keep_bytes = keep_bytes,
            .checkpoint_every = checkpoint_every};
  }
};

// Of the tool that carries fetch() of apps; the places that it reaches are Settings::backends.
struct HttpRequestSettings {
  std::vector<std::string> absolute_urls;
  std::chrono::milliseconds timeout{30'000};
  std::chrono::milliseconds max_timeout{120'000};
  std::size_t max_redirects{20};
  std::size_t cache_bytes{8UL * 1024 * 1024};
  std::size_t cookies{512};
  std::string default_user_agent{"Mozilla/5.0 (compatible; Sallyport)"};
};

// Of what comes to apps, and from them, piece by piece (docs/streams.md).
struct StreamSettings {
  std::size_t per_view{64};
  std::size_t views_per_principal{1024};
  std::size_t window_bytes{1024UL * 1024};
  std::size_t view_bytes{8UL * 1024 * 1024};
  std::size_t principal_bytes{64UL * 1024 * 1024};
  std::chrono::milliseconds lease{60'000};
  std::size_t inline_bytes{256UL * 1024};
  std::size_t message_bytes{16UL * 1024 * 1024};
  std::size_t event_bytes{1024UL * 1024};
  std::size_t total_bytes{0};

  stream::Limits limits() const;
  tools::StreamOptions options() const;
};

// Whether run_js is offered: always, never, or where there is a sandbox for its scripts.
enum class JsEnabled { Auto, On, Off };

struct JsSettings {
  JsEnabled enabled{JsEnabled::Auto};
  js::EngineOptions engine;
  tools::RunJsOptions run;
  tools::ExecutionLimits executions;
};

// An MCP server behind the gateway.
struct McpServerSettings {
  upstream::ServerSettings server;
  oauth::upstream::ServerSettings oauth;  // of one that is reached over HTTP
  bool enabled{true};
  std::string origin;  // where it is written: "sallyport.yaml:4:9", "servers.json: mcpServers.fs"
};

// Whether tools are listed, or found by searching for them; Auto: searched when there are many.
enum class ToolSearch { Off, On, Auto };

// When a tool's definition must be approved: once it differs from what was seen first, always, or
// never.
enum class Approval { FirstUse, Always, Off };

// Under which names a server's things are listed where there is that server only (/mcp/{server}).
enum class ServerNames { Prefixed, Original };

struct GatewaySettings {
  std::vector<std::string> servers_files;  // of other programs, too: read, never written
  // Once loaded these are where state belongs, unless the operator named others. Empty: nobody says
  // where.
  std::string servers_file;    // that `sallyport servers add` writes
  std::string grants_file;     // sealed: who signed in where
  std::string approvals_file;  // which definitions of tools are approved
  // Seals the grants. Empty: the one in the keyring, or a random one in a file beside them
  // (app/servers/grants.hpp).
  Secret grants_key;
  std::string grants_key_keyring;  // the name of an entry; empty: the keyring is not asked
  ToolSearch search{ToolSearch::Auto};
  std::size_t search_above{200};
  Approval approval{Approval::FirstUse};
  ServerNames server_names{ServerNames::Prefixed};
};

// Secrets as the operator gave them. Once loaded, `auth_token` is one of `Settings::auth.tokens`
// and the files have been read: use Settings::auth and Settings::state_key.
struct SecretSources {
  Secret auth_token;
  std::string auth_token_file;
  std::string state_key_file;
  std::string grants_key_file;
};

struct Settings {
  ServerSettings server;
  ListenSettings listen;
  LimitSettings limits;
  oauth::InboundOptions auth;
  EgressSettings egress;
  FetchSettings fetch;
  HttpRequestSettings http_request;
  StreamSettings streams;
  JsSettings js;
  std::vector<tools::Backend> backends;
  GatewaySettings gateway;
  std::vector<McpServerSettings> mcp_servers;  // those of the JSON files as well; unique names
  policy::ChainSettings policies;
  AuditSettings audit;
  // Seals what peers hold for us, so that any replica can open it. Empty: made up at start.
  Secret state_key;
  log::Options log;
  SecretSources sources;

  // Only of settings that were loaded without a problem.
  tools::HttpRequestOptions http_request_options() const;

  net::ServerOptions server_options() const {
    return {.host = listen.host, .port = listen.port, .tls = listen.tls, .limits = limits.http};
  }
};

}  // namespace sallyport::config
