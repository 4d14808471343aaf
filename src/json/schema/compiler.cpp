#include "src/json/schema/compiler.hpp"

#include "src/json/schema/shown.hpp"

#include <fmt/format.h>

namespace sallyport::json {
namespace {

// Long names in a schema must not be copied into the place of each schema below them.
std::string place_below(std::string_view place, std::string_view where) {
  constexpr std::size_t kLongest = 300;
  if (place.size() + where.size() > kLongest) return std::string{place.substr(0, kLongest)} + "/…";
  return fmt::format("{}/{}", place, where);
}

}  // namespace

Error invalid_schema(Site const& site, std::string_view what) {
  return fail(Errc::InvalidInput, fmt::format("The schema is not valid: {}: {}", site.place, what));
}

Result<Program> Compiler::compile(Value const& schema) {
  program_.nodes.resize(2);
  program_.nodes[kNever].types = 0;
  SP_CHECK(documents_.add_main(schema));
  SP_TRY(program_.root, node_for(schema, 0, "#"));
  SP_CHECK(compile_pending());
  return std::move(program_);
}

// Anchors can bring new schemas, and those new resources with anchors: until nothing is new.
Result<void> Compiler::compile_pending() {
  while (!pending_.empty()) {
    auto const next = std::move(pending_.front());
    pending_.pop_front();
    auto const& resource = documents_.resource(next.resource);
    Site const site{next.schema->get_object(), next.resource, resource.dialect, next.place};
    Node node;
    node.resource = static_cast<std::uint32_t>(next.resource);
    bool const validates = resource.validates;
    SP_CHECK(compile_applicators(*this, site, node));
    bool const only_reference = site.dialect == Dialect::Draft07 && site.schema.contains("$ref");
    if (!only_reference) {
      SP_CHECK(compile_array_applicators(*this, site, node));
      SP_CHECK(compile_object_applicators(*this, site, node));
      if (validates) SP_CHECK(compile_assertions(*this, site, node));
    }
    program_.nodes[next.node] = std::move(node);
    if (pending_.empty()) SP_CHECK(collect_anchors());
  }
  return {};
}

Result<void> Compiler::collect_anchors() {
  for (std::size_t index = program_.anchors.size(); index < documents_.resource_count(); ++index) {
    std::vector<ResourceAnchor> anchors;
    for (auto const& [name, schema] : documents_.resource(index).dynamic_anchors) {
      auto const place = fmt::format("{}#{}", documents_.resource(index).uri, name);
      SP_TRY(auto const node, node_for(*schema, index, place));
      anchors.push_back({anchor_id(name), node});
    }
    program_.anchors.push_back(std::move(anchors));
  }
  return {};
}

Result<NodeIndex> Compiler::node_for(Value const& schema, std::size_t resource, std::string place) {
  if (auto const* constant = schema.if_bool()) return *constant ? kAlways : kNever;
  if (!schema.is_object()) {
    return fail(Errc::InvalidInput,
                fmt::format("The schema is not valid: {}: must be an object or a boolean.", place));
  }
  auto const index = static_cast<NodeIndex>(program_.nodes.size());
  auto const [known, is_new] = known_nodes_.try_emplace(&schema, index);
  if (!is_new) return known->second;
  if (program_.nodes.size() >= limits_.subschemas) {
    return fail(Errc::InvalidInput, "The schema is too large.");
  }
  program_.nodes.emplace_back();
  pending_.push_back({&schema, documents_.resource_of(&schema, resource), std::move(place), index});
  return index;
}

Result<NodeIndex> Compiler::subschema(Site const& site, Value const& schema,
                                      std::string_view where) {
  return node_for(schema, site.resource, place_below(site.place, where));
}

Result<std::vector<NodeIndex>> Compiler::subschemas(Site const& site, Value const& list,
                                                    std::string_view keyword) {
  auto const* array = list.if_array();
  if (array == nullptr || array->empty()) {
    return invalid_schema(site, fmt::format("\"{}\" must be a list of schemas.", keyword));
  }
  std::vector<NodeIndex> nodes;
  for (auto const& element : *array) {
    SP_TRY(auto const node, subschema(site, element, fmt::format("{}/{}", keyword, nodes.size())));
    nodes.push_back(node);
  }
  return nodes;
}

Result<Target> Compiler::target_of(Site const& site, std::string_view keyword,
                                   std::string_view reference) {
  auto target = documents_.resolve(site.resource, reference);
  if (!target) {
    return invalid_schema(
        site, fmt::format("\"{}\": \"{}\": {}", keyword, reference, target.error().message));
  }
  return target;
}

Result<NodeIndex> Compiler::reference(Site const& site, std::string_view reference) {
  SP_TRY(auto target, target_of(site, "$ref", reference));
  return node_for(*target.schema, target.resource, std::move(target.uri));
}

Result<void> Compiler::dynamic_reference(Site const& site, std::string_view reference,
                                         Applicators& out) {
  SP_TRY(auto target, target_of(site, "$dynamicRef", reference));
  auto const anchor = target.dynamic_anchor;
  SP_TRY(auto const node, node_for(*target.schema, target.resource, std::move(target.uri)));
  if (anchor.empty()) {
    out.all_of.push_back(node);  // leads to no dynamic anchor: it is an ordinary reference
  } else {
    out.dynamic_references.push_back({node, anchor_id(anchor)});
  }
  return {};
}

Result<void> Compiler::recursive_reference(Site const& site, Applicators& out) {
  SP_TRY(auto target, target_of(site, "$recursiveRef", "#"));
  auto const* root = target.schema->if_object();
  auto const* recursive = root == nullptr ? nullptr : find(*root, "$recursiveAnchor");
  bool const dynamic = recursive != nullptr && recursive->is_bool() && recursive->get_bool();
  SP_TRY(auto const node, node_for(*target.schema, target.resource, std::move(target.uri)));
  if (dynamic) {
    out.dynamic_references.push_back({node, anchor_id(std::string{kRecursiveAnchor})});
  } else {
    out.all_of.push_back(node);
  }
  return {};
}

Result<Pattern> Compiler::pattern(Site const& site, std::string_view keyword,
                                  std::string_view expression) {
  // A few patterns may be large ones (\p{L}{1,64} is), but a thousand large ones would take
  // gigabytes.
  constexpr std::size_t kGenerous = 16;
  constexpr std::size_t kMostPatterns = 1000;
  constexpr std::size_t kMostInstructions = 300'000;
  auto const memory = patterns_ < kGenerous ? 4 << 20 : 256 << 10;
  auto compiled = Pattern::create(expression, memory);
  if (!compiled) {
    return invalid_schema(
        site, fmt::format("\"{}\": {}: {}.", keyword, shown(expression), compiled.error().message));
  }
  pattern_instructions_ += compiled->size();
  if (++patterns_ > kMostPatterns || pattern_instructions_ > kMostInstructions) {
    return invalid_schema(site, "the patterns of the schema are too large.");
  }
  return compiled;
}

std::uint32_t Compiler::anchor_id(std::string const& name) {
  return anchor_ids_.try_emplace(name, static_cast<std::uint32_t>(anchor_ids_.size()))
      .first->second;
}

}  // namespace sallyport::json
