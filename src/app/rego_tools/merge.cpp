#include "src/app/rego_tools/merge.hpp"

#include "src/rego/json.hpp"

namespace sallyport::app::rego_tools {
namespace {

std::string name_of_key(rego::Value key) {
  return key.is(rego::Kind::String) ? std::string{key.as_string()} : rego::to_json(key);
}

}  // namespace

Result<rego::Value> merge(rego::Value left, rego::Value right, rego::Arena& arena) {
  if (!left.is_defined()) return right;
  if (!right.is_defined()) return left;
  if (!left.is(rego::Kind::Object) || !right.is(rego::Kind::Object)) {
    return fail(Errc::InvalidInput, "");
  }
  rego::ObjectBuilder both{arena, left.size() + right.size()};
  for (auto const& [key, value] : left.entries()) both.add(key, value);
  for (auto const& [key, value] : right.entries()) {
    auto const merged = merge(get(left, key), value, arena);
    if (!merged) {
      auto const& below = merged.error().message;
      return fail(Errc::InvalidInput, name_of_key(key) + (below.empty() ? "" : "." + below));
    }
    both.add(key, *merged);
  }
  return both.finish();
}

}  // namespace sallyport::app::rego_tools
