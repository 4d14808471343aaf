#include "src/oauth/www_authenticate.hpp"

namespace sallyport::oauth {
namespace {

// RFC 9110, section 5.6.4.
void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (char const c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c >= ' ' && c < '\x7F' ? c : '?';
  }
  out += '"';
}

void append_parameter(std::string& out, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  out += out.ends_with("Bearer") ? " " : ", ";
  out += name;
  out += '=';
  append_quoted(out, value);
}

}  // namespace

std::string www_authenticate(Challenge const& challenge) {
  std::string out = "Bearer";
  append_parameter(out, "resource_metadata", challenge.resource_metadata);
  append_parameter(out, "scope", challenge.scope);
  append_parameter(out, "error", challenge.error);
  append_parameter(out, "error_description", challenge.error_description);
  // RFC 6750, section 3: the scheme needs at least one parameter.
  if (out == "Bearer") append_parameter(out, "realm", "sallyport");
  return out;
}

}  // namespace sallyport::oauth
