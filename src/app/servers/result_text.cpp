#include "src/app/servers/result_text.hpp"

#include "src/app/servers/servers_file.hpp"
#include "src/json/write.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace sallyport::app::servers {
namespace {

constexpr std::size_t kBar = 20;

std::string_view member_text(json::Object const& object, std::string_view key) {
  auto const* const text = json::find_string(object, key);
  return text == nullptr ? std::string_view{} : json::view(*text);
}

// Of base64.
std::size_t decoded_size(std::string_view text) {
  auto const padding = std::ranges::count(text, '=');
  return text.size() / 4 * 3 - std::min<std::size_t>(static_cast<std::size_t>(padding), 2);
}

std::string blob_text(std::string_view kind, std::string_view type, std::string_view data) {
  return fmt::format("[{} {}, {} bytes]", kind, type, data.empty() ? 0 : decoded_size(data));
}

std::string embedded_text(json::Object const& resource) {
  if (json::find_string(resource, "text") != nullptr) {
    return std::string{member_text(resource, "text")};
  }
  return blob_text(member_text(resource, "uri"), member_text(resource, "mimeType"),
                   member_text(resource, "blob"));
}

std::string content_text(json::Object const& content) {
  auto const type = member_text(content, "type");
  if (type == "text") return std::string{member_text(content, "text")};
  if (type == "image" || type == "audio") {
    return blob_text(type, member_text(content, "mimeType"), member_text(content, "data"));
  }
  if (type == "resource_link") {
    return fmt::format("[{} {}]", member_text(content, "name"), member_text(content, "uri"));
  }
  auto const* const resource = json::find_object(content, "resource");
  if (resource != nullptr) return embedded_text(*resource);
  return json::to_text(content);
}

double number_in(json::Object const& params, std::string_view key) {
  auto const* const value = json::find(params, key);
  return value != nullptr && value->is_number() ? value->to_number<double>() : 0;
}

}  // namespace

std::string result_text(json::Object const& result) {
  std::string out;
  if (auto const* const content = json::find_array(result, "content")) {
    for (auto const& item : *content) {
      if (auto const* const object = item.if_object()) out += content_text(*object);
      if (!out.empty() && out.back() != '\n') out += '\n';
    }
  }
  if (!out.empty()) return out;
  auto const* const structured = json::find(result, "structuredContent");
  return structured == nullptr ? std::string{} : indented(*structured) + "\n";
}

std::string progress_text(json::Object const& params) {
  auto const done = number_in(params, "progress");
  auto const total = number_in(params, "total");
  auto const message = member_text(params, "message");
  std::string text;
  if (total > 0) {
    auto const share = std::clamp(done / total, 0.0, 1.0);
    auto const full = static_cast<std::size_t>(share * kBar);
    text = fmt::format("[{}{}] {}/{}", std::string(full, '#'), std::string(kBar - full, ' '), done,
                       total);
  } else {
    text = fmt::format("{}", done);
  }
  return message.empty() ? text : fmt::format("{} {}", text, message);
}

std::string log_text(json::Object const& params) {
  auto const* const data = json::find(params, "data");
  auto text = data == nullptr     ? std::string{}
              : data->is_string() ? std::string{json::view(data->get_string())}
                                  : json::to_text(*data);
  auto const logger = member_text(params, "logger");
  return fmt::format("{}{}{}: {}", member_text(params, "level"), logger.empty() ? "" : " ", logger,
                     text);
}

}  // namespace sallyport::app::servers
