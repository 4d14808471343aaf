#include "src/transport/negotiation.hpp"

#include <string_view>

namespace sallyport::transport {
namespace {

std::string_view trimmed(std::string_view text) {
  auto const begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// Takes what stands before the next `separator` off `rest`.
std::string_view take(std::string_view& rest, char separator) {
  auto const end = rest.find(separator);
  auto const piece = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  return trimmed(piece);
}

// `q=0`, `q=0.0` and so on: everything but this.
bool is_refused(std::string_view parameters) {
  while (!parameters.empty()) {
    auto const each = take(parameters, ';');
    if (each.size() < 3 || (each[0] != 'q' && each[0] != 'Q') || each[1] != '=') continue;
    return each.substr(2).find_first_not_of("0.") == std::string_view::npos;
  }
  return false;
}

// How closely a media range fits a type: 3 the type itself, 2 `text/*`, 1 `*/*`, 0 not at all.
int closeness(std::string_view range, std::string_view type) {
  if (http::equals_ignoring_case(range, type)) return 3;
  if (range == "*/*") return 1;
  auto const family = type.substr(0, type.find('/') + 1);
  bool const fits = range.size() == family.size() + 1 && range.ends_with('*') &&
                    http::equals_ignoring_case(range.substr(0, family.size()), family);
  return fits ? 2 : 0;
}

// RFC 9110, section 12.5.1: the closest range decides.
bool is_accepted(http::Headers const& headers, std::string_view type) {
  int closest = 0;
  bool accepted = false;
  for (auto const& field : headers) {
    if (!http::equals_ignoring_case(field.name, "Accept")) continue;
    std::string_view ranges = field.value;
    while (!ranges.empty()) {
      auto parameters = take(ranges, ',');
      auto const range = take(parameters, ';');
      int const fit = closeness(range, type);
      if (fit <= closest) continue;
      closest = fit;
      accepted = !is_refused(parameters);
    }
  }
  return accepted;
}

}  // namespace

Accepts accepted_types(http::Headers const& headers) {
  if (headers.find("Accept") == nullptr) return {true, true};
  return {is_accepted(headers, "application/json"), is_accepted(headers, "text/event-stream")};
}

bool has_json_body(http::Headers const& headers) {
  auto const* type = headers.find("Content-Type");
  if (type == nullptr) return false;
  std::string_view rest = *type;
  return http::equals_ignoring_case(take(rest, ';'), "application/json");
}

}  // namespace sallyport::transport
