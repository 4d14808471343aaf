// What a robots.txt says (RFC 9309). Foreign text: whatever it is, it parses, and matching takes
// time linear in its length.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::pipeline {

class RobotsRules {
 public:
  // What lies behind the first 500 KiB is not read (RFC 9309, section 2.5).
  static RobotsRules parse(std::string_view text);

  // Whether `target` (path and query, as in url::Url::target()) may be asked for by the crawler
  // that calls itself `user_agent` ("ModelContextProtocol/1.0 (+https://…)"). Not where that takes
  // too long to find out: many rules with stars and a long URL.
  bool allows(std::string_view user_agent, std::string_view target) const;

  std::size_t bytes() const noexcept { return bytes_; }  // of memory, about

 private:
  friend class RobotsParser;

  struct Rule {
    bool allow{false};
    std::string pattern;  // normalised
  };

  // Rules for one name. Groups for the same name are one (section 2.2.1).
  struct Group {
    std::string agent;        // a product token in lower case, or "*"
    std::vector<Rule> rules;  // the longest first, of equals those that allow
  };

  Group const* group_for(std::string_view user_agent) const;

  std::vector<Group> groups_;
  std::size_t bytes_{0};
};

// The part of a user agent that robots.txt files name: "ModelContextProtocol".
std::string_view product_token(std::string_view user_agent) noexcept;

}  // namespace sallyport::pipeline
