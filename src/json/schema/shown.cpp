#include "src/json/schema/shown.hpp"

#include "src/json/write.hpp"

#include <algorithm>

namespace sallyport::json {
namespace {

constexpr std::size_t kShownBytes = 60;

std::string clipped(std::string text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while ((text[bytes] & 0xc0) == 0x80) --bytes;  // not within a character
  text.resize(bytes);
  return text + "…";
}

}  // namespace

std::string shown(Value const& value) {
  return clipped(to_text(value), kShownBytes);
}

std::string shown(std::string_view text) {
  std::string out;
  write_string(text.substr(0, 4 * kShownBytes), out);
  return clipped(std::move(out), kShownBytes);
}

std::string shown(Types types) {
  struct Name {
    Types type;
    std::string_view text;
  };
  std::string names;
  for (auto const& [type, text] :
       {Name{kString, "a string"}, Name{kInteger, "an integer"}, Name{kNumber, "a number"},
        Name{kBoolean, "a boolean"}, Name{kObject, "an object"}, Name{kArray, "an array"},
        Name{kNull, "null"}}) {
    if ((types & type) == 0) continue;
    if (!names.empty()) names += " or ";
    names += text;
  }
  return names;
}

std::string shown(std::vector<Value> const& values) {
  constexpr std::size_t kShownValues = 12;
  std::string text;
  for (std::size_t at = 0; at < std::min(values.size(), kShownValues); ++at) {
    if (at > 0) text += ", ";
    text += shown(values[at]);
  }
  if (values.size() > kShownValues) text += ", …";
  return text;
}

std::string pointer_text(PathStep const* path) {
  if (path == nullptr) return "(root)";
  std::vector<PathStep const*> steps;
  for (; path != nullptr; path = path->parent) steps.push_back(path);
  std::string text;
  std::for_each(steps.rbegin(), steps.rend(), [&text](PathStep const* step) {
    text += '/';
    if (step->is_index) text += std::to_string(step->index);
    for (char const byte : step->name.substr(0, 4 * kShownBytes)) {
      if (byte == '~' || byte == '/') {
        text += byte == '~' ? "~0" : "~1";
      } else {
        text += byte;
      }
    }
  });
  return clipped(std::move(text), 4 * kShownBytes);
}

}  // namespace sallyport::json
