#include "src/app/servers/sign_in_client.hpp"

#include <algorithm>
#include <vector>

namespace sallyport::app::servers {

bool needs_sign_in(upstream::ServerSettings const& server) {
  return server.http && std::ranges::none_of(server.http->headers, [](auto const& header) {
           return http::equals_ignoring_case(header.first, "Authorization");
         });
}

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
