// `sallyport check`: what would happen to a request, and why, without sending it.
#pragma once

#include "src/config/settings.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace sallyport::app {

struct CheckRequest {
  std::vector<std::string> urls;
  std::string method{"GET"};
  std::vector<std::string> headers;  // "Name: value"
  std::string principal;
  std::string simulate;  // a file of vectors, instead of URLs
  bool json{false};
};

// The exit code: 0 when everything is allowed (or every vector passes), 1 when something is not, 2
// when the question cannot be answered.
int run_check(config::Settings const& settings, CheckRequest const& request, std::ostream& out,
              std::ostream& err);

}  // namespace sallyport::app
