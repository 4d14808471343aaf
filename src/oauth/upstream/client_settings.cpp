#include "src/oauth/upstream/client_settings.hpp"

namespace sallyport::oauth::upstream {

std::string how_to_sign_in(ServerSettings const& server) {
  return "sign in with `sallyport servers login " + server.id + "`";
}

}  // namespace sallyport::oauth::upstream
