#include "src/config/entry_reader.hpp"

#include "src/config/item_checks.hpp"
#include "src/config/suggest.hpp"
#include "src/config/yaml_node.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace sallyport::config {

EntryReader::EntryReader(std::string file, std::string path, std::span<EntryField const> fields,
                         Draft& draft)
    : file_{std::move(file)}, path_{std::move(path)}, fields_{fields}, draft_{draft} {}

void EntryReader::problem(YAML::Node const& at, std::string_view field, std::string message) {
  auto key = field.empty() ? path_ : fmt::format("{}.{}", path_, field);
  draft_.problems.push_back({origin_of(at, file_), std::move(key), std::move(message)});
}

bool EntryReader::read(YAML::Node const& entry, Take const& take, TakeNested const& nested) {
  auto const problems_before = draft_.problems.size();
  if (!entry.IsMap()) {
    problem(entry, {}, fmt::format("must have keys such as {}", fields_.front().key));
    return false;
  }
  std::vector<std::string> seen;
  for (auto const& member : entry) {
    if (!good_member(member.first, path_, seen, file_, draft_)) continue;
    read_field(member.first, member.second, take, nested);
  }
  return draft_.problems.size() == problems_before;
}

void EntryReader::read_field(YAML::Node const& key, YAML::Node const& value, Take const& take,
                             TakeNested const& nested) {
  auto const& name = key.Scalar();
  auto const& at = value.IsNull() ? key : value;
  auto const field = std::ranges::find(fields_, name, &EntryField::key);
  if (field == fields_.end()) {
    std::vector<std::string> names;
    for (auto const& known : fields_) names.emplace_back(known.key);
    return problem(key, name, "unknown key" + did_you_mean(name, names));
  }
  if (field->type.starts_with("list of ") || field->type == "map" || field->type == "section") {
    return nested(name, value);
  }
  auto const written = written_in(value);
  if (!written) return problem(at, name, written.error().message);
  bool const wants_list = field->type == "list";
  if (written->is_list != wants_list && field->type != "text or list") {
    return problem(at, name, wants_list ? "must be a list" : "must be one value");
  }
  if (auto const done = take(name, {written->items, written->is_list}); !done) {
    problem(at, name, done.error().message);
  }
}

void read_entries(YAML::Node const& list, std::string const& file, std::string const& key,
                  std::span<EntryField const> fields, Draft& draft,
                  std::function<void(EntryReader&, YAML::Node const&)> const& read) {
  auto const problem = [&](std::string message) {
    draft.problems.push_back({origin_of(list, file), key, std::move(message)});
  };
  if (!list.IsSequence()) {
    return problem(fmt::format("must be a list of sections, but there is {}", kind_of(list)));
  }
  draft.origins.insert_or_assign(key, origin_of(list, file));
  // SECURITY: an empty list would leave a door open that the operator meant to close.
  if (list.size() == 0) return problem("must not be empty");
  std::size_t index = 0;
  for (auto const& entry : list) {
    EntryReader reader{file, fmt::format("{}[{}]", key, index++), fields, draft};
    read(reader, entry);
  }
}

Result<Secret> read_secret_field(std::string_view field, std::string const& text, Draft& draft) {
  if (field.ends_with("_file")) return read_secret_file(text);
  if (!field.ends_with("_env")) return Secret{text};
  draft.variables_in_use.insert(text);
  auto const found = std::ranges::find(draft.environment, text, &Variables::value_type::first);
  if (found == draft.environment.end()) {
    return fail(Errc::InvalidInput, fmt::format("the variable {} is not set", text));
  }
  return Secret{found->second};
}

Result<Secret> read_header_secret(std::string_view field, std::string const& text, Draft& draft) {
  SP_TRY(auto secret, read_secret_field(field, text, draft));
  // SECURITY: what is wrong is said without the value.
  if (secret.empty() || !header_value(secret.reveal()).empty()) {
    return fail(Errc::InvalidInput, "the value is empty or cannot stand in a header");
  }
  return secret;
}

Result<std::size_t> read_choice(std::string_view text, std::span<std::string_view const> choices) {
  auto const found = std::ranges::find(choices, text);
  if (found == choices.end()) {
    return fail(Errc::InvalidInput, fmt::format("must be one of {}", fmt::join(choices, ", ")));
  }
  return static_cast<std::size_t>(found - choices.begin());
}

}  // namespace sallyport::config
