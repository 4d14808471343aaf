// sallyport-js: runs scripts for the gateway, which starts it with the control socket as
// descriptor 3. Not for people.
#include "src/js/sandbox/confine.hpp"
#include "src/js/sandbox/engine.hpp"
#include "src/js/sandbox/huge_text.hpp"
#include "src/js/sandbox/serve_runs.hpp"
#include "src/js/sandbox/web_apis_text.hpp"
#include "src/js/sandbox/zygote.hpp"

#include <cstdio>
#include <sys/socket.h>

namespace {

namespace sandbox = sallyport::js::sandbox;

constexpr int kControlSocket = 3;
constexpr int kCannotStart = 2;

bool is_packet_socket(int fd) {
  int type = 0;
  socklen_t size = sizeof type;
  return ::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET;
}

}  // namespace

int main() {
  if (!is_packet_socket(kControlSocket)) {
    std::fputs("sallyport-js is started by sallyport, which runs scripts in it.\n", stderr);
    return kCannotStart;
  }
  sandbox::give_up_privileges();
  auto namespaces = sandbox::enter_namespaces();
  sandbox::use_huge_pages_for_the_engine();
  auto const engine = sandbox::Engine::start(sandbox::web_apis_text());
  if (!engine) {
    std::fprintf(stderr, "sallyport-js: %s %s\n", engine.error().message.c_str(),
                 engine.error().detail.c_str());
    return kCannotStart;
  }
  sandbox::warm_up(**engine);
  sandbox::Zygote{**engine, kControlSocket, std::move(namespaces)}.serve();
  sandbox::end_process(sandbox::ExitCode::Done);
}
