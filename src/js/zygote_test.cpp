#include "src/js/zygote.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace sallyport::js {
namespace {

using namespace std::chrono_literals;

TEST(Zygote, SaysWhyThereIsNoSandbox) {
  Zygote zygote{"/nowhere/sallyport-js"};
  zygote.start();
  for (int i = 0; i < 1000 && zygote.ready().error().message.find("started (") == std::string::npos;
       ++i) {
    std::this_thread::sleep_for(5ms);
  }

  auto const child = zygote.fork({});

  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().code, Errc::NotFound);
  EXPECT_NE(child.error().message.find("/nowhere/sallyport-js cannot be started (No such file"),
            std::string::npos)
      << child.error().message;
}

}  // namespace
}  // namespace sallyport::js
