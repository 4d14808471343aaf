// The road out as the plain HTTP client that other modules ask for (http/client.hpp): for URLs that
// the operator's own settings name, such as an issuer's keys.
#pragma once

#include "src/http/client.hpp"
#include "src/pipeline/road.hpp"

#include <string>

namespace sallyport::pipeline {

class RoadClient final : public http::Client {
 public:
  // `purpose` stands in policy and audit log. What is asked for stands in the settings, so that it
  // may be private: the host of each request is open to it. `road` outlives the client.
  RoadClient(Road& road, std::string purpose, bool inject = true)
      : road_{road}, purpose_{std::move(purpose)}, inject_{inject} {}

  Task<http::Response> send(http::ClientRequest request) override;

 private:
  Road& road_;
  std::string purpose_;
  bool inject_;
};

}  // namespace sallyport::pipeline
