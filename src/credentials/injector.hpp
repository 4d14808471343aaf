// Which headers are added to a request on its way out.
//
// A rule reaches hosts by name; its header is added when the request has none of that name, or in
// its place when the rule says so. Values never leave except on the wire to a host that the rule
// names: what is told of an injection is names, never values.
#pragma once

#include "src/credentials/source.hpp"
#include "src/http/message.hpp"
#include "src/policy/allowlist.hpp"
#include "src/url/url.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::credentials {

enum class OnFailure { Refuse, Continue };

struct Rule {
  policy::Reach reach;  // `hosts` not empty; `schemes` empty means https
  std::string header;
  std::shared_ptr<Source> source;
  bool override_caller{false};
  OnFailure on_failure{OnFailure::Refuse};
  std::string name;  // for the audit log
};

class Injection {
 public:
  std::vector<std::string> added;   // header names, for the audit log
  std::vector<std::string> by;      // the names of their rules, in the same order
  std::vector<std::string> failed;  // names of rules without a value
  // Why the request may not go without them, for the caller; empty: it may.
  std::vector<std::string> refusals;
  // The caller's time or patience ended while a source was asked.
  std::optional<Error> interrupted;

  bool refuse() const noexcept { return !refusals.empty(); }

  // Joins what other rules did to the same request.
  void join(Injection other);

  // The site answered 401: whether a source has another value than the one that was sent.
  Async<bool> renew(Ask const& ask) const;

 private:
  friend class Injector;

  struct Given {
    std::shared_ptr<Source> source;
    Secret value;
  };
  std::vector<Given> renewable_;
};

// From any loop.
class Injector {
 public:
  explicit Injector(std::vector<Rule> rules) : rules_{std::move(rules)} {}

  // Adds to `headers` what the rules say for this hop. Of several rules for one header, the first
  // that has a value counts.
  Async<Injection> inject(url::Url const& url, std::string_view method, Ask const& ask,
                          http::Headers& headers) const;

 private:
  std::vector<Rule> rules_;
};

}  // namespace sallyport::credentials
