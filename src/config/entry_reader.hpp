// Reads the entries of a list of sections (entry_list.hpp). Private to this module.
#pragma once

#include "src/config/entry_list.hpp"
#include "src/config/loader.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::config {

// What a field of an entry was given: one text or a list, or a node for the reader to look into.
struct FieldValue {
  std::vector<std::string> items;
  bool is_list{false};

  std::string const& text() const noexcept { return items.front(); }
};

// One entry: checks its keys against the table and hands each value on.
class EntryReader {
 public:
  // Fails with InvalidInput, fit to stand behind the name of the field.
  using Take = std::function<Result<void>(std::string const& field, FieldValue const& value)>;
  // For fields with something inside: "list of …", "map", "section". Their problems go to the
  // draft.
  using TakeNested = std::function<void(std::string const& field, YAML::Node const& list)>;

  EntryReader(std::string file, std::string path, std::span<EntryField const> fields, Draft& draft);

  // Whether there was no problem with it.
  bool read(YAML::Node const& entry, Take const& take, TakeNested const& nested = {});

  // At a field of this entry; at the entry itself when `field` is empty.
  void problem(YAML::Node const& at, std::string_view field, std::string message);

  std::string const& path() const noexcept { return path_; }
  std::string const& file() const noexcept { return file_; }
  Draft& draft() noexcept { return draft_; }

 private:
  void read_field(YAML::Node const& key, YAML::Node const& value, Take const& take,
                  TakeNested const& nested);

  std::string file_;
  std::string path_;
  std::span<EntryField const> fields_;
  Draft& draft_;
};

// Calls `read` with a reader for each entry of the list at `key`; notes a problem when it is no
// list, or an empty one.
void read_entries(YAML::Node const& list, std::string const& file, std::string const& key,
                  std::span<EntryField const> fields, Draft& draft,
                  std::function<void(EntryReader&, YAML::Node const&)> const& read);

// The secret that `field` gives: itself, by the name of a variable (`…_env`) or of a file
// (`…_file`). Fails with InvalidInput.
Result<Secret> read_secret_field(std::string_view field, std::string const& text, Draft& draft);

// The same for a secret that is to be the value of a header.
Result<Secret> read_header_secret(std::string_view field, std::string const& text, Draft& draft);

// Fails with InvalidInput unless it is one of `choices`; gives its index.
Result<std::size_t> read_choice(std::string_view text, std::span<std::string_view const> choices);

}  // namespace sallyport::config
