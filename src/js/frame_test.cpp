#include "src/js/frame.hpp"

#include <gtest/gtest.h>

#include <string>

namespace sallyport::js {
namespace {

std::string frame_bytes(FrameKind kind, std::uint32_t call, std::string_view payload) {
  std::string bytes;
  append_frame(bytes, kind, call, payload);
  return bytes;
}

TEST(Frame, IsWrittenAsItsHeaderSays) {
  EXPECT_EQ(frame_bytes(FrameKind::Chunk, 0x01020304, "ab"),
            std::string("\x07\0\0\0\x20\x04\x03\x02\x01"
                        "ab",
                        11));
  EXPECT_EQ(frame_bytes(FrameKind::Cancel, 0, "").size(), kFrameHead);
}

TEST(Frame, IsAppendedToWhatIsThere) {
  std::string bytes = "before";
  append_frame(bytes, FrameKind::End, 1, "x");

  EXPECT_EQ(bytes.substr(0, 6), "before");
  EXPECT_EQ(bytes.size(), 6 + kFrameHead + 1);
}

TEST(FrameReader, ReadsWhatWasWritten) {
  FrameReader reader;
  reader.add(frame_bytes(FrameKind::Done, 7, "payload") + frame_bytes(FrameKind::Cancel, 8, ""));

  auto const first = reader.next();
  auto const second = reader.next();

  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->kind, FrameKind::Done);
  EXPECT_EQ(first->call, 7);
  EXPECT_EQ(first->payload, "payload");
  EXPECT_EQ(second->kind, FrameKind::Cancel);
  EXPECT_EQ(second->payload, "");
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.broken());
}

TEST(FrameReader, TakesBytesInAnyPieces) {
  std::string const bytes = frame_bytes(FrameKind::Chunk, 1, std::string(300, 'x')) +
                            frame_bytes(FrameKind::Chunk, 2, std::string("\0\xff", 2)) +
                            frame_bytes(FrameKind::End, 3, "");
  for (std::size_t const piece : {1UL, 2UL, 8UL, 9UL, 10UL, 100UL, bytes.size()}) {
    FrameReader reader;
    std::string calls;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      reader.add(std::string_view{bytes}.substr(at, piece));
      while (auto const frame = reader.next()) calls += std::to_string(frame->call);
    }

    EXPECT_EQ(calls, "123") << "in pieces of " << piece;
  }
}

TEST(FrameReader, TakesTheLargestPayloadAndNoLarger) {
  FrameReader reader;
  reader.add(frame_bytes(FrameKind::Chunk, 1, std::string(kLargestPayload, 'x')));
  auto const frame = reader.next();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->payload.size(), kLargestPayload);

  FrameReader other;
  // Known from the first bytes: nobody waits for the rest, and nothing is kept for it.
  other.add(frame_bytes(FrameKind::Chunk, 1, std::string(kLargestPayload + 1, 'x')).substr(0, 9));
  EXPECT_FALSE(other.next());
  EXPECT_TRUE(other.broken());
}

TEST(FrameReader, RefusesAFrameThatIsShorterThanItsHead) {
  for (char const length : {'\0', '\1', '\4'}) {
    FrameReader reader;
    reader.add(std::string{length, '\0', '\0', '\0', '\1', '\0', '\0', '\0', '\0'});

    EXPECT_FALSE(reader.next());
    EXPECT_TRUE(reader.broken());
  }
}

TEST(FrameReader, StaysBroken) {
  FrameReader reader;
  reader.add(std::string(9, '\xff'));
  EXPECT_FALSE(reader.next());

  reader.add(frame_bytes(FrameKind::Done, 1, ""));

  EXPECT_FALSE(reader.next());
  EXPECT_TRUE(reader.broken());
}

TEST(Credit, SaysWhatWasWritten) {
  for (std::uint32_t const bytes : {0U, 1U, 65'536U, 0xFFFFFFFFU}) {
    EXPECT_EQ(credit_in(credit_payload(bytes)), bytes);
  }
  EXPECT_EQ(credit_in("\x05"), 5U) << "one that is cut short does no harm";
}

}  // namespace
}  // namespace sallyport::js
