#include "src/content/pdf.hpp"

#include "tests/support/not_tested.hpp"
#include "tests/support/run.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <sys/wait.h>

namespace sallyport::content {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kPlenty = 1UL << 20U;

// The smallest PDF with one page of text; `copies` draws the same line again and again.
std::string pdf_with(std::string_view line, std::size_t copies = 1) {
  std::string drawing = "BT /F1 12 Tf 14 TL 72 720 Td\n";
  for (std::size_t i = 0; i < copies; ++i) drawing += fmt::format("({}) Tj T*\n", line);
  drawing += "ET\n";
  std::string const objects[] = {
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
      "/Resources << /Font << /F1 5 0 R >> >> >>",
      fmt::format("<< /Length {} >>\nstream\n{}endstream", drawing.size(), drawing),
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
  };
  std::string pdf = "%PDF-1.4\n";
  std::string table = "0000000000 65535 f \n";
  std::size_t number = 0;
  for (auto const& object : objects) {
    table += fmt::format("{:010} 00000 n \n", pdf.size());
    pdf += fmt::format("{} 0 obj\n{}\nendobj\n", ++number, object);
  }
  return pdf + fmt::format(
                   "xref\n0 {}\n{}trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{}\n"
                   "%%EOF\n",
                   number + 1, table, number + 1, pdf.size());
}

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
  auto const text = test::run(pdf_text(pdf_with("Sally port \\374ber alles"), kPlenty, {}));

  ASSERT_TRUE(text) << text.error().message;
  EXPECT_NE(text->find("Sally port über alles"), std::string::npos) << *text;
  EXPECT_EQ(text->find('\f'), std::string::npos);
}

TEST_F(Pdf, ReadsAFileThatIsLargerThanAnyPipe) {
  auto const pdf = pdf_with("filler", 40'000) + std::string(3'000'000, ' ');

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
  auto const text = test::run(pdf_text(pdf_with("a line of some words", 5'000), 10, {}));

  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Errc::LimitExceeded);
}

TEST_F(Pdf, TheDeadlineEndsTheChild) {
  auto const text = test::run(pdf_text(pdf_with("late", 40'000), kPlenty, Deadline{Clock::now()}));

  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Errc::DeadlineExceeded);
}

TEST_F(Pdf, CancellationEndsTheChild) {
  auto const text = test::run(pdf_text(pdf_with("never", 40'000), kPlenty, {}),
                              test::Interrupt::AfterFirstSuspension);

  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Errc::Cancelled);
}

TEST_F(Pdf, TheChildEndsWithItsLoop) {
  asio::io_context loop;
  asio::co_spawn(loop, pdf_text(pdf_with("never", 40'000), kPlenty, {}),
                 [](std::exception_ptr, Result<std::string> const&) {});
  loop.poll();
}

}  // namespace
}  // namespace sallyport::content
