// The road out as the plain HTTP client that other modules ask for (http/client.hpp): for URLs that
// the operator's own settings name, such as an issuer's keys.
#pragma once

#include "src/base/one_shot_event.hpp"
#include "src/http/client.hpp"
#include "src/pipeline/road.hpp"

#include <memory>
#include <string>

namespace sallyport::pipeline {

class RoadClient final : public http::Client {
 public:
  // `purpose` stands in policy and audit log. What is asked for stands in the settings, so that it
  // may be private: the host of each request is open to it. `road` outlives the client.
  RoadClient(Road& road, std::string purpose, bool inject = true)
      : road_{road}, purpose_{std::move(purpose)}, inject_{inject} {}

  Task<http::Response> send(http::ClientRequest request) override;

  // Ends what is under way, and what comes: from any thread.
  void stop() { stopped_->set(); }

 private:
  Task<http::Response> send_on_road(http::ClientRequest request);

  Road& road_;
  std::string purpose_;
  bool inject_;
  std::shared_ptr<OneShotEvent> stopped_ = OneShotEvent::make();
};

}  // namespace sallyport::pipeline
