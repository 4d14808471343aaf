// What the tests of this module share: settings from a text instead of a file that exists.
#pragma once

#include "src/config/load.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace sallyport::config::test {

// A file that is gone when the test is.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string const& text) {
    int const descriptor = mkstemp(path_.data());
    EXPECT_GE(descriptor, 0);
    close(descriptor);
    std::ofstream{path_, std::ios::binary} << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(TemporaryFile const&) = delete;
  TemporaryFile& operator=(TemporaryFile const&) = delete;

  std::string const& path() const noexcept { return path_; }

 private:
  std::string path_{(std::filesystem::temp_directory_path() / "sallyport-test-XXXXXX").string()};
};

inline Loaded load_text(std::string const& yaml, Variables environment = {},
                        std::vector<GivenFlag> flags = {}) {
  TemporaryFile const file{yaml};
  return load({file.path(), std::move(environment), std::move(flags)}, Purpose::Serve);
}

inline Loaded load_environment(Variables environment, Purpose purpose = Purpose::Serve) {
  return load({{}, std::move(environment), {}}, purpose);
}

// The problems without the name of the file, which differs from run to run: "4:9: key: message".
inline std::vector<std::string> problems(Loaded const& loaded) {
  std::vector<std::string> texts;
  for (auto const& problem : loaded.problems) {
    auto text = to_string(problem);
    auto const name = text.find("sallyport-test-");
    if (problem.origin.kind == Origin::Kind::File && name != std::string::npos) {
      text = text.substr(text.find(':', name) + 1);
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace sallyport::config::test
