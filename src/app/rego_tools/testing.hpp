// For tests: a folder of policies, and `sallyport policy` run on it.
#pragma once

#include "src/app/cli.hpp"

#include "tests/support/temp_folder.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace sallyport::app::rego_tools {

class PolicyFolder : public test::TempFolder {
 public:
  std::string operator/(std::string const& name) const { return file(name); }

  // Also into folders below. Returns the path.
  std::string write(std::string const& name, std::string const& text) const {
    std::filesystem::create_directories(std::filesystem::path{file(name)}.parent_path());
    return TempFolder::write(name, text);
  }

  std::string read(std::string const& name) const {
    std::ostringstream text;
    text << std::ifstream{file(name)}.rdbuf();
    return text.str();
  }
};

struct PolicyOutcome {
  int code;
  std::string out;
  std::string err;
};

inline PolicyOutcome policy_command(std::vector<std::string> words) {
  words.insert(words.begin(), "policy");
  std::ostringstream out;
  std::ostringstream err;
  int const code = run(words, {{}, out, err});
  return {code, out.str(), err.str()};
}

}  // namespace sallyport::app::rego_tools
