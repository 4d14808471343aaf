#include "src/rego/arena.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace sallyport::rego {
namespace {

TEST(Arena, GivesAlignedMemoryThatDoesNotOverlap) {
  Arena arena;

  auto* const byte = static_cast<char*>(arena.allocate(1, 1));
  auto const numbers = arena.allocate_span<std::uint64_t>(3);
  *byte = 'x';
  for (auto& number : numbers) number = ~std::uint64_t{0};

  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(numbers.data()) % alignof(std::uint64_t), 0U);
  EXPECT_EQ(*byte, 'x');
}

TEST(Arena, KeepsWhatItGaveWhenItGrows) {
  Arena arena;
  auto const first = arena.copy("first");

  for (int round = 0; round < 1000; ++round) arena.copy(std::string(1000, 'x'));

  EXPECT_EQ(first, "first");
  EXPECT_GE(arena.used(), 1'000'000U);
}

TEST(Arena, GivesPiecesLargerThanItsBlocks) {
  Arena arena;

  auto const large = arena.copy(std::string(std::size_t{5} << 20, 'y'));

  EXPECT_EQ(large.size(), std::size_t{5} << 20);
  EXPECT_EQ(large.back(), 'y');
}

TEST(Arena, SaysWhenItHasGivenMoreThanItsLimit) {
  Arena arena{1000};

  arena.copy(std::string(900, 'x'));
  EXPECT_FALSE(arena.exhausted());
  arena.copy(std::string(200, 'x'));

  EXPECT_TRUE(arena.exhausted());
}

TEST(Arena, CountsAgainFromZeroAfterReset) {
  Arena arena{1000};
  arena.copy(std::string(100'000, 'x'));

  arena.reset(2000);

  EXPECT_EQ(arena.used(), 0U);
  EXPECT_FALSE(arena.exhausted());
  arena.copy(std::string(2001, 'x'));
  EXPECT_TRUE(arena.exhausted());
}

TEST(Arena, UsesTheSameBlockAgainAfterReset) {
  Arena arena;
  // What took several blocks once is given one that holds all of it.
  for (int round = 0; round < 100; ++round) arena.allocate(1000, 8);
  arena.reset();
  auto const* const first = arena.allocate(1000, 8);
  for (int round = 0; round < 99; ++round) arena.allocate(1000, 8);
  arena.reset();

  EXPECT_EQ(arena.allocate(1000, 8), first);
}

TEST(Arena, GivesALargeBlockBackOnReset) {
  Arena arena;
  arena.allocate(std::size_t{50} << 20, 8);

  arena.reset();

  arena.allocate(8, 8);
  EXPECT_EQ(arena.used(), 8U);
}

}  // namespace
}  // namespace sallyport::rego
