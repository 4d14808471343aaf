#include "src/rego/builtins/tables.hpp"

#include <algorithm>
#include <vector>

namespace sallyport::rego {
namespace {

std::vector<Builtin const*> collect() {
  using namespace builtins;
  std::vector<Builtin const*> all;
  for (auto const table : {
           comparison(), arithmetic(), aggregates(), arrays(),  sets(),        objects(),
           bits(),       types(),      numbers(),    strings(), sprintf(),     regex(),
           glob(),       units(),      encoding(),   json(),    json_schema(), net(),
           time(),       jwt(),        jwt_sign(),   crypto(),  x509(),        uri(),
           graph(),      semver(),     uuid(),       outside(), templates(),
       }) {
    for (auto const& builtin : table) all.push_back(&builtin);
  }
  std::ranges::sort(all, {}, &Builtin::name);
  return all;
}

}  // namespace

std::span<Builtin const* const> all_builtins() {
  static std::vector<Builtin const*> const all = collect();
  return all;
}

Builtin const* find_builtin(std::string_view name) noexcept {
  auto const all = all_builtins();
  auto const found = std::ranges::lower_bound(all, name, {}, &Builtin::name);
  return found != all.end() && (*found)->name == name ? *found : nullptr;
}

}  // namespace sallyport::rego
