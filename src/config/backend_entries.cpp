// The entries of backends: HTTP APIs that apps may call.
#include "src/config/credential_entries.hpp"
#include "src/config/item_checks.hpp"
#include "src/config/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <yaml-cpp/yaml.h>

namespace sallyport::config {
namespace {

constexpr EntryField kFields[] = {
    {"name", "text", "How calls name it; required"},
    {"base_url", "text", "Where it is; relative URLs are appended to its path; required"},
    {"paths", "list", "Paths that apps may ask for, with what is below them; default: all"},
    {"methods", "list", "HTTP methods; default: GET HEAD POST PUT PATCH DELETE OPTIONS"},
    {"allowed_headers", "list", "Headers that apps may set; default: all that are not forbidden"},
    {"denied_headers", "list", "Headers that apps may not set, besides those that none may"},
    {"forbidden_headers", "choice", "`drop` leaves such headers out, `refuse` fails the call"},
    {"request_bytes", "size", "Largest body of a request that is no stream; default: 10MiB"},
    {"response_bytes", "size", "Largest body of an answer that is no stream; default: 10MiB"},
    {"rate", "text", "Requests of one principal: `100/s`, `20/min`; default: no limit"},
    {"private_network", "switch", "It may have an address that is not public"},
    {"credentials", "list of credentials",
     "Headers to add, as in `egress.inject`: `headers`, or `header` and `value`, or `auth`"},
};

constexpr std::array<std::string_view, 2> kForbidden{"drop", "refuse"};
constexpr std::uint64_t kLargest = 1024UL * 1024 * 1024;

Result<void> check_each(FieldValue const& value, std::string (*check)(std::string_view)) {
  if (value.items.empty()) return fail(Errc::InvalidInput, "must not be empty");
  for (auto const& item : value.items) {
    if (auto problem = check(item); !problem.empty()) {
      return fail(Errc::InvalidInput, std::move(problem));
    }
  }
  return {};
}

Result<url::Url> read_base(std::string const& text) {
  auto url = url::Url::parse(text);
  if (!url) return fail(Errc::InvalidInput, "must be an http or https URL");
  if ((url->scheme() != "http" && url->scheme() != "https") || url->has_credentials() ||
      url->query() || url->fragment()) {
    return fail(Errc::InvalidInput,
                "must be an http or https URL without user, password, query and fragment");
  }
  return url;
}

Result<std::size_t> read_bytes(std::string const& text) {
  SP_TRY(auto const bytes, parse_size(text));
  if (bytes < 1 || bytes > kLargest) return fail(Errc::InvalidInput, "must be 1B to 1GiB");
  return static_cast<std::size_t>(bytes);
}

// What is read so far: a Backend cannot be without its URL.
struct Entry {
  std::string name;
  std::optional<url::Url> base;
  tools::Backend rest{.base = *url::Url::parse("http://unset.invalid/")};
};

Result<void> take_list(std::string const& field, FieldValue const& value, tools::Backend& backend) {
  if (field == "paths") {
    SP_CHECK(check_each(value, url_path));
    backend.paths = value.items;
  } else if (field == "methods") {
    SP_CHECK(check_each(value, header_name));  // a method is a token, as a header's name is
    backend.methods = value.items;
  } else {
    SP_CHECK(check_each(value, header_name));
    (field == "allowed_headers" ? backend.allowed_headers : backend.denied_headers) = value.items;
  }
  return {};
}

Result<void> take_field(std::string const& field, FieldValue const& value, Entry& entry) {
  auto& backend = entry.rest;
  if (value.is_list) return take_list(field, value, backend);
  auto const& text = value.text();
  if (field == "name") {
    if (auto problem = not_empty(text); !problem.empty()) return fail(Errc::InvalidInput, problem);
    entry.name = text;
  } else if (field == "base_url") {
    SP_TRY(entry.base, read_base(text));
  } else if (field == "forbidden_headers") {
    SP_TRY(auto const choice, read_choice(text, kForbidden));
    backend.forbidden_headers =
        choice == 0 ? tools::ForbiddenHeader::Drop : tools::ForbiddenHeader::Refuse;
  } else if (field == "rate") {
    SP_TRY(backend.rate, pipeline::Rate::parse(text));
  } else if (field == "private_network") {
    SP_TRY(backend.private_network, parse_switch(text));
  } else if (field == "request_bytes") {
    SP_TRY(backend.request_bytes, read_bytes(text));
  } else {
    SP_TRY(backend.response_bytes, read_bytes(text));
  }
  return {};
}

void read_credentials(YAML::Node const& list, EntryReader& backend,
                      std::vector<credentials::Rule>& rules) {
  auto const read_one = [&](EntryReader& reader, YAML::Node const& entry) {
    CredentialEntry credential;
    bool const good = reader.read(
        entry,
        [&](std::string const& field, FieldValue const& value) {
          return credential.take(field, value, reader.draft());
        },
        [&](std::string const& field, YAML::Node const& node) {
          credential.take_nested(field, node, reader);
        });
    if (!good) return;
    for (auto& rule : credential.rules(entry, reader)) rules.push_back(std::move(rule));
  };
  read_entries(list, backend.file(), backend.path() + ".credentials", kCredentialFields,
               backend.draft(), read_one);
}

void read_backend(EntryReader& reader, YAML::Node const& node) {
  Entry entry;
  bool const good = reader.read(
      node,
      [&](std::string const& field, FieldValue const& value) {
        return take_field(field, value, entry);
      },
      [&](std::string const&, YAML::Node const& list) {
        read_credentials(list, reader, entry.rest.credentials);
      });
  if (!good) return;
  if (entry.name.empty()) return reader.problem(node, "name", "is missing");
  if (!entry.base) return reader.problem(node, "base_url", "is missing");
  auto& backend = entry.rest;
  // SECURITY: a secret in clear over the open network is everybody's.
  if (!backend.credentials.empty() && entry.base->scheme() == "http" && !backend.private_network) {
    return reader.problem(node, "credentials", "need an https base_url, or private_network: true");
  }
  auto& backends = reader.draft().settings.backends;
  if (std::ranges::find(backends, entry.name, &tools::Backend::name) != backends.end()) {
    return reader.problem(node, "name", "is that of another backend");
  }
  backend.name = std::move(entry.name);
  backend.base = std::move(*entry.base);
  backends.push_back(std::move(backend));
}

void read(YAML::Node const& list, std::string const& file, Draft& draft) {
  read_entries(list, file, "backends", kFields, draft, read_backend);
}

json::Array texts(std::vector<std::string> const& items) {
  json::Array list;
  for (auto const& item : items) list.emplace_back(item);
  return list;
}

json::Array shown_credentials(std::vector<credentials::Rule> const& rules) {
  json::Array list;
  for (auto const& rule : rules) {
    json::Object entry{{"name", rule.name}};
    show_credential(entry, rule);
    if (!rule.reach.methods.empty()) entry["methods"] = texts(rule.reach.methods);
    list.push_back(std::move(entry));
  }
  return list;
}

json::Value shown(Settings const& settings) {
  json::Array list;
  for (auto const& backend : settings.backends) {
    bool const drops = backend.forbidden_headers == tools::ForbiddenHeader::Drop;
    json::Object entry{{"name", backend.name},
                       {"base_url", backend.base.href()},
                       {"paths", texts(backend.paths)},
                       {"methods", texts(backend.methods)},
                       {"forbidden_headers", drops ? "drop" : "refuse"},
                       {"request_bytes", format_size(backend.request_bytes)},
                       {"response_bytes", format_size(backend.response_bytes)},
                       {"private_network", backend.private_network}};
    if (!backend.allowed_headers.empty()) entry["allowed_headers"] = texts(backend.allowed_headers);
    if (!backend.denied_headers.empty()) entry["denied_headers"] = texts(backend.denied_headers);
    if (backend.rate.count != 0) entry["rate"] = backend.rate.as_setting();
    if (!backend.credentials.empty()) {
      entry["credentials"] = shown_credentials(backend.credentials);
    }
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

constexpr EntrySection kSections[] = {{"credentials", kCredentialFields}};

EntryList const kBackendList{"backends", kFields, read, shown, nullptr, kSections};

}  // namespace sallyport::config
