// The road out as the plain HTTP client that other modules ask for (http/client.hpp): for URLs that
// the operator's own settings name, such as an issuer's keys.
#pragma once

#include "src/base/one_shot_event.hpp"
#include "src/http/client.hpp"
#include "src/pipeline/road.hpp"

#include <memory>
#include <string>

namespace sallyport::pipeline {

// Whether the host of each request may be private: yes where it stands in the settings. SECURITY:
// no where somebody else names it, such as the metadata of a server.
enum class PrivateHosts { Open, Guarded };

class RoadClient final : public http::Client {
 public:
  // `purpose` stands in policy and audit log. `road` outlives the client.
  RoadClient(Road& road, std::string purpose, bool inject = true,
             PrivateHosts hosts = PrivateHosts::Open)
      : road_{road}, purpose_{std::move(purpose)}, inject_{inject}, hosts_{hosts} {}

  Task<http::Response> send(http::ClientRequest request) override;

  // Ends what is under way, and what comes: from any thread.
  void stop() { stopped_->set(); }

 private:
  Task<http::Response> send_on_road(http::ClientRequest request);

  Road& road_;
  std::string purpose_;
  bool inject_;
  PrivateHosts hosts_;
  std::shared_ptr<OneShotEvent> stopped_ = OneShotEvent::make();
};

}  // namespace sallyport::pipeline
