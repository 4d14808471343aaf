#include "src/app/servers/servers_file.hpp"

#include "src/json/parse.hpp"
#include "src/json/write.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

namespace sallyport::app::servers {
namespace {

constexpr std::chrono::milliseconds kLockPatience{5'000};

Result<json::Object> read_object(std::filesystem::path const& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return json::Object{};
  std::ifstream stream{file, std::ios::binary};
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) return fail(Errc::InvalidInput, fmt::format("{} cannot be read.", file.string()));
  auto value = json::parse(text.str());
  if (!value) {
    return fail(Errc::InvalidInput, fmt::format("{}: {}", file.string(), value.error().message));
  }
  if (!value->is_object()) {
    return fail(Errc::InvalidInput, fmt::format("{}: must be an object", file.string()));
  }
  return std::move(value->get_object());
}

void indent(json::Value const& value, std::string const& margin, std::string& out);

template <class Each>
void indent_members(Each const& each, char open, char close, std::string const& margin,
                    std::string& out) {
  out += open;
  bool first = true;
  each([&](auto const& write) {
    out += first ? "\n" : ",\n";
    first = false;
    out += margin + "  ";
    write();
  });
  if (!first) out += "\n" + margin;
  out += close;
}

void indent(json::Value const& value, std::string const& margin, std::string& out) {
  auto const inner = margin + "  ";
  if (auto const* const object = value.if_object()) {
    auto const each = [&](auto const& next) {
      for (auto const& [key, member] : *object) {
        next([&] {
          json::write_string(std::string_view{key}, out);
          out += ": ";
          indent(member, inner, out);
        });
      }
    };
    return indent_members(each, '{', '}', margin, out);
  }
  if (auto const* const array = value.if_array()) {
    auto const each = [&](auto const& next) {
      for (auto const& item : *array) next([&] { indent(item, inner, out); });
    };
    return indent_members(each, '[', ']', margin, out);
  }
  json::write(value, out);
}

}  // namespace

std::string indented(json::Value const& value) {
  std::string out;
  indent(value, {}, out);
  return out;
}

Result<ServersFile> ServersFile::open(std::filesystem::path file) {
  if (file.empty()) {
    return fail(Errc::InvalidInput,
                "There is no folder for state; say where with gateway.servers_file.");
  }
  SP_CHECK(store::make_private_directory(file.parent_path()));
  auto lock_file = file;
  lock_file += ".lock";
  SP_TRY(auto lock, store::FileLock::take(lock_file, kLockPatience));
  SP_TRY(auto root, read_object(file));
  bool const as_vs_code = !root.contains("mcpServers") && root.contains("servers");
  std::string const member = as_vs_code ? "servers" : "mcpServers";
  auto const* const servers = json::find(root, member);
  if (servers != nullptr && !servers->is_object()) {
    return fail(Errc::InvalidInput,
                fmt::format("{}: {} is no object, so that nothing can be added to it; name another "
                            "file with gateway.servers_file, and this one in "
                            "gateway.servers_files.",
                            file.string(), member));
  }
  if (servers == nullptr) root[member].emplace_object();
  return ServersFile{std::move(file), std::move(lock), std::move(root), member};
}

bool ServersFile::has(std::string_view key) const {
  return root_.at(member_).get_object().contains(key);
}

void ServersFile::put(std::string_view key, json::Object entry) {
  root_.at(member_).get_object()[key] = std::move(entry);
}

bool ServersFile::erase(std::string_view key) {
  return root_.at(member_).get_object().erase(key) != 0;
}

Result<void> ServersFile::save() const {
  return store::replace_file(file_, indented(root_) + "\n");
}

}  // namespace sallyport::app::servers
