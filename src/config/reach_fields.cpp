#include "src/config/reach_fields.hpp"

#include "src/config/item_checks.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

namespace sallyport::config {
namespace {

Error wrong(std::string problem) {
  return fail(Errc::InvalidInput, std::move(problem));
}

Result<void> check_each(std::vector<std::string> const& items,
                        std::string (*check)(std::string_view)) {
  for (auto const& item : items) {
    auto problem = check(item);
    if (!problem.empty()) return wrong(fmt::format("\"{}\" {}", item, problem));
  }
  return {};
}

}  // namespace

// A list that is there but empty would reach everything, or nothing: which, is not plain to see.
Result<void> take_reach(std::string const& field, FieldValue const& value, policy::Reach& reach) {
  if (value.items.empty()) return wrong("must not be empty");
  if (field == "hosts") {
    SP_CHECK(check_each(value.items, &host_pattern));
    reach.hosts = value.items;
  } else if (field == "methods") {
    SP_CHECK(check_each(value.items, &http_method));
    reach.methods = value.items;
  } else if (field == "schemes") {
    SP_CHECK(check_each(value.items, &fetch_scheme));
    reach.schemes = value.items;
  } else if (field == "ports") {
    SP_CHECK(check_each(value.items, &port_number));
    for (auto const& port : value.items) {
      reach.ports.push_back(static_cast<std::uint16_t>(std::stoul(port)));
    }
  } else {
    SP_CHECK(check_each(value.items, &url_path));
    reach.path_prefixes = value.items;
  }
  return {};
}

void show_list(json::Object& entry, std::string_view key, std::vector<std::string> const& items) {
  if (items.empty()) return;
  auto& list = entry[key].emplace_array();
  for (auto const& item : items) list.emplace_back(item);
}

void show_reach(json::Object& entry, policy::Reach const& reach) {
  show_list(entry, "hosts", reach.hosts);
  show_list(entry, "methods", reach.methods);
  show_list(entry, "schemes", reach.schemes);
  if (!reach.ports.empty()) {
    auto& ports = entry["ports"].emplace_array();
    for (auto const port : reach.ports) ports.emplace_back(std::uint64_t{port});
  }
  show_list(entry, "path_prefixes", reach.path_prefixes);
}

}  // namespace sallyport::config
