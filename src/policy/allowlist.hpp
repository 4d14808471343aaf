// The built-in policy: rules by host, method, scheme, port and path, read from the settings.
//
// `deny` rules win over `allow` rules. Without any allow rule everything that the guard passes is
// allowed; with one, only what a rule allows.
#pragma once

#include "src/policy/evaluator.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sallyport::policy {

// What a rule reaches. An empty list means any. The same shape serves credentials (rules that add
// headers), where `schemes` defaults to https alone.
struct Reach {
  std::vector<std::string> hosts;  // exact, or "*.suffix" (which does not hold the suffix itself)
  std::vector<std::string> methods;
  std::vector<std::string> schemes;
  std::vector<std::uint16_t> ports;
  std::vector<std::string> path_prefixes;  // by whole segments

  // For rules that allow: true only where every server reads the path so.
  bool holds(url::Url const& url, std::string_view method) const;
  // For rules that deny or slow down: true wherever some server could (lenient_path.hpp).
  bool may_hold(url::Url const& url, std::string_view method) const;
  // Whether it reaches anything of the URL's site.
  bool holds_site(url::Url const& url) const;
};

struct AllowlistRule {
  Reach reach;
  std::vector<std::string> operations;  // empty: all
  std::vector<std::string> principals;  // empty: all
  std::string name;                     // for reasons; may be empty
};

struct AllowlistOptions {
  std::vector<AllowlistRule> allow;
  std::vector<AllowlistRule> deny;
};

class Allowlist final : public Evaluator {
 public:
  explicit Allowlist(AllowlistOptions options) : options_{std::move(options)} {}

  Task<Decision> decide(Query const& query) override;

 private:
  AllowlistOptions options_;
};

}  // namespace sallyport::policy
