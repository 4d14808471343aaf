// The tool `http_request` in the whole service: three callers, and origins that keep what they were
// sent.
#pragma once

#include "src/app/product_registry.hpp"
#include "src/http/chars.hpp"
#include "src/http/message.hpp"
#include "src/json/write.hpp"
#include "src/tools/backend.hpp"

#include "tests/integration/mcp_service_fixture.hpp"
#include "tests/support/origin.hpp"

#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::test {

// An origin whose requests can be looked at afterwards.
class RecordingOrigin {
 public:
  using Answer = std::function<std::string(std::string const& request)>;

  explicit RecordingOrigin(Answer answer)
      : answer_{std::move(answer)},
        origin_{Origin::answering([this](std::string const& request) { return take(request); })} {}

  std::string url(std::string_view path = "/") const { return origin_.url(path); }
  std::size_t count() const { return origin_.requests(); }

  std::vector<std::string> requests() {
    std::lock_guard const lock{mutex_};
    return requests_;
  }
  std::string last() {
    auto const all = requests();
    return all.empty() ? std::string{} : all.back();
  }

  static std::string body_of(std::string const& request) {
    return request.substr(request.find("\r\n\r\n") + 4);
  }
  static std::string path_of(std::string const& request) {
    auto const begin = request.find(' ') + 1;
    return request.substr(begin, request.find(' ', begin) - begin);
  }
  // Empty when there is no such field. Names are equal in any case.
  static std::string field_of(std::string_view request, std::string_view name) {
    for (auto line = request.find("\r\n"); line != request.find("\r\n\r\n");
         line = request.find("\r\n", line + 2)) {
      auto const rest = request.substr(line + 2);
      bool const found =
          http::equals_ignoring_case(rest.substr(0, name.size()), name) && rest[name.size()] == ':';
      if (found) {
        auto const value = rest.substr(name.size() + 1);
        return std::string{http::trimmed(value.substr(0, value.find("\r\n")))};
      }
    }
    return {};
  }

 private:
  std::string take(std::string const& request) {
    {
      std::lock_guard const lock{mutex_};
      requests_.push_back(request);
    }
    return answer_(request);
  }

  Answer answer_;
  std::mutex mutex_;
  std::vector<std::string> requests_;
  Origin origin_;
};

// The result of a call, taken apart.
struct AppReply {
  json::Object result;

  bool is_error() const {
    auto const* flag = json::find(result, "isError");
    return flag != nullptr && *flag == true;
  }
  std::string text() const {
    return std::string{json::view(result.at("content").at(0).at("text").get_string())};
  }
  json::Object const& facts() const { return result.at("structuredContent").as_object(); }
  std::string body() const { return std::string{json::view(facts().at("body").as_string())}; }
  std::int64_t status() const { return facts().at("status").to_number<std::int64_t>(); }
  std::string error_code() const {
    return std::string{json::view(result.at("_meta").at("sallyport/error").at("code").as_string())};
  }
};

class HttpRequestTest : public McpServiceTest {
 protected:
  static constexpr auto* kAlice = "alice-has-a-long-enough-token-0001";
  static constexpr auto* kBob = "bob-has-a-long-enough-token-0000002";
  static constexpr auto* kModel = "a-model-has-a-long-enough-token-03";

  HttpRequestTest() {
    settings_.auth.tokens = {
        {.principal = "alice", .token = Secret{kAlice}, .kind = CallerKind::App},
        {.principal = "bob", .token = Secret{kBob}, .kind = CallerKind::App},
        {.principal = "model", .token = Secret{kModel}, .kind = CallerKind::Model}};
  }

  tools::Backend& add_backend(std::string name, std::string const& base) {
    return settings_.backends.emplace_back(tools::Backend{
        .name = std::move(name), .base = *url::Url::parse(base), .private_network = true});
  }

  void serve_for(RecordingOrigin const& origin, std::string_view base = "/") {
    add_backend("api", origin.url(base));
    serve();
  }

  static Fields bearer(std::string const& token) { return {{"Authorization", "Bearer " + token}}; }

  RawResponse ask_as(std::string const& token, Modern request) {
    request.fields = bearer(token);
    return ask(request.http());
  }

  AppReply call(json::Object const& arguments, std::string const& token = kAlice) {
    auto const response = ask_as(token, modern_call("http_request", json::to_text(arguments)));
    EXPECT_EQ(response.status, 200) << response.body;
    auto const message = parsed(response.body);
    auto const* result = json::find_object(message, "result");
    EXPECT_NE(result, nullptr) << response.body;
    return {result == nullptr ? json::Object{} : *result};
  }

 private:
  Result<std::shared_ptr<mcp::Registry const>> registry(app::ServiceCore& core) override {
    return app::product_registry(settings_, core.road(), nullptr, &core.views());
  }
};

}  // namespace sallyport::test
