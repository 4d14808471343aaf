// The road out as the plain HTTP client that other modules ask for (http/client.hpp): for URLs that
// the operator's own settings name, such as an issuer's keys.
#pragma once

#include "src/http/client.hpp"
#include "src/pipeline/road.hpp"

#include <string>

namespace sallyport::pipeline {

class RoadClient final : public http::Client {
 public:
  // `purpose` stands in policy and audit log. `open` are the hosts that the settings name: they may
  // be private. `road` outlives the client.
  RoadClient(Road& road, std::string purpose, std::vector<egress::Opening> open)
      : road_{road}, purpose_{std::move(purpose)}, open_{std::move(open)} {}

  Task<http::Response> send(http::ClientRequest request) override;

 private:
  Road& road_;
  std::string purpose_;
  std::vector<egress::Opening> open_;
};

}  // namespace sallyport::pipeline
