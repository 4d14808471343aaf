#include "src/app/servers/sign_in_client.hpp"

#include <vector>

namespace sallyport::app::servers {

std::unique_ptr<pipeline::RoadClient> sign_in_client(pipeline::Road& road,
                                                     upstream::ServerSettings const& server) {
  std::vector<egress::Opening> open;
  if (server.http && server.http->private_network) {
    open.push_back(egress::Opening::to(server.http->url));
  }
  return std::make_unique<pipeline::RoadClient>(road, "oauth", false,
                                                pipeline::PrivateHosts::Guarded, std::move(open));
}

}  // namespace sallyport::app::servers
