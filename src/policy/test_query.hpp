// A call to judge, with everything it points to.
#pragma once

#include "src/policy/evaluator.hpp"

#include <string>
#include <vector>

namespace sallyport::policy::test {

struct TestQuery {
  url::Url url{*url::Url::parse("https://api.example:8443/v1/items?limit=2")};
  std::string method{"GET"};
  std::string operation{"fetch"};
  http::Headers headers{
      {"Accept", "text/html"}, {"Accept", "*/*"}, {"Authorization", "Bearer hush"}};
  RequestContext request{
      .request_id = "r-1",
      .principal = {.id = "ada", .issuer = "https://id.example", .scopes = {"read"}},
      .client = "client/1"};
  std::vector<std::string> injected{"Authorization"};
  bool injection_failed{false};
  bool named_by_settings{false};
  Deadline deadline;

  Query get() const {
    return {.operation = operation,
            .purpose = operation,
            .url = url,
            .method = method,
            .headers = headers,
            .request = request,
            .tool = "fetch",
            .server = "",
            .hop = 1,
            .injection_failed = injection_failed,
            .injected = injected,
            .named_by_settings = named_by_settings,
            .deadline = deadline};
  }
};

}  // namespace sallyport::policy::test
