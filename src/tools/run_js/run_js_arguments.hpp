// What a call of `run_js` asks for.
#pragma once

#include "src/tools/run_js/run_js.hpp"

#include <string>

namespace sallyport::tools {

struct RunJsArguments {
  std::string code;
  std::string session;  // as the caller named it; empty: none
  js::RunLimits limits;
  bool background{false};
};

json::Object run_js_input_schema(RunJsOptions const& options);

// Fails with InvalidInput when a limit is above its ceiling; the message names it.
Result<RunJsArguments> read_run_js_arguments(json::Object const& arguments,
                                             RunJsOptions const& options);

// The argument of the other tools.
json::Object execution_id_property();
std::string execution_id_of(json::Object const& arguments);
// Numbers, however JSON wrote them.
double number_or(json::Object const& arguments, std::string_view name, double otherwise);
// A whole number from 0 on.
std::size_t count_of(json::Object const& arguments, std::string_view name, std::size_t otherwise);

}  // namespace sallyport::tools
