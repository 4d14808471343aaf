#include "src/pipeline/policy_sender.hpp"

#include <utility>

namespace sallyport::pipeline {

Task<http::Response> PolicySender::send(policy::SendRequest request, policy::Question judged) {
  auto about = judged.request();  // whose call it is judged for
  about.deadline = request.deadline;
  Passage const passage{.request = &about,
                        .operation = std::string{policy::kPolicyPurpose},
                        .purpose = std::string{policy::kPolicyPurpose},
                        .tool = std::string{judged.tool()},
                        .server = std::string{judged.server()}};
  OutboundRequest outbound{
      .method = std::move(request.method),
      .url = std::move(request.url),
      .headers = std::move(request.headers),
      .body = std::move(request.body),
      .redirects = request.follow_redirects ? Redirects::Follow : Redirects::Manual,
      .response_bytes = request.max_response_bytes,
      .refuse_event_streams = true,
      // SECURITY: a policy may make its URL of what a caller gave, and reads the whole answer. Nor
      // is anything opened for it: see RoadClient, whose URLs stand in the settings.
      .inject = false,
      .for_policy = true};
  SP_CO_TRY(auto answer, co_await road_.send(passage, std::move(outbound)));
  co_return http::Response{.status = answer.head.status,
                           .headers = std::move(answer.head.headers),
                           .body = std::move(answer.body)};
}

}  // namespace sallyport::pipeline
