#include "src/config/yaml_node.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sallyport::config {

Origin origin_of(YAML::Node const& node, std::string const& file) {
  auto const mark = node.Mark();
  if (mark.is_null()) return {Origin::Kind::File, file};
  return {Origin::Kind::File, fmt::format("{}:{}:{}", file, mark.line + 1, mark.column + 1)};
}

std::string kind_of(YAML::Node const& node) {
  switch (node.Type()) {
    case YAML::NodeType::Sequence: return "a list";
    case YAML::NodeType::Map: return "a section";
    case YAML::NodeType::Scalar: return "a value";
    case YAML::NodeType::Null:
    case YAML::NodeType::Undefined: return "nothing";
  }
  return "nothing";
}

Result<Written> written_in(YAML::Node const& node) {
  if (node.IsScalar()) return Written{{node.Scalar()}, false};
  if (!node.IsSequence()) {
    return fail(Errc::InvalidInput,
                fmt::format("must have a value, but there is {}", kind_of(node)));
  }
  Written written{.is_list = true};
  for (auto const& item : node) {
    if (!item.IsScalar()) {
      return fail(Errc::InvalidInput,
                  fmt::format("must be a list of values, but there is {} in it", kind_of(item)));
    }
    written.items.push_back(item.Scalar());
  }
  return written;
}

bool good_member(YAML::Node const& key, std::string const& path, std::vector<std::string>& seen,
                 std::string const& file, Draft& draft) {
  if (!key.IsScalar()) {
    draft.problems.push_back({origin_of(key, file), path, "a key must be a plain text"});
    return false;
  }
  if (std::ranges::find(seen, key.Scalar()) != seen.end()) {
    auto const name = path.empty() ? key.Scalar() : path + "." + key.Scalar();
    draft.problems.push_back({origin_of(key, file), name, "is there twice"});
    return false;
  }
  seen.push_back(key.Scalar());
  return true;
}

}  // namespace sallyport::config
