// Shell completion, made from the tree of commands so that it knows every flag there is.
#pragma once

#include <string>
#include <string_view>

namespace CLI {  // NOLINT(readability-identifier-naming): not our name
class App;
}

namespace sallyport::app {

// `shell` is bash, zsh or fish.
std::string completion_script(CLI::App const& root, std::string_view shell);

}  // namespace sallyport::app
