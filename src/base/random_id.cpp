#include "src/base/random_id.hpp"

#include "src/base/assert.hpp"

#include <algorithm>
#include <array>
#include <sys/random.h>

namespace sallyport {

void fill_random(void* bytes, std::size_t count) {
  auto* at = static_cast<unsigned char*>(bytes);
  while (count > 0) {
    auto const got = getrandom(at, count, 0);
    SP_ASSERT(got > 0, "the system's random source answers");
    at += got;
    count -= static_cast<std::size_t>(got);
  }
}

namespace {

// The system is asked for many ids at once: it takes as long for one.
class RandomStock {
 public:
  void take(unsigned char* to, std::size_t count) {
    if (count > left_) {
      fill_random(stock_.data(), stock_.size());
      left_ = stock_.size();
    }
    left_ -= count;
    auto* const from = stock_.data() + left_;
    std::copy_n(from, count, to);
    std::fill_n(from, count, 0);  // what was given is nobody else's
  }

 private:
  std::array<unsigned char, 1024> stock_{};
  std::size_t left_{0};
};

}  // namespace

std::string random_id(std::size_t bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::array<unsigned char, 64> raw{};
  SP_ASSERT(bytes <= raw.size(), "ids are short");
  thread_local RandomStock stock;
  stock.take(raw.data(), bytes);
  std::string id(2 * bytes, '0');
  for (std::size_t i = 0; i < bytes; ++i) {
    id[2 * i] = kDigits[raw[i] >> 4U];
    id[2 * i + 1] = kDigits[raw[i] & 15U];
  }
  return id;
}

}  // namespace sallyport
