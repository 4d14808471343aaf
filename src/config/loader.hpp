// The steps of load(), each adding to what was loaded before it. Private to this module.
#pragma once

#include "src/config/load.hpp"

#include <set>
#include <string>
#include <string_view>

namespace sallyport::config {

struct Draft : Loaded {
  Variables const& environment;
  std::set<std::string, std::less<>> variables_in_use;  // that the file refers to by name
};

// Assigns, remembers the origin, notes a problem.
void apply(Setting const& setting, Written const& written, Origin origin, Draft& draft);

void read_file(std::string const& path, Draft& draft);

// Also refuses unknown variables with our prefixes.
void read_environment(Draft& draft);
void read_flags(std::vector<GivenFlag> const& flags, Draft& draft);

// Items of a list that is written as one text: a JSON array, or separated by commas. Fails with
// InvalidInput.
Result<Written> split_list(std::string const& text);

// The first line of the file at `path`, or all of it. Fails with InvalidInput; the message does not
// name the path.
enum class SecretFile { FirstLine, Whole };
Result<Secret> read_secret_file(std::string const& path, SecretFile part = SecretFile::FirstLine);

// Reads the files that hold secrets and joins auth.token to auth.tokens.
void resolve_secrets(Draft& draft);

// Where state belongs on this system, for files that the operator did not name.
void resolve_state_files(Draft& draft);

// What no single setting can know.
void cross_check(Purpose purpose, Draft& draft);

void note(std::string_view key, std::string message, Draft& draft);  // at the key's origin

}  // namespace sallyport::config
