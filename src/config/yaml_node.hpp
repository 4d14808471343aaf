// What yaml-cpp's nodes need to be told apart and pointed at. Private to this module.
#pragma once

#include "src/config/loader.hpp"

#include <span>
#include <string>
#include <yaml-cpp/yaml.h>

namespace sallyport::config {

// The file at `path`, at most 1 MiB. Fails with InvalidInput.
Result<std::string> text_of(std::string const& path);

// A document in a struct, because a YAML::Node claims that it can be made from an Error too.
struct Document {
  YAML::Node root;
};

// Also reads JSON. Fails with InvalidInput, and adds the place to `origin`. SECURITY: the message
// has none of the text.
Result<Document> parse_yaml(std::string const& text, Origin& origin);

// Where a node begins, counted from 1: "sallyport.yaml:4:9".
Origin origin_of(YAML::Node const& node, std::string const& file);

// "a list", "a section", "a value", "nothing".
std::string kind_of(YAML::Node const& node);

// One value or a list of values; fails with InvalidInput on anything deeper.
Result<Written> written_in(YAML::Node const& node);

// A key of a map must be a plain text and be there once. Notes what is wrong; returns whether the
// member can be read. `path` is that of the map, `seen` the keys before it.
bool good_member(YAML::Node const& key, std::string const& path, std::vector<std::string>& seen,
                 std::string const& file, Draft& draft);

}  // namespace sallyport::config
