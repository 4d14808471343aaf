// Files and folders that are nobody else's business, and the lock that says who uses them.
#pragma once

#include "src/base/result.hpp"

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace sallyport::store {

enum class Readers { Anyone, OwnerOnly };

// The details of these failures name the file and the system's reason.
Result<std::string> read_small_file(std::filesystem::path const& file,
                                    Readers allowed = Readers::Anyone);
// Mode 0600, on the disk when it returns. Fails with InvalidInput when there is one already.
Result<void> write_new_file(std::filesystem::path const& file, std::string_view text);
// Mode 0600, on the disk when it returns; whoever reads meanwhile sees all of the old or all of the
// new text.
Result<void> replace_file(std::filesystem::path const& file, std::string_view text);
// With its parents, each of mode 0700. One that exists is left as it is.
Result<void> make_private_directory(std::filesystem::path const& folder);

// Held as long as the object lives and the process runs; the file stays.
class FileLock {
 public:
  // Waits for another to give it back, at most `patience`; fails with InvalidInput then.
  static Result<FileLock> take(std::filesystem::path const& file,
                               std::chrono::milliseconds patience = {});

  FileLock(FileLock&& other) noexcept : descriptor_{std::exchange(other.descriptor_, -1)} {}
  FileLock& operator=(FileLock&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~FileLock();

 private:
  explicit FileLock(int descriptor) : descriptor_{descriptor} {}

  int descriptor_;
};

}  // namespace sallyport::store
