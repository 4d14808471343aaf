// The settings in effect, each with where it came from. Secrets are masked.
#pragma once

#include "src/config/load.hpp"

#include <string>

namespace sallyport::config {

enum class ShowFormat { Yaml, Json };

// As YAML it can be read back as a file, except for the secrets.
std::string show(Loaded const& loaded, ShowFormat format);

// A table of all settings in Markdown: docs/settings.md.
std::string reference();

}  // namespace sallyport::config
