#include "src/config/loader.hpp"
#include "src/config/suggest.hpp"
#include "src/config/yaml_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>

namespace sallyport::config {
namespace {

constexpr std::size_t kLargestFile = 1024UL * 1024;

class FileReader {
 public:
  FileReader(std::string file, Draft& draft) : file_{std::move(file)}, draft_{draft} {}

  void read_section(YAML::Node const& map, std::string const& path) {
    std::vector<std::string> seen;
    for (auto const& member : map) {
      if (!good_member(member.first, path, seen, file_, draft_)) continue;
      auto const& name = member.first.Scalar();
      read_member(member.first, member.second,
                  path.empty() ? name : fmt::format("{}.{}", path, name));
    }
  }

  void problem(YAML::Node const& at, std::string key, std::string message) {
    draft_.problems.push_back({origin_of(at, file_), std::move(key), std::move(message)});
  }

 private:
  void read_member(YAML::Node const& key, YAML::Node const& value, std::string const& path) {
    if (auto const* setting = find_setting(path)) return read_setting(*setting, key, value);
    auto const* first = first_in_section(path);
    if (first == nullptr) return problem(key, path, "unknown key" + suggestion(path));
    // SECURITY: an optional section that is there but empty (`jwt:`) is made, so that its checks
    // complain; the operator believes that it protects.
    std::visit([&](auto const& place) { touch(place); }, first->place);
    if (value.IsMap()) return read_section(value, path);
    if (value.IsNull()) return;
    problem(value, path,
            fmt::format("must be a section with keys, but there is {}", kind_of(value)));
  }

  void read_setting(Setting const& setting, YAML::Node const& key, YAML::Node const& value) {
    if (auto const* list = setting.entries()) return list->read(value, file_, draft_);
    // Nothing behind the colon has no place of its own.
    auto const& at = value.IsNull() ? key : value;
    auto written = written_in(value);
    if (written && setting.is_list() && !written->is_list) {
      written = fail(Errc::InvalidInput, "must be a list, such as [a, b]");
    }
    if (!written) return problem(at, std::string{setting.key}, written.error().message);
    apply(setting, *written, origin_of(at, file_), draft_);
  }

  template <class T>
  void touch(T const& place) {
    if constexpr (!std::is_same_v<T, EntriesAt>) place.of(draft_.settings);
  }

  static Setting const* first_in_section(std::string const& path) {
    auto const table = setting_table();
    auto const found = std::ranges::find_if(
        table, [&](Setting const& setting) { return setting.key.starts_with(path + "."); });
    return found == table.end() ? nullptr : &*found;
  }

  // Among the keys and sections beside it first, then by its last name anywhere.
  static std::string suggestion(std::string const& path) {
    auto const dot = path.rfind('.');
    auto const parent = dot == std::string::npos ? std::string{} : path.substr(0, dot + 1);
    auto const leaf = path.substr(parent.size());
    std::vector<std::string> beside;
    std::vector<std::string> anywhere;
    for (auto const& setting : setting_table()) {
      std::string const key{setting.key};
      if (key.starts_with(parent)) beside.push_back(key.substr(0, key.find('.', parent.size())));
      if (key.ends_with("." + leaf)) anywhere.push_back(key);
    }
    if (!anywhere.empty()) return fmt::format(" (did you mean {}?)", anywhere.front());
    return did_you_mean(path, beside);
  }

  std::string file_;
  Draft& draft_;
};

}  // namespace

Result<std::string> text_of(std::string const& path) {
  errno = 0;
  std::ifstream stream{path, std::ios::binary};
  std::string text(kLargestFile + 1, '\0');
  if (stream) stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  // A directory opens, but does not read.
  if (!stream.is_open() || stream.bad()) {
    return fail(Errc::InvalidInput,
                fmt::format("cannot be read: {}",
                            std::generic_category().message(errno != 0 ? errno : EIO)));
  }
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > kLargestFile) return fail(Errc::InvalidInput, "is larger than 1 MiB");
  return text;
}

namespace {

// SECURITY: behind a colon yaml-cpp quotes the text, which may be a secret: an escape it does not
// know, and in newer versions the unquoted value that starts with * and is taken for an alias.
std::string without_contents(std::string const& message) {
  auto said = message.substr(0, message.find(':'));
  if (said != "the referenced anchor is not defined") return said;
  return "a value that starts with * must be quoted";
}

}  // namespace

Result<Document> parse_yaml(std::string const& text, Origin& origin) {
  try {
    auto const documents = YAML::LoadAll(text);
    if (documents.size() > 1) return fail(Errc::InvalidInput, "must be one YAML document");
    return documents.empty() ? Document{} : Document{documents.front()};
  } catch (YAML::Exception const& exception) {
    if (!exception.mark.is_null()) {
      origin.where += fmt::format(":{}:{}", exception.mark.line + 1, exception.mark.column + 1);
    }
    return fail(Errc::InvalidInput, "is not YAML: " + without_contents(exception.msg));
  } catch (std::exception const&) {
    return fail(Errc::InvalidInput, "is not YAML that can be read");
  }
}

void read_file(std::string const& path, Draft& draft) {
  Origin origin{Origin::Kind::File, path};
  auto const text = text_of(path);
  if (!text) return draft.problems.push_back({origin, {}, text.error().message});
  auto const document = parse_yaml(*text, origin);
  if (!document) return draft.problems.push_back({origin, {}, document.error().message});
  auto const& root = document->root;
  FileReader reader{path, draft};
  if (root.IsMap()) return reader.read_section(root, {});
  if (root.IsNull()) return;
  reader.problem(root, {}, "must be a map of sections, but there is " + kind_of(root));
}

Result<Written> split_list(std::string const& text) {
  Written written{.is_list = true};
  if (text.starts_with('[')) {
    // YAML's flow lists are JSON's arrays and a little more.
    Origin ignored;
    auto const document = parse_yaml(text, ignored);
    if (!document) return fail(Errc::InvalidInput, R"(must be a list such as ["a","b"] or a,b)");
    return written_in(document->root);
  }
  std::istringstream items{text};
  for (std::string item; std::getline(items, item, ',');) {
    auto const start = item.find_first_not_of(' ');
    if (start == std::string::npos) continue;
    written.items.push_back(item.substr(start, item.find_last_not_of(' ') - start + 1));
  }
  return written;
}

}  // namespace sallyport::config
