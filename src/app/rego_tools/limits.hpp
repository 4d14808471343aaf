// What an evaluation on the command line may use.
#pragma once

#include "src/base/result.hpp"
#include "src/rego/rego.hpp"

#include <string>

namespace sallyport::app::rego_tools {

// More than a call is given, since somebody waits and can press Ctrl+C; the time is what
// `--timeout` says ("5s").
Result<rego::Limits> generous_limits(std::string const& timeout);

// Policies may name http.send, so that tests can put something in its place; whoever really calls
// it gets an error, since nothing is sent from here.
rego::CompileOptions tool_options();

}  // namespace sallyport::app::rego_tools
