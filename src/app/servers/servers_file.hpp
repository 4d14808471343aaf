// The file that `sallyport servers add` writes: JSON, in the form of desktop clients, for its owner
// alone. What else is in it stays as it is.
#pragma once

#include "src/base/result.hpp"
#include "src/json/value.hpp"
#include "src/store/private_file.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace sallyport::app::servers {

// Nobody else changes the file while this lives.
class ServersFile {
 public:
  // An empty one where there is none. Fails with InvalidInput.
  static Result<ServersFile> open(std::filesystem::path file);

  bool has(std::string_view key) const;
  void put(std::string_view key, json::Object entry);
  // Whether there was one.
  bool erase(std::string_view key);

  // All at once, mode 0600. Fails with InvalidInput.
  Result<void> save() const;

 private:
  ServersFile(std::filesystem::path file, store::FileLock lock, json::Object root,
              std::string member)
      : file_{std::move(file)},
        lock_{std::move(lock)},
        root_{std::move(root)},
        member_{std::move(member)} {}

  std::filesystem::path file_;
  store::FileLock lock_;
  json::Object root_;
  std::string member_;  // of `root_`, with the servers
};

// On several lines, for people who look into the file.
std::string indented(json::Value const& value);

}  // namespace sallyport::app::servers
