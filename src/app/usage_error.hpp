// What is said when the command line is not understood.
#pragma once

#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): not our name
class App;
class ParseError;
}  // namespace CLI

namespace sallyport::app {

// `root` after the parse that failed with `error`. SECURITY: never repeats the value of a flag.
std::string usage_error(CLI::App const& root, CLI::ParseError const& error);

}  // namespace sallyport::app
