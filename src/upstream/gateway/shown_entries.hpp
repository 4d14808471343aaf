// What a server offers, as entries of a registry of ours: under our names, with handlers that lead
// back to it.
#pragma once

#include "src/upstream/catalog/names.hpp"
#include "src/upstream/gateway/routes.hpp"

namespace sallyport::upstream {

struct ShowOptions {
  bool listed{true};  // false: tools are found by searching, but for those with a page of their own
  // Ours; ours, and tools can be called by their own as well; their own, where those can be used.
  enum class Names { Ours, Both, Original };
  Names names{Names::Ours};
};

struct ShownNames {
  AliasBook const& tools;
  AliasBook const& prompts;
};

// Nothing where the server has not offered anything yet.
void show_entries(Route route, ShownNames names, ShowOptions how, mcp::Registry::Builder& builder);

}  // namespace sallyport::upstream
