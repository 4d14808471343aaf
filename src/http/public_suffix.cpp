#include "src/http/public_suffix.hpp"

#include <libpsl.h>
#include <string>

namespace sallyport::http {

bool is_public_suffix(std::string_view domain) {
  if (domain.ends_with('.')) domain.remove_suffix(1);  // "com." is the same as "com"
  if (domain.find('.') == std::string_view::npos) return true;
  auto const* list = psl_builtin();
  // SECURITY: libpsl can be built without its list; then no cookie may reach beyond its host.
  return list == nullptr || psl_is_public_suffix(list, std::string{domain}.c_str()) == 1;
}

}  // namespace sallyport::http
