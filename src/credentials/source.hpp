// Where the value of an injected header comes from.
#pragma once

#include "src/base/metrics.hpp"
#include "src/base/request_context.hpp"
#include "src/base/secret.hpp"
#include "src/base/task.hpp"
#include "src/http/client.hpp"
#include "src/oauth/token_options.hpp"

#include <memory>
#include <string_view>

namespace sallyport::credentials {

// What a source is asked with.
struct Ask {
  RequestContext const& request;
  // For sources that need the network; lives as long as the loops run. Null: nothing may be sent
  // now (`sallyport check`), and such a source gives a stand-in that looks like its value.
  http::Client* client{nullptr};
  Deadline deadline{};
};

// Port. From any loop.
class Source {
 public:
  virtual ~Source() = default;

  // Fails with CredentialUnavailable, or with DeadlineExceeded or Cancelled while it waits. The
  // message may be shown to the caller.
  virtual Task<Secret> value(Ask const& ask) = 0;

  // Whether renew() can ever help.
  virtual bool renews() const noexcept { return false; }
  // A site answered 401 to `refused`: whether value() has another one now.
  virtual Async<bool> renew(Secret const& refused, Ask const& ask);

  // Of a source that has something to count: there from now on, under the name of its rule. Before
  // the loops start; `metrics` outlives the last question.
  virtual void measure(Metrics& metrics, std::string_view rule);

  // Of a source of tokens, for `config show`; else null. SECURITY: has secrets.
  virtual oauth::TokenOptions const* token_options() const noexcept { return nullptr; }
};

// A value that is simply known.
std::shared_ptr<Source> fixed_source(Secret value);

// Tokens by client credentials, one cache for all who share the source.
std::shared_ptr<Source> token_source(oauth::TokenOptions options);

}  // namespace sallyport::credentials
