// A hostile robots.txt and a hostile target: the first line of the input is the target.
//
// Whatever comes, it parses within its bound, robots.txt itself stays allowed, the spelling in
// which things are compared is stable, and a rule that is the target itself holds it.
#include "src/base/assert.hpp"
#include "src/pipeline/robots_pattern.hpp"
#include "src/pipeline/robots_rules.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::pipeline {
namespace {

void check(std::string_view target, std::string_view text) {
  auto const rules = RobotsRules::parse(text);
  SP_ASSERT(rules.bytes() <= 8UL * 1024 * 1024, "the rules are bounded");
  SP_ASSERT(rules.allows("ModelContextProtocol", "/robots.txt"), "robots.txt is always allowed");
  (void)rules.allows("ModelContextProtocol/1.0", target);

  auto const wanted = robots_target(target);
  SP_ASSERT(robots_target(wanted) == wanted, "one spelling");
  SP_ASSERT(robots_match(wanted, wanted), "a target holds itself");
  SP_ASSERT(robots_match("*", wanted), "a star holds everything");
  if (wanted.empty()) return;
  auto const disallowed = RobotsRules::parse("User-agent: *\nDisallow: /" + wanted);
  SP_ASSERT(!disallowed.allows("any", "/" + wanted) || "/" + wanted == "/robots.txt" ||
                wanted.find('#') != std::string::npos,
            "what is disallowed word for word is disallowed");
}

}  // namespace
}  // namespace sallyport::pipeline

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const input{reinterpret_cast<char const*>(data), size};
  auto const end = std::min(input.find('\n'), input.size());
  sallyport::pipeline::check(input.substr(0, end), input.substr(std::min(end + 1, input.size())));
  return 0;
}
