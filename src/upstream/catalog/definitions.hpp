// What other servers offer, as entries of our own registry, without handlers and under their
// original names.
//
// Nothing here trusts the server: a member of the wrong type is left out, and a definition that
// cannot be used is dropped, so that it spoils neither the rest nor the list for a strict client.
#pragma once

#include "src/json/value.hpp"
#include "src/mcp/prompt.hpp"
#include "src/mcp/resource.hpp"
#include "src/mcp/tool.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace sallyport::upstream {

struct DefinitionLimits {
  std::size_t bytes{256UL * 1024};  // of one definition
  std::size_t entries{20'000};      // of one list
};

// For the log: `name` is printable and short; "#3" for the fourth, where it has none.
struct Dropped {
  std::string name;
  std::string reason;
};

template <class Entry>
struct Taken {
  std::vector<Entry> entries;  // in the server's order; no name twice
  std::vector<Dropped> dropped;
};

// `definitions` are the members of the list that the server gave, URIs public (uris.hpp). Tools are
// `foreign`.
Taken<mcp::Tool> take_tools(json::Array const& definitions, DefinitionLimits const& limits = {});
Taken<mcp::Resource> take_resources(json::Array const& definitions,
                                    DefinitionLimits const& limits = {});
Taken<mcp::ResourceTemplate> take_templates(json::Array const& definitions,
                                            DefinitionLimits const& limits = {});
Taken<mcp::Prompt> take_prompts(json::Array const& definitions,
                                DefinitionLimits const& limits = {});

// Takes out what has the name of one before it, and gives that.
std::vector<Dropped> drop_repeated(std::vector<json::Object>& definitions);

// As Dropped has it.
std::string printable_name(std::string_view name);

}  // namespace sallyport::upstream
