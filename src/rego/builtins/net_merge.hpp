// net.cidr_merge: the fewest ranges that cover the same addresses.
#pragma once

#include "src/rego/builtins/ip_network.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::rego {

class NetworkMerger {
 public:
  // A range, or an IPv4 address, which stands for its classful network as it does in OPA
  // (192.0.2.7 for 192.0.2.0/24). Returns what is wrong with it; empty: nothing.
  std::string add(std::string_view text);

  std::vector<std::string> merged() const;

 private:
  struct Range {
    Bits128 first;
    Bits128 last;
    std::string text;  // of a range that was merged with no other; empty: it was
  };

  std::vector<Range> ranges_;
};

}  // namespace sallyport::rego
