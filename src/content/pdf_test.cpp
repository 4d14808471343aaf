#include "src/content/pdf.hpp"

#include "tests/support/not_tested.hpp"
#include "tests/support/run.hpp"
#include "tests/support/small_pdf.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <sys/wait.h>

namespace sallyport::content {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kPlenty = 1UL << 20U;

class Pdf : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_read_pdf()) SP_NOT_TESTED("install poppler-utils");
  }
  void TearDown() override {
    if (!can_read_pdf()) return;
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child was left behind";
    EXPECT_EQ(errno, ECHILD);
  }
};

TEST_F(Pdf, GivesItsText) {
  auto const text = test::run(pdf_text(test::small_pdf("Sally port \\374ber alles"), kPlenty, {}));

  ASSERT_TRUE(text) << text.error().message;
  EXPECT_NE(text->find("Sally port über alles"), std::string::npos) << *text;
  EXPECT_EQ(text->find('\f'), std::string::npos);
}

TEST_F(Pdf, ReadsAFileThatIsLargerThanAnyPipe) {
  auto const pdf = test::small_pdf("filler", 40'000) + std::string(3'000'000, ' ');

  auto const text = test::run(pdf_text(pdf, 16 * kPlenty, {}));

  ASSERT_TRUE(text) << text.error().message;
  EXPECT_GT(text->size(), 100u);
}

TEST_F(Pdf, WhatIsNoPdfFailsAsSuch) {
  for (auto const& bytes : {std::string{"no PDF at all"}, std::string{"%PDF-1.7\n"}, std::string{},
                            std::string(2'000'000, 'x')}) {
    auto const text = test::run(pdf_text(bytes, kPlenty, {}));

    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().code, Errc::UpstreamFailed);
  }
}

TEST_F(Pdf, TooMuchTextIsRefused) {
  auto const text = test::run(pdf_text(test::small_pdf("a line of some words", 5'000), 10, {}));

  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Errc::LimitExceeded);
}

TEST_F(Pdf, TheDeadlineEndsTheChild) {
  auto const text =
      test::run(pdf_text(test::small_pdf("late", 40'000), kPlenty, Deadline{Clock::now()}));

  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Errc::DeadlineExceeded);
}

TEST_F(Pdf, CancellationEndsTheChild) {
  auto const text = test::run(pdf_text(test::small_pdf("never", 40'000), kPlenty, {}),
                              test::Interrupt::AfterFirstSuspension);

  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Errc::Cancelled);
}

TEST_F(Pdf, TheChildEndsWithItsLoop) {
  asio::io_context loop;
  asio::co_spawn(loop, pdf_text(test::small_pdf("never", 40'000), kPlenty, {}),
                 [](std::exception_ptr, Result<std::string> const&) {});
  loop.poll();
}

}  // namespace
}  // namespace sallyport::content
