// Headers of a request that exists only in the test. Names as they are written here.
#pragma once

#include "src/mcp/header_mirror.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace sallyport::test {

class HeaderMap final : public mcp::HeaderSource {
 public:
  using Values = std::map<std::string, std::string, std::less<>>;

  explicit HeaderMap(Values given = {}) : values{std::move(given)} {}

  std::string const* find(std::string_view name) const override {
    auto const found = values.find(name);
    return found == values.end() ? nullptr : &found->second;
  }

  Values values;
};

}  // namespace sallyport::test
