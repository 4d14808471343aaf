#include "src/app/policy_files.hpp"

#include "src/store/digest.hpp"
#include "src/url/percent_encode.hpp"
#include "src/url/url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace sallyport::app {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestFile = 4UL * 1024 * 1024;
constexpr std::size_t kMostFiles = 1000;
// Of a hash, enough to tell revisions apart and short enough to read aloud.
constexpr std::size_t kRevisionDigits = 12;

Error unreadable(fs::path const& path, std::string_view why) {
  return fail(Errc::InvalidInput, fmt::format("{}: {}", path.string(), why),
              fmt::format("{}: {}", name_of_policy(path), why));
}

Result<std::string> text_of_file(fs::path const& path) {
  std::error_code failed;
  auto const size = fs::file_size(path, failed);
  if (failed) return unreadable(path, failed.message());
  if (size > kLargestFile) return unreadable(path, "is larger than 4 MiB");
  std::ifstream stream{path, std::ios::binary};
  std::string text{std::istreambuf_iterator<char>{stream}, {}};
  if (!stream.is_open() || stream.bad()) return unreadable(path, "cannot be read");
  return text;
}

bool is_policy(fs::path const& path) {
  return path.extension() == ".rego" && !path.stem().string().ends_with("_test");
}

Result<std::vector<fs::path>> policies_in(fs::path const& folder) {
  std::vector<fs::path> found;
  std::error_code failed;
  for (fs::directory_iterator at{folder, failed}; !failed && at != fs::directory_iterator{};
       at.increment(failed)) {
    if (is_policy(at->path())) found.push_back(at->path());
    if (found.size() > kMostFiles) return unreadable(folder, "has more than 1000 policies");
  }
  if (failed) return unreadable(folder, failed.message());
  if (found.empty()) return unreadable(folder, "has no *.rego file that is not a test");
  std::ranges::sort(found);
  return found;
}

std::string revision_of(policy::RegoFiles const& files) {
  std::string all;
  for (auto const& [name, text] : files.sources) {
    all += fmt::format("{}\n{}\n{}\n", fs::path{name}.filename().string(), text.size(), text);
  }
  return store::sha256_hex(all + files.data).substr(0, kRevisionDigits);
}

}  // namespace

Result<fs::path> path_of_file_url(std::string_view url) {
  auto const parsed = url::Url::parse(url);
  if (!parsed || parsed->scheme() != "file" || !parsed->host().value_or("").empty()) {
    return fail(Errc::InvalidInput, fmt::format("\"{}\" is no URL of a file here", url));
  }
  return fs::path{url::percent_decoded(parsed->path())};
}

std::string name_of_policy(fs::path const& path) {
  // "/etc/policy/" ends in an empty name.
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

Result<policy::RegoFiles> read_policy_files(fs::path const& path) {
  policy::RegoFiles files;
  std::vector<fs::path> policies{path};
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    SP_TRY(policies, policies_in(path));
    if (auto const data = path / "data.json"; fs::exists(data, ignored)) {
      SP_TRY(files.data, text_of_file(data));
    }
  }
  for (auto const& each : policies) {
    SP_TRY(auto text, text_of_file(each));
    files.sources.push_back({each.string(), std::move(text)});
  }
  files.revision = revision_of(files);
  return files;
}

}  // namespace sallyport::app
