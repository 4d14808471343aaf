#include "src/base/base64_blocks.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace sallyport::base64 {

#if defined(__x86_64__)
namespace {

bool has_avx2() {
  static bool const has = __builtin_cpu_supports("avx2") != 0;
  return has;
}

#define SP_AVX2 __attribute__((target("avx2")))

SP_AVX2 inline __m256i all(int byte) {
  return _mm256_set1_epi8(static_cast<char>(byte));
}

// `amount` where the mask is set, else zero.
SP_AVX2 inline __m256i where(__m256i mask, int amount) {
  return _mm256_and_si256(mask, all(amount));
}

SP_AVX2 inline __m256i twice(__m128i lane) {
  return _mm256_broadcastsi128_si256(lane);
}

// In each lane 12 bytes become 16 values of six bits.
SP_AVX2 inline __m256i split(__m256i bytes) {
  auto const order = twice(_mm_setr_epi8(1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10));
  auto const groups = _mm256_shuffle_epi8(bytes, order);
  // Multiplying shifts each half of a group by an amount of its own.
  auto const first_and_third = _mm256_mulhi_epu16(
      _mm256_and_si256(groups, _mm256_set1_epi32(0x0FC0FC00)), _mm256_set1_epi32(0x04000040));
  auto const second_and_fourth = _mm256_mullo_epi16(
      _mm256_and_si256(groups, _mm256_set1_epi32(0x003F03F0)), _mm256_set1_epi32(0x01000010));
  return _mm256_or_si256(first_and_third, second_and_fourth);
}

SP_AVX2 inline __m256i to_digits(__m256i values, LastDigits last) {
  constexpr int kLower = 'a' - 26;
  constexpr int kNumber = '0' - 52;
  int const at_62 = last.of_62 - 62;
  int const at_63 = last.of_63 - 63;
  // From one range to the next the distance between value and digit changes.
  auto distance = all('A');
  distance = _mm256_add_epi8(distance, where(_mm256_cmpgt_epi8(values, all(25)), kLower - 'A'));
  distance = _mm256_add_epi8(distance, where(_mm256_cmpgt_epi8(values, all(51)), kNumber - kLower));
  distance = _mm256_add_epi8(distance, where(_mm256_cmpgt_epi8(values, all(61)), at_62 - kNumber));
  distance = _mm256_add_epi8(distance, where(_mm256_cmpgt_epi8(values, all(62)), at_63 - at_62));
  return _mm256_add_epi8(values, distance);
}

SP_AVX2 std::size_t encode_with_avx2(std::string_view bytes, char* to, LastDigits last) {
  constexpr std::size_t kBlock = 24;
  constexpr std::size_t kRead = 28;  // the second half is read as 16 bytes, of which 12 count
  std::size_t at = 0;
  for (; bytes.size() - at > kRead; at += kBlock, to += 32) {
    auto const* const from = reinterpret_cast<__m128i const*>(bytes.data() + at);
    auto const* const second = reinterpret_cast<__m128i const*>(bytes.data() + at + 12);
    auto const block = _mm256_set_m128i(_mm_loadu_si128(second), _mm_loadu_si128(from));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), to_digits(split(block), last));
  }
  return at;
}

// Bytes from 0x80 on are negative here, and in no range.
SP_AVX2 inline __m256i in_range(__m256i text, char first, char last) {
  return _mm256_and_si256(_mm256_cmpgt_epi8(text, all(first - 1)),
                          _mm256_cmpgt_epi8(all(last + 1), text));
}

// In each lane 16 values of six bits become 12 bytes, at its front.
SP_AVX2 inline __m256i join(__m256i values) {
  auto const pairs = _mm256_maddubs_epi16(values, _mm256_set1_epi32(0x01400140));
  auto const groups = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x00011000));
  return _mm256_shuffle_epi8(
      groups, twice(_mm_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1)));
}

SP_AVX2 std::size_t decode_with_avx2(std::string_view text, char* to, LastDigits last) {
  constexpr std::size_t kBlock = 32;
  constexpr std::size_t kLeft = 12;  // 32 bytes are stored, of which 24 count
  std::size_t at = 0;
  for (; text.size() - at >= kBlock + kLeft; at += kBlock, to += 24) {
    auto const block = _mm256_loadu_si256(reinterpret_cast<__m256i const*>(text.data() + at));
    auto const upper = in_range(block, 'A', 'Z');
    auto const lower = in_range(block, 'a', 'z');
    auto const number = in_range(block, '0', '9');
    auto const is_62 = _mm256_cmpeq_epi8(block, all(last.of_62));
    auto const is_63 = _mm256_cmpeq_epi8(block, all(last.of_63));
    auto const letter = _mm256_or_si256(upper, lower);
    auto const other = _mm256_or_si256(number, _mm256_or_si256(is_62, is_63));
    if (_mm256_movemask_epi8(_mm256_or_si256(letter, other)) != -1) break;
    auto distance = _mm256_or_si256(where(upper, -'A'), where(lower, 26 - 'a'));
    distance = _mm256_or_si256(distance, where(number, 52 - '0'));
    distance = _mm256_or_si256(distance, where(is_62, 62 - last.of_62));
    distance = _mm256_or_si256(distance, where(is_63, 63 - last.of_63));
    auto const bytes = join(_mm256_add_epi8(block, distance));
    auto const together = _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                        _mm256_permutevar8x32_epi32(bytes, together));
  }
  return at;
}

#undef SP_AVX2

}  // namespace

std::size_t encode_blocks(std::string_view bytes, char* to, LastDigits last) {
  return has_avx2() ? encode_with_avx2(bytes, to, last) : 0;
}

std::size_t decode_blocks(std::string_view text, char* to, LastDigits last) {
  return has_avx2() ? decode_with_avx2(text, to, last) : 0;
}

#else

std::size_t encode_blocks(std::string_view, char*, LastDigits) {
  return 0;
}

std::size_t decode_blocks(std::string_view, char*, LastDigits) {
  return 0;
}

#endif

}  // namespace sallyport::base64
