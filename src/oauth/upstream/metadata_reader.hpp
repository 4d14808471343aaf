// Reads the documents in which servers describe themselves, within bounds: 64 KiB each, three
// redirects each, a dozen requests for all of a discovery.
#pragma once

#include "src/base/task.hpp"
#include "src/http/client.hpp"
#include "src/json/value.hpp"
#include "src/url/url.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace sallyport::oauth::upstream {

class MetadataReader {
 public:
  // `client` must outlive the reader.
  MetadataReader(http::Client& client, Deadline deadline) : client_{client}, deadline_{deadline} {}

  // Nothing where there is no such document: the server says so (4xx), or answers with something
  // else than JSON, as sites do that have one page for every path; absence() then says why. Fails
  // with CredentialUnavailable where there is one that cannot be used (not an object, a member
  // twice, redirected to an insecure place) or no telling (5xx, too many requests), and as the
  // client does.
  Task<std::optional<json::Object>> read(url::Url address);

  std::string const& absence() const noexcept { return absence_; }

 private:
  Task<http::Response> get(url::Url const& address);
  std::nullopt_t absent(std::string why);

  http::Client& client_;
  Deadline deadline_;
  int requests_left_{12};
  std::string absence_;
};

// A JSON object of which no member of the first level is there twice: parsers disagree about which
// one counts, so that one document could say two things. Fails with CredentialUnavailable and
// nothing of the text in the message.
Result<json::Object> unambiguous_object(std::string_view text);

// application/json, or another type that ends in +json.
bool is_json_type(std::string_view content_type) noexcept;

}  // namespace sallyport::oauth::upstream
