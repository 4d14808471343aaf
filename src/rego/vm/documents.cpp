#include "src/rego/vm/documents.hpp"

#include "src/rego/build.hpp"
#include "src/rego/number.hpp"

#include <string>

namespace sallyport::rego::vm {

bool is_replaced(Overlay const& overlay, Position const& position) noexcept {
  for (auto const* replaced = overlay.replaced; replaced != nullptr; replaced = replaced->next) {
    if (replaced->path.size() != position.depth) continue;
    auto const* at = &position;
    auto left = replaced->path.size();
    while (left > 0 && equal(replaced->path[left - 1], at->key)) {
      --left;
      at = at->parent;
    }
    if (left == 0) return true;
  }
  return false;
}

Value base_at(Value document, Value key) {
  auto const found = get(document, key);
  if (found.is_defined() || !key.is(Kind::Number) || !document.is(Kind::Object)) return found;
  std::string digits;
  append_number(key, digits);
  return get(document, std::string_view{digits});
}

Value merge(Value over, Value under, Arena& arena) {
  if (!over.is_defined()) return under;
  if (!over.is(Kind::Object) || !under.is(Kind::Object)) return over;
  ObjectBuilder builder{arena, std::size_t{over.size()} + under.size()};
  for (auto const& entry : under.entries()) builder.add(entry.key, entry.value);
  for (auto const& entry : over.entries()) {
    builder.add(entry.key, merge(entry.value, get(under, entry.key), arena));
  }
  return builder.finish();
}

Value with_path(Value document, std::span<Value const> path, Value value, Arena& arena) {
  if (path.empty()) return value;
  auto const is_object = document.is(Kind::Object);
  ObjectBuilder builder{arena, is_object ? std::size_t{document.size()} + 1 : 1};
  Value below;
  if (is_object) {
    below = get(document, path.front());
    for (auto const& entry : document.entries()) builder.add(entry.key, entry.value);
  }
  builder.add(path.front(), with_path(below, path.subspan(1), value, arena));
  return builder.finish();
}

Value keys_of(Value collection, Arena& arena) {
  ArrayBuilder keys{arena, collection.size()};
  if (collection.is(Kind::Array)) {
    for (std::uint32_t i = 0; i < collection.size(); ++i) keys.add(Value::integer(i));
  } else if (collection.is(Kind::Set)) {
    return Value::array(collection.items());
  } else if (collection.is(Kind::Object)) {
    for (auto const& entry : collection.entries()) keys.add(entry.key);
  }
  return keys.finish();
}

}  // namespace sallyport::rego::vm
