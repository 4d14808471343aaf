#include "src/net/read_buffer.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string_view>

namespace sallyport::net {
namespace {

void put(ReadBuffer& buffer, std::string_view bytes) {
  auto const space = buffer.prepare();
  ASSERT_GE(space.size(), bytes.size());
  std::memcpy(space.data(), bytes.data(), bytes.size());
  buffer.commit(bytes.size());
}

TEST(ReadBuffer, GivesBytesInTheOrderTheyCame) {
  ReadBuffer buffer{8};

  put(buffer, "abcd");
  buffer.consume(2);
  put(buffer, "efghij");

  EXPECT_EQ(buffer.unread(), "cdefghij");
  EXPECT_TRUE(buffer.full());
  EXPECT_EQ(buffer.prepare().size(), 0U);
}

TEST(ReadBuffer, IsAllFreeAgainWhenEverythingIsUsed) {
  ReadBuffer buffer{4};

  put(buffer, "abcd");
  buffer.consume(4);

  EXPECT_TRUE(buffer.empty());
  EXPECT_EQ(buffer.prepare().size(), 4U);
}

}  // namespace
}  // namespace sallyport::net
