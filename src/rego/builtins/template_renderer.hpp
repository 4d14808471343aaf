// Runs a parsed template.
#pragma once

#include "src/rego/builtins/template_tree.hpp"
#include "src/rego/builtins/template_value.hpp"

namespace sallyport::rego::builtins {

// False with the reason in `error`, which is empty where the budget is used up.
bool render_template(BuiltinCall& call, Templates const& templates, Value data, TextBuilder& out,
                     std::string& error);

}  // namespace sallyport::rego::builtins
