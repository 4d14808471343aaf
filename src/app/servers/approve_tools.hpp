// `sallyport servers approve`: tools that are withheld, because nobody has looked at what they say
// they are now.
#pragma once

#include "src/app/cli.hpp"
#include "src/config/settings.hpp"

#include <string>
#include <vector>

namespace sallyport::app::servers {

struct ApproveRequest {
  std::vector<std::string> tools;  // none: only shows what is withheld
  bool all{false};
};

// The exit code: 1 where something is still withheld.
int approve_tools(config::Settings const& settings, std::string const& server,
                  ApproveRequest const& request, Surroundings const& surroundings);

}  // namespace sallyport::app::servers
