// Turns the documents of a schema into a Program. Subschemas wait in a queue instead of on the
// stack, so a chain of references cannot overflow it.
#pragma once

#include "src/json/schema/documents.hpp"
#include "src/json/schema/node.hpp"

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

namespace sallyport::json {

// One subschema on its way to become a node.
struct Site {
  Object const& schema;
  std::size_t resource{0};
  Dialect dialect{Dialect::Draft202012};
  std::string place;  // for messages: a URI or a JSON pointer with '#'
};

// "The schema is not valid: #/properties/limit: "minimum" must be a number."
Error invalid_schema(Site const& site, std::string_view what);

class Compiler {
 public:
  Compiler(SchemaLimits limits, KnownSchemas const& known)
      : limits_(limits), documents_(limits, known) {}

  Result<Program> compile(Value const& schema);

  // The node of a subschema of `site`; it is compiled later. `where` leads from the site to it.
  Result<NodeIndex> subschema(Site const& site, Value const& schema, std::string_view where);
  Result<std::vector<NodeIndex>> subschemas(Site const& site, Value const& list,
                                            std::string_view keyword);
  Result<NodeIndex> reference(Site const& site, std::string_view reference);
  Result<void> dynamic_reference(Site const& site, std::string_view reference, Applicators& out);
  Result<void> recursive_reference(Site const& site, Applicators& out);

  // Within the budget that all patterns of a schema share.
  Result<Pattern> pattern(Site const& site, std::string_view keyword, std::string_view expression);

 private:
  struct Pending {
    Value const* schema{nullptr};
    std::size_t resource{0};
    std::string place;
    NodeIndex node{kAlways};
  };

  Result<NodeIndex> node_for(Value const& schema, std::size_t resource, std::string place);
  Result<Target> target_of(Site const& site, std::string_view keyword, std::string_view reference);
  Result<void> compile_pending();
  Result<void> collect_anchors();
  std::uint32_t anchor_id(std::string const& name);

  SchemaLimits limits_;
  Documents documents_;
  Program program_;
  std::deque<Pending> pending_;
  std::unordered_map<Value const*, NodeIndex> known_nodes_;
  std::map<std::string, std::uint32_t, std::less<>> anchor_ids_;
  std::size_t patterns_{0};
  std::size_t pattern_instructions_{0};
};

// Read the keywords of one group, in keywords_*.cpp.
Result<void> compile_assertions(Compiler& compiler, Site const& site, Node& node);
Result<void> compile_applicators(Compiler& compiler, Site const& site, Node& node);
Result<void> compile_array_applicators(Compiler& compiler, Site const& site, Node& node);
Result<void> compile_object_applicators(Compiler& compiler, Site const& site, Node& node);

// The group of rules, made when the first keyword needs it.
template <class Rules>
Rules& rules(std::unique_ptr<Rules>& slot) {
  if (!slot) slot = std::make_unique<Rules>();
  return *slot;
}

}  // namespace sallyport::json
