// Servers that exist only in a test: what they answer to which request, and what they were asked.
#pragma once

#include "src/http/client.hpp"
#include "src/json/parse.hpp"
#include "src/oauth/upstream/grant_store.hpp"
#include "src/store/aead_sealer.hpp"

#include "tests/support/run.hpp"
#include "tests/support/temp_folder.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace sallyport::oauth::upstream::fakes {

inline http::Response json_answer(std::string body, int status = 200) {
  return {.status = status, .content_type = "application/json", .body = std::move(body)};
}

inline http::Response redirect(std::string location) {
  return {.status = 302, .headers = {{"Location", std::move(location)}}};
}

// Answers by method and URL, in order; the last answer of a place goes on. Everything else is 404.
class ScriptedServers final : public http::Client {
 public:
  Task<http::Response> send(http::ClientRequest request) override {
    auto answer = take(std::move(request));
    co_return answer;
  }

  void on(std::string const& place, Result<http::Response> answer) {
    answers_[place].push_back(std::move(answer));
  }
  // From now on only that.
  void instead(std::string const& place, Result<http::Response> answer) {
    answers_[place] = {std::move(answer)};
  }

  // "GET https://…", in order.
  std::vector<std::string> asked() const {
    std::vector<std::string> places;
    for (auto const& request : requests) places.push_back(request.method + " " + request.url);
    return places;
  }
  std::ptrdiff_t times(std::string const& place) const {
    return std::ranges::count(asked(), place);
  }
  http::ClientRequest last(std::string const& place) const {
    http::ClientRequest found;
    for (auto const& request : requests) {
      if (request.method + " " + request.url == place) found = request;
    }
    return found;
  }
  std::string last_field(std::string const& place, std::string const& name) const {
    return http::query_value(last(place).body, name);
  }

  std::vector<http::ClientRequest> requests;

 private:
  Result<http::Response> take(http::ClientRequest request) {
    std::lock_guard const lock{mutex_};
    auto const found = answers_.find(request.method + " " + request.url);
    requests.push_back(std::move(request));
    if (found == answers_.end()) return http::Response{.status = 404};
    auto& queue = found->second;
    auto answer = queue.front();
    if (queue.size() > 1) queue.pop_front();
    return answer;
  }

  std::mutex mutex_;
  std::map<std::string, std::deque<Result<http::Response>>> answers_;
};

inline constexpr auto* kServer = "https://mcp.example/mcp";
inline constexpr auto* kResourceMetadata =
    "GET https://mcp.example/.well-known/oauth-protected-resource/mcp";
inline constexpr auto* kIssuerMetadata =
    "GET https://as.example/.well-known/oauth-authorization-server";
inline constexpr auto* kToken = "POST https://as.example/token";
inline constexpr auto* kRegister = "POST https://as.example/register";
inline constexpr auto* kRevoke = "POST https://as.example/revoke";
inline constexpr auto* kRedirectUri = "http://127.0.0.1:3000/callback";

inline std::string resource_document(std::string const& more = {}) {
  return R"({"resource":"https://mcp.example/mcp","authorization_servers":["https://as.example"])" +
         more + "}";
}

inline std::string issuer_document(std::string const& more = {}) {
  return R"({"issuer":"https://as.example",)"
         R"("authorization_endpoint":"https://as.example/authorize",)"
         R"("token_endpoint":"https://as.example/token",)"
         R"("registration_endpoint":"https://as.example/register",)"
         R"("revocation_endpoint":"https://as.example/revoke",)"
         R"("token_endpoint_auth_methods_supported":["none","client_secret_basic"],)"
         R"("code_challenge_methods_supported":["S256"])" +
         more + "}";
}

inline std::string token_answer(std::string const& name, std::string const& more = {}) {
  return R"({"access_token":")" + name + R"(","token_type":"Bearer","expires_in":3600)" + more +
         "}";
}

// An MCP server and its authorization server, which registers everybody.
inline void usual_servers(ScriptedServers& servers) {
  servers.instead(kResourceMetadata, json_answer(resource_document()));
  servers.instead(kIssuerMetadata, json_answer(issuer_document()));
  servers.instead(kRegister, json_answer(R"({"client_id":"client-1"})", 201));
  servers.instead(kToken, json_answer(token_answer("access-1", R"(,"refresh_token":"refresh-1")")));
  servers.instead(kRevoke, http::Response{.status = 200});
}

inline std::unique_ptr<GrantStore> open_store(test::TempFolder const& folder,
                                              store::SealingKey const& key) {
  auto store =
      GrantStore::open(folder.file("grants.db"), std::make_unique<store::AeadSealer const>(key));
  return store ? *std::move(store) : nullptr;
}

inline ServerSettings usual_settings() {
  return {.id = "shop", .url = kServer};
}

// The value of a parameter in a URL's query.
inline std::string parameter(std::string const& url, std::string_view name) {
  return http::query_value(std::string_view{url}.substr(url.find('?') + 1), name);
}

}  // namespace sallyport::oauth::upstream::fakes
