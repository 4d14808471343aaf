// The documents of one compilation: which schema resources they hold, under which URIs, with which
// anchors, and what a reference leads to.
#pragma once

#include "src/base/result.hpp"
#include "src/json/schema.hpp"

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sallyport::json {

enum class Dialect { Draft07, Draft201909, Draft202012 };

struct DynamicAnchor {
  std::string name;
  Value const* schema{nullptr};
};

// A schema with its own URI: the root of a document, or a subschema with `$id`.
struct Resource {
  std::string uri;
  Value const* root{nullptr};
  Dialect dialect{Dialect::Draft202012};
  bool validates{true};  // false if its meta-schema leaves the validation vocabulary out
  std::map<std::string, Value const*, std::less<>> anchors;  // the dynamic ones too
  std::vector<DynamicAnchor> dynamic_anchors;
};

struct Target {
  Value const* schema{nullptr};
  std::size_t resource{0};
  std::string uri;             // with its fragment, for messages
  std::string dynamic_anchor;  // its name, if the fragment named one
};

// A `$recursiveAnchor` of 2019-09 is a dynamic anchor with this name, which no `$dynamicAnchor`
// has.
constexpr std::string_view kRecursiveAnchor = "$recursiveAnchor";

class Documents {
 public:
  Documents(SchemaLimits limits, KnownSchemas const& known) : limits_(limits), known_(known) {}

  // The schema that is compiled; resource 0.
  Result<void> add_main(Value const& schema);

  Result<Target> resolve(std::size_t from_resource, std::string_view reference);

  // The resource of a subschema; `enclosing` for one in a place that is not known to hold schemas.
  std::size_t resource_of(Value const* schema, std::size_t enclosing) const;
  Resource const& resource(std::size_t index) const { return resources_[index]; }
  std::size_t resource_count() const noexcept { return resources_.size(); }

 private:
  struct Level {
    std::size_t resource{0};
    std::size_t depth{0};
  };

  Result<void> add(std::string const& uri, Value const& document);
  Result<void> walk(Value const& schema, Level level);
  Result<void> walk_children(Object const& schema, Level level);
  Result<void> open_resource(Value const& schema, std::string uri, Dialect outer, Level& level);
  Result<void> note_anchors(Value const& schema, std::size_t resource);
  Result<void> note_anchor(std::size_t resource, std::string_view name, Value const& schema);
  Result<void> choose_dialect(Resource& resource) const;
  Result<void> choose_vocabulary(Resource& resource, std::string_view uri) const;
  Result<std::size_t> find_resource(std::string_view uri);
  Result<Target> follow_pointer(std::size_t resource, std::string_view pointer) const;

  SchemaLimits limits_;
  KnownSchemas const& known_;
  std::vector<Resource> resources_;
  std::map<std::string, std::size_t, std::less<>> by_uri_;
  std::unordered_map<Value const*, std::size_t> resource_of_;  // of every subschema seen
};

}  // namespace sallyport::json
