#include "src/app/rego_tools/check.hpp"

#include "src/app/rego_tools/files.hpp"
#include "src/app/rego_tools/text.hpp"

#include <ostream>

namespace sallyport::app::rego_tools {

int run_module_check(ModuleCheckRequest const& request, Surroundings const& surroundings) {
  auto const files = read_files(request.paths, Wanted::Modules);
  if (!files || files->modules.empty()) {
    surroundings.err << "sallyport policy check: "
                     << (files ? std::string{"no *.rego file there"} : files.error().message)
                     << '\n';
    return 1;
  }
  rego::CompileOptions options;
  options.syntax = request.v0_compatible ? rego::Syntax::V0 : rego::Syntax::V1;
  options.strict = request.strict;
  auto const compiled = rego::compile(files->modules, options);
  bool const json = request.format == "json";
  if (compiled) {
    if (json) surroundings.out << "{}\n";
    return 0;
  }
  if (json) {
    surroundings.out << indented(errors_json(compiled.errors)) << '\n';
  } else {
    surroundings.err << errors_text(compiled.errors, files->modules);
  }
  return 1;
}

}  // namespace sallyport::app::rego_tools
