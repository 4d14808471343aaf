// A folder that lives as long as the object.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace sallyport::test {

class TempFolder {
 public:
  TempFolder() {
    auto pattern = (std::filesystem::temp_directory_path() / "sallyport-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(TempFolder const&) = delete;
  TempFolder& operator=(TempFolder const&) = delete;

  std::string file(std::string_view name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }

  // Gives the path of the written file.
  std::string write(std::string_view name, std::string_view contents) const {
    std::ofstream{file(name), std::ios::binary} << contents;
    return file(name);
  }

 private:
  std::filesystem::path path_;
};

}  // namespace sallyport::test
