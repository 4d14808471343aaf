#include "src/content/no_network.hpp"

#include "tests/support/not_tested.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <netinet/in.h>
#include <spawn.h>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sallyport::content {
namespace {

class Listener {
 public:
  Listener() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(socket_, plain, size), 0);
    EXPECT_EQ(::listen(socket_, 8), 0);
    EXPECT_EQ(::getsockname(socket_, plain, &size), 0);
    port_ = ntohs(address.sin_port);
  }
  ~Listener() { ::close(socket_); }
  Listener(Listener const&) = delete;
  Listener& operator=(Listener const&) = delete;

  int port() const noexcept { return port_; }

 private:
  int socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  int port_{0};
};

// Whether another program can connect there.
bool child_connects(int port) {
  std::string shell{"bash"};
  std::string flag{"-c"};
  std::string script{"exec 2>/dev/null 3<>/dev/tcp/127.0.0.1/" + std::to_string(port)};
  std::array<char*, 4> arguments{shell.data(), flag.data(), script.data(), nullptr};
  pid_t pid = 0;
  EXPECT_EQ(::posix_spawn(&pid, "/bin/bash", nullptr, nullptr, arguments.data(), nullptr), 0);
  int status = 0;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(WithoutNetwork, NeitherItNorAProgramThatItStartsOpensASocket) {
  Listener const listener;
  ASSERT_TRUE(child_connects(listener.port())) << "the test would prove nothing";
  bool filtered = false;
  bool connected = true;
  int made = 0;
  int problem = 0;

  without_network([&](bool in_force) {
    filtered = in_force;
    made = ::socket(AF_INET, SOCK_STREAM, 0);
    problem = errno;
    connected = child_connects(listener.port());
  });

  if (!filtered) SP_NOT_TESTED("the kernel refuses seccomp filters");
  EXPECT_EQ(made, -1);
  EXPECT_EQ(problem, EACCES);
  EXPECT_FALSE(connected);
}

TEST(WithoutNetwork, EndsWithTheWork) {
  Listener const listener;

  without_network([](bool) {});

  EXPECT_TRUE(child_connects(listener.port()));
}

}  // namespace
}  // namespace sallyport::content
