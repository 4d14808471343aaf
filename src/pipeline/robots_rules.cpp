#include "src/pipeline/robots_rules.hpp"

#include "src/base/ascii.hpp"
#include "src/http/chars.hpp"
#include "src/http/message.hpp"
#include "src/pipeline/robots_pattern.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace sallyport::pipeline {
namespace {

constexpr std::size_t kMostBytes = 500UL * 1024;
// SECURITY: of a URL, over and over, for what stands behind stars. Files that people write are far
// below this with URLs that people write; the worst ones hold up the loop for milliseconds.
constexpr std::size_t kMostSearched = 512UL * 1024;

std::string_view take_line(std::string_view& text) noexcept {
  auto const end = std::min(text.find_first_of("\r\n"), text.size());
  auto const line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// The name that a user-agent line is for; empty when it names nobody.
std::string agent_of(std::string_view value) {
  if (value == "*" || value.starts_with("* ") || value.starts_with("*\t")) return "*";
  return lowered(product_token(value));
}

// "googlebot" is also meant for "googlebot-news", where that has no group of its own.
bool is_meant(std::string_view agent, std::string_view token) noexcept {
  if (agent.empty() || !token.starts_with(agent)) return false;
  return token.size() == agent.size() || token[agent.size()] == '-' || token[agent.size()] == '_';
}

}  // namespace

class RobotsParser {
 public:
  RobotsRules parse(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    text = text.substr(0, kMostBytes);
    while (!text.empty()) read_line(take_line(text));
    for (auto& group : made_.groups_) sort(group);
    return std::move(made_);
  }

 private:
  struct Known {
    std::size_t group;
    std::size_t part;  // in which it was named last
  };

  void read_line(std::string_view line) {
    line = line.substr(0, line.find('#'));
    auto const colon = line.find(':');
    if (colon == std::string_view::npos) return;
    auto const key = http::trimmed(line.substr(0, colon));
    auto const value = http::trimmed(line.substr(colon + 1));
    if (http::equals_ignoring_case(key, "user-agent")) return read_agent(value);
    if (http::equals_ignoring_case(key, "allow")) return read_rule(true, value);
    if (http::equals_ignoring_case(key, "disallow")) return read_rule(false, value);
  }

  void read_agent(std::string_view value) {
    // Lines between that are no rules (Sitemap, Crawl-delay) do not part a group.
    if (in_rules_) {
      current_.clear();
      ++part_;
    }
    in_rules_ = false;
    auto agent = agent_of(value);
    auto const [place, is_new] = known_.try_emplace(agent, Known{made_.groups_.size(), 0});
    auto& known = place->second;
    if (is_new) {
      made_.bytes_ += sizeof(RobotsRules::Group) + agent.size();
      made_.groups_.push_back({.agent = std::move(agent), .rules = {}});
    }
    if (std::exchange(known.part, part_) != part_) current_.push_back(known.group);
  }

  void read_rule(bool allow, std::string_view value) {
    in_rules_ = true;
    if (value.empty()) return;  // disallows nothing
    auto const pattern = robots_pattern(value);
    // SECURITY: each agent line of a group has its own copy, which must not multiply a file.
    for (auto const number : current_) {
      if (made_.bytes_ > 4 * kMostBytes) return;
      made_.groups_[number].rules.push_back({.allow = allow, .pattern = pattern});
      made_.bytes_ += sizeof(RobotsRules::Rule) + pattern.size();
    }
  }

  static void sort(RobotsRules::Group& group) {
    std::ranges::sort(group.rules, [](auto const& left, auto const& right) {
      if (left.pattern.size() != right.pattern.size()) {
        return left.pattern.size() > right.pattern.size();
      }
      return left.allow && !right.allow;
    });
  }

  RobotsRules made_;
  std::unordered_map<std::string, Known> known_;
  std::vector<std::size_t> current_;  // the groups that rules are for
  std::size_t part_{1};               // of the file: agent lines and the rules behind them
  bool in_rules_{false};
};

RobotsRules RobotsRules::parse(std::string_view text) {
  return RobotsParser{}.parse(text);
}

RobotsRules::Group const* RobotsRules::group_for(std::string_view user_agent) const {
  auto const token = lowered(product_token(user_agent));
  Group const* best = nullptr;
  Group const* everybody = nullptr;
  for (auto const& group : groups_) {
    if (group.agent == "*") everybody = &group;
    if (!is_meant(group.agent, token)) continue;
    if (best == nullptr || group.agent.size() > best->agent.size()) best = &group;
  }
  return best == nullptr ? everybody : best;
}

bool RobotsRules::allows(std::string_view user_agent, std::string_view target) const {
  if (target == "/robots.txt") return true;
  auto const* const group = group_for(user_agent);
  if (group == nullptr) return true;
  auto const wanted = robots_target(target);
  // The longest pattern decides, and among equals one that allows (section 2.2.2).
  std::size_t searched = 0;
  for (auto const& rule : group->rules) {
    if (robots_match(rule.pattern, wanted, &searched)) return rule.allow;
    if (searched > kMostSearched) return false;  // one of the rules behind this one may disallow it
  }
  return true;
}

std::string_view product_token(std::string_view user_agent) noexcept {
  auto const is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
  };
  auto const end = std::ranges::find_if_not(user_agent, is_part);
  return user_agent.substr(0, static_cast<std::size_t>(end - user_agent.begin()));
}

}  // namespace sallyport::pipeline
