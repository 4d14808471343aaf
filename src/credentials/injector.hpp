// Which headers are added to a request on its way out, and from where their secrets come.
//
// A rule reaches hosts by name; its header is added when the request has none of that name, or in
// its place when the rule says so. Values never leave except on the wire to a host that the rule
// names: Injection says which names were added, never what.
#pragma once

#include "src/base/secret.hpp"
#include "src/base/task.hpp"
#include "src/http/message.hpp"
#include "src/policy/allowlist.hpp"
#include "src/url/url.hpp"

#include <memory>
#include <string>
#include <vector>

namespace sallyport::credentials {

// Port: where the value of a header comes from. A token source that needs the network comes later.
class Source {
 public:
  virtual ~Source() = default;
  // Fails with CredentialUnavailable.
  virtual Task<Secret> value(RequestContext const& request) = 0;
};

enum class OnFailure { Refuse, Continue };

struct Rule {
  policy::Reach reach;  // `hosts` not empty; `schemes` empty means https
  std::string header;
  std::shared_ptr<Source> source;
  bool override_caller{false};
  OnFailure on_failure{OnFailure::Refuse};
  std::string name;  // for the audit log
};

struct Injection {
  std::vector<std::string> added;   // header names, for the audit log
  std::vector<std::string> failed;  // names of rules without a value
  bool refuse{false};               // one of them may not be done without
};

// From any loop.
class Injector {
 public:
  explicit Injector(std::vector<Rule> rules) : rules_{std::move(rules)} {}

  // Adds to `headers` what the rules say for this hop. Of several rules for one header, the first
  // that has a value counts.
  Async<Injection> inject(url::Url const& url, std::string_view method,
                          RequestContext const& request, http::Headers& headers) const;

 private:
  std::vector<Rule> rules_;
};

// A value that is simply known.
std::shared_ptr<Source> fixed_source(Secret value);

}  // namespace sallyport::credentials
