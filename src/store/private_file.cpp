#include "src/store/private_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace sallyport::store {
namespace {

constexpr std::size_t kLargestFile = 64UL * 1024;
constexpr std::chrono::milliseconds kLockInterval{20};

struct Descriptor {
  int number;
  explicit Descriptor(int given) : number{given} {}
  ~Descriptor() {
    if (number >= 0) close(number);
  }
  Descriptor(Descriptor const&) = delete;
  Descriptor& operator=(Descriptor const&) = delete;
};

Error system_failure(char const* message, std::filesystem::path const& file) {
  auto const reason = std::generic_category().message(errno);
  return fail(Errc::InvalidInput, message, fmt::format("{}: {}", file.string(), reason));
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    auto const count = ::write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return fsync(descriptor) == 0;
}

}  // namespace

Result<std::string> read_small_file(std::filesystem::path const& file, Readers allowed) {
  Descriptor const source{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (source.number < 0) return system_failure("The file cannot be read.", file);
  struct stat facts{};
  if (fstat(source.number, &facts) != 0) return system_failure("The file cannot be read.", file);
  if (allowed == Readers::OwnerOnly && (facts.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return fail(Errc::InvalidInput,
                "Others may read the key file; take their rights away with chmod 600.",
                file.string());
  }
  std::string text;
  std::array<char, 4096> piece{};
  while (text.size() <= kLargestFile) {
    auto const count = ::read(source.number, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_failure("The file cannot be read.", file);
    if (count == 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(count));
  }
  return fail(Errc::InvalidInput, "The file is too large to be a key.", file.string());
}

Result<void> write_new_file(std::filesystem::path const& file, std::string_view text) {
  Descriptor const target{
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600)};
  if (target.number < 0) return system_failure("The file cannot be created.", file);
  if (write_all(target.number, text)) return {};
  auto error = system_failure("The file cannot be written.", file);
  unlink(file.c_str());
  return error;
}

Result<void> replace_file(std::filesystem::path const& file, std::string_view text) {
  auto draft = file;
  draft += fmt::format(".{}.new", getpid());
  unlink(draft.c_str());  // of a process with our number that did not come to its end
  SP_CHECK(write_new_file(draft, text));
  if (rename(draft.c_str(), file.c_str()) == 0) {
    Descriptor const folder{::open(file.has_parent_path() ? file.parent_path().c_str() : ".",
                                   O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (folder.number >= 0) fsync(folder.number);
    return {};
  }
  auto error = system_failure("The file cannot be replaced.", file);
  unlink(draft.c_str());
  return error;
}

Result<void> make_private_directory(std::filesystem::path const& folder) {
  std::error_code ignored;
  if (folder.empty() || std::filesystem::is_directory(folder, ignored)) return {};
  if (folder.has_parent_path() && folder.parent_path() != folder) {
    SP_CHECK(make_private_directory(folder.parent_path()));
  }
  if (mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return system_failure("The folder cannot be created.", folder);
}

Result<FileLock> FileLock::take(std::filesystem::path const& file,
                                std::chrono::milliseconds patience) {
  int const descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0) return system_failure("The file cannot be created.", file);
  FileLock lock{descriptor};
  auto const end = std::chrono::steady_clock::now() + patience;
  do {
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return lock;
    std::this_thread::sleep_for(std::min<std::chrono::milliseconds>(patience, kLockInterval));
  } while (std::chrono::steady_clock::now() < end);
  return system_failure("Another process holds the file.", file);
}

FileLock::~FileLock() {
  // Closing gives the lock back.
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace sallyport::store
