#include "src/content/signatures.hpp"

#include "src/content/ascii.hpp"
#include "src/content/charset_prescan.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace sallyport::content {
namespace {

using namespace std::string_view_literals;

struct Signature {
  std::string_view bytes;
  Kind kind;
  std::string_view essence;
};

constexpr std::array kSignatures = {
    Signature{"\x89PNG\r\n\x1A\n"sv, Kind::Image, "image/png"},
    Signature{"\xFF\xD8\xFF"sv, Kind::Image, "image/jpeg"},
    Signature{"GIF87a"sv, Kind::Image, "image/gif"},
    Signature{"GIF89a"sv, Kind::Image, "image/gif"},
    Signature{"\0\0\1\0"sv, Kind::Image, "image/x-icon"},
    Signature{"\0\0\2\0"sv, Kind::Image, "image/x-icon"},
    Signature{"fLaC\0"sv, Kind::Audio, "audio/flac"},
    Signature{"MThd\0\0\0\6"sv, Kind::Audio, "audio/midi"},
    Signature{"%PDF-"sv, Kind::Pdf, "application/pdf"},
    Signature{"\x1F\x8B\x08"sv, Kind::Binary, "application/gzip"},
    Signature{"BZh9"sv, Kind::Binary, "application/x-bzip2"},
    Signature{"\xFD"
              "7zXZ\0"sv,
              Kind::Binary, "application/x-xz"},
    Signature{"\x28\xB5\x2F\xFD"sv, Kind::Binary, "application/zstd"},
    Signature{"7z\xBC\xAF\x27\x1C"sv, Kind::Binary, "application/x-7z-compressed"},
    Signature{"Rar!\x1A\7"sv, Kind::Binary, "application/x-rar-compressed"},
    Signature{"\x7F"
              "ELF"sv,
              Kind::Binary, "application/x-executable"},
    Signature{"\0asm"sv, Kind::Binary, "application/wasm"},
    Signature{"wOFF\0"sv, Kind::Binary, "font/woff"},
    Signature{"wOF2\0"sv, Kind::Binary, "font/woff2"},
    Signature{"SQLite format 3\0"sv, Kind::Binary, "application/vnd.sqlite3"},
};

unsigned at(std::string_view bytes, std::size_t index) noexcept {
  return index < bytes.size() ? static_cast<unsigned char>(bytes[index]) : 0U;
}

std::uint32_t big_endian(std::string_view bytes, std::size_t index) noexcept {
  return at(bytes, index) << 24U | at(bytes, index + 1) << 16U | at(bytes, index + 2) << 8U |
         at(bytes, index + 3);
}

std::uint32_t little_endian(std::string_view bytes, std::size_t index) noexcept {
  return at(bytes, index + 3) << 24U | at(bytes, index + 2) << 16U | at(bytes, index + 1) << 8U |
         at(bytes, index);
}

// "BM" alone begins many a text: the reserved fields are zero, and the size of the second header is
// one of few.
bool is_bmp(std::string_view bytes) noexcept {
  constexpr std::array<std::uint32_t, 7> kHeaders = {12, 40, 52, 56, 64, 108, 124};
  return bytes.starts_with("BM") && bytes.size() >= 26 && little_endian(bytes, 6) == 0 &&
         std::ranges::find(kHeaders, little_endian(bytes, 14)) != kHeaders.end();
}

bool is_id3(std::string_view bytes) noexcept {
  return bytes.starts_with("ID3") && bytes.size() >= 10 && at(bytes, 3) < 0x10 &&
         (at(bytes, 5) & 0x0FU) == 0 && (big_endian(bytes, 6) & 0x80808080U) == 0;
}

// The length of the MPEG layer III frame whose header begins at `index`; 0 when there is none.
std::size_t mp3_frame(std::string_view bytes, std::size_t index) noexcept {
  constexpr std::array<unsigned, 16> kRates1 = {0,   32,  40,  48,  56,  64,  80,  96,
                                                112, 128, 160, 192, 224, 256, 320, 0};
  constexpr std::array<unsigned, 16> kRates2 = {0,  8,  16, 24,  32,  40,  48,  56,
                                                64, 80, 96, 112, 128, 144, 160, 0};
  constexpr std::array<unsigned, 4> kSamples = {44'100, 48'000, 32'000, 0};
  if (index + 4 > bytes.size() || at(bytes, index) != 0xFF) return 0;
  auto const flags = at(bytes, index + 1);
  bool const is_layer3 = (flags & 0xE6U) == 0xE2U;
  auto const version = (flags >> 3U) & 3U;  // 3: MPEG 1, 2: MPEG 2, 0: MPEG 2.5
  auto const rate_index = at(bytes, index + 2) >> 4U;
  auto const sample_rate = kSamples[(at(bytes, index + 2) >> 2U) & 3U];
  auto const rate = version == 3 ? kRates1[rate_index] : kRates2[rate_index];
  if (!is_layer3 || version == 1 || rate == 0 || sample_rate == 0) return 0;
  auto const padding = (at(bytes, index + 2) >> 1U) & 1U;
  auto const divisor = version == 0 ? 4U : version == 2 ? 2U : 1U;
  auto const factor = version == 3 ? 144'000U : 72'000U;
  return rate * factor / (sample_rate / divisor) + padding;
}

// Two frames in a row: one header alone may be a word in a Cyrillic encoding.
bool is_mp3(std::string_view bytes) noexcept {
  auto const length = mp3_frame(bytes, 0);
  return is_id3(bytes) || (length > 4 && mp3_frame(bytes, length) != 0);
}

std::optional<Sniffed> in_riff(std::string_view bytes) {
  if (bytes.size() < 12 || (!bytes.starts_with("RIFF") && !bytes.starts_with("FORM"))) return {};
  auto const form = bytes.substr(8, 4);
  if (bytes.starts_with("FORM")) {
    if (form == "AIFF" || form == "AIFC") return Sniffed{Kind::Audio, "audio/aiff"};
    return {};
  }
  if (form == "WEBP") return Sniffed{Kind::Image, "image/webp"};
  if (form == "WAVE") return Sniffed{Kind::Audio, "audio/wav"};
  if (form == "AVI ") return Sniffed{Kind::Binary, "video/x-msvideo"};
  return {};
}

// ISO base media: the brands of the first box say what it is.
std::optional<Sniffed> in_mp4(std::string_view bytes, std::string_view declared) {
  auto const box_size = big_endian(bytes, 0);
  bool const plausible = box_size >= 16 && box_size % 4 == 0 && box_size <= 1024;
  if (!plausible || bytes.size() < 16 || bytes.substr(4, 4) != "ftyp") return {};
  auto const box = bytes.substr(0, box_size);
  bool image = false;
  bool audio = declared.starts_with("audio/");
  for (std::size_t i = 8; i + 4 <= box.size(); i += i == 8 ? 8 : 4) {
    auto const brand = box.substr(i, 4);
    image |= brand == "avif" || brand == "avis";
    audio |= brand == "M4A " || brand == "M4B ";
  }
  if (image) return Sniffed{Kind::Image, "image/avif"};
  if (audio) return Sniffed{Kind::Audio, "audio/mp4"};
  if (declared == "image/heic" || declared == "image/heif") {
    return Sniffed{Kind::Binary, std::string{declared}};
  }
  return Sniffed{Kind::Binary, "video/mp4"};
}

std::optional<Sniffed> in_other_containers(std::string_view bytes, std::string_view declared) {
  if (bytes.starts_with("OggS\0"sv)) {
    bool const video = bytes.substr(0, 512).find("theora") != std::string_view::npos;
    return video ? Sniffed{Kind::Binary, "video/ogg"} : Sniffed{Kind::Audio, "audio/ogg"};
  }
  if (bytes.starts_with("\x1A\x45\xDF\xA3")) {
    return declared.starts_with("audio/") ? Sniffed{Kind::Audio, "audio/webm"}
                                          : Sniffed{Kind::Binary, "video/webm"};
  }
  // Office files and the like are archives too; the server knows better which.
  if (bytes.starts_with("PK\3\4")) {
    bool const named = declared.starts_with("application/") && !declared.ends_with("octet-stream");
    return Sniffed{Kind::Binary, named ? std::string{declared} : "application/zip"};
  }
  bool const adts = at(bytes, 0) == 0xFF && (at(bytes, 1) & 0xF6U) == 0xF0U;
  if (adts && declared.starts_with("audio/")) return Sniffed{Kind::Audio, "audio/aac"};
  return {};
}

// Readers accept a PDF whose header is not quite at the start.
bool is_late_pdf(std::string_view bytes, std::string_view declared) noexcept {
  return declared == "application/pdf" &&
         bytes.substr(0, 1024).find("%PDF-") != std::string_view::npos;
}

}  // namespace

std::optional<Sniffed> by_signature(std::string_view bytes, std::string_view declared) {
  auto const* const found = std::ranges::find_if(
      kSignatures, [&](Signature const& signature) { return bytes.starts_with(signature.bytes); });
  if (found != kSignatures.end()) return Sniffed{found->kind, std::string{found->essence}};
  if (is_bmp(bytes)) return Sniffed{Kind::Image, "image/bmp"};
  if (is_mp3(bytes)) return Sniffed{Kind::Audio, "audio/mpeg"};
  if (is_late_pdf(bytes, declared)) return Sniffed{Kind::Pdf, "application/pdf"};
  if (auto riff = in_riff(bytes)) return riff;
  if (auto mp4 = in_mp4(bytes, declared)) return mp4;
  return in_other_containers(bytes, declared);
}

bool looks_like_text(std::string_view bytes, Controls tolerated) noexcept {
  auto const sample = bytes.substr(0, 4096);
  auto const controls = static_cast<std::size_t>(std::ranges::count_if(sample, is_binary_byte));
  return controls == 0 || (tolerated == Controls::Few && controls * 32 <= sample.size());
}

bool looks_like_utf16(std::string_view bytes) noexcept {
  return bytes.starts_with("\xFE\xFF") || bytes.starts_with("\xFF\xFE") ||
         !utf16_without_mark(bytes).empty();
}

}  // namespace sallyport::content
