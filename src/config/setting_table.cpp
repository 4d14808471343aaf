// The one table of settings, put together from its parts in table/.
#include "src/config/setting.hpp"
#include "src/config/table/parts.hpp"

#include <vector>

namespace sallyport::config {
namespace {

std::vector<Setting> joined() {
  std::vector<Setting> all;
  for (auto const part : {server_settings(), auth_settings(), egress_settings(), tools_settings(),
                          js_settings(), gateway_settings(), records_settings()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace

std::span<Setting const> setting_table() noexcept {
  static std::vector<Setting> const table = joined();
  return table;
}

}  // namespace sallyport::config
