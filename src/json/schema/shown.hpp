// How values, names and places look in messages: short, whatever a peer put into them.
#pragma once

#include "src/json/schema/node.hpp"
#include "src/json/value.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::json {

// The way from the root to a value; a null pointer is the root.
struct PathStep {
  PathStep const* parent{nullptr};
  std::string_view name;
  std::size_t index{0};
  bool is_index{false};
};
std::string pointer_text(PathStep const* path);  // a JSON pointer; "(root)" for the root

std::string shown(Value const& value);
std::string shown(std::vector<Value> const& values);
std::string shown(std::string_view text);  // with quotes
std::string shown(Types types);            // "a string or null"
inline std::size_t shown(std::size_t count) {
  return count;
}

}  // namespace sallyport::json
