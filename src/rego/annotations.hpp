// `# METADATA` blocks: YAML in comments, of the package, rule or import that follows.
#pragma once

#include "src/rego/ast.hpp"

namespace sallyport::rego {

// Fills module.annotations from its comments.
void attach_annotations(ast::Module& module, Arena& arena, Diagnostics& errors);

}  // namespace sallyport::rego
