// What is not a page: images, audio, PDF and other files.
#include "src/base/base64.hpp"
#include "src/content/pdf.hpp"
#include "src/tools/test_fetch.hpp"

#include "tests/support/not_tested.hpp"
#include "tests/support/small_pdf.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sallyport::tools {
namespace {

using test_fetch::Fetching;
using testing::HasSubstr;

std::string const kPng = "\x89PNG\r\n\x1A\n" + std::string(300, '\1');

TEST(FetchMedia, AnImageIsAnImageWhateverItIsCalledAndHoweverLong) {
  for (auto const* const declared : {"image/png", "image/jpeg", "text/html", ""}) {
    Fetching fetching;
    fetching.answer(declared, kPng);

    fetching.call({{"max_length", 10}});

    ASSERT_TRUE(fetching.result);
    EXPECT_FALSE(fetching.result->is_error);
    EXPECT_EQ(fetching.type(), "image") << declared;
    EXPECT_EQ(fetching.result->content.at(0).at("mimeType"), "image/png") << declared;
    EXPECT_EQ(fetching.result->content.at(0).at("data").get_string(), base64::encode(kPng));
    EXPECT_EQ(fetching.facts().at("format"), "image");
    EXPECT_EQ(fetching.facts().at("length"), kPng.size());
    EXPECT_EQ(fetching.facts().at("totalLength"), kPng.size());
    EXPECT_EQ(fetching.facts().at("truncated"), false);
  }
}

TEST(FetchMedia, AudioIsAudio) {
  Fetching fetching;
  fetching.answer("application/octet-stream", "fLaC" + std::string(100, '\0'));

  fetching.call({});

  EXPECT_EQ(fetching.type(), "audio");
  EXPECT_EQ(fetching.result->content.at(0).at("mimeType"), "audio/flac");
}

TEST(FetchMedia, ADrawingInSvgIsText) {
  Fetching fetching;
  fetching.answer("image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg'/>");

  fetching.call({});

  EXPECT_EQ(fetching.text(), "<svg xmlns='http://www.w3.org/2000/svg'/>");
}

TEST(FetchMedia, OtherFilesAreEmbeddedWhereTheyFit) {
  Fetching fetching;
  auto const zip = "PK\3\4" + std::string(296, '\0');
  fetching.answer("application/zip", zip);

  fetching.call({{"max_length", 400}});

  EXPECT_EQ(fetching.type(), "resource");
  auto const& resource = fetching.result->content.at(0).at("resource");
  EXPECT_EQ(resource.at("uri"), "https://example.com/page");
  EXPECT_EQ(resource.at("mimeType"), "application/zip");
  EXPECT_EQ(resource.at("blob").get_string(), base64::encode(zip));
}

TEST(FetchMedia, FilesThatDoNotFitAreNamedNotShown) {
  Fetching fetching;
  fetching.answer("application/zip", "PK\3\4" + std::string(296, '\0'));

  fetching.call({{"max_length", 399}});

  EXPECT_TRUE(fetching.result->is_error);
  EXPECT_THAT(fetching.text(), HasSubstr("application/zip with 300 bytes"));
  EXPECT_THAT(fetching.text(), HasSubstr("max_length to 400 or more"));
}

TEST(FetchMedia, BytesThatPoseAsTextAreNeverShownAsText) {
  Fetching fetching;
  fetching.answer("text/plain", std::string("\0\1\2\3\4\5\6\7", 8));

  fetching.call({});

  EXPECT_EQ(fetching.type(), "resource");
}

TEST(FetchMedia, AnImageBehindAnErrorStatusIsStillAnError) {
  Fetching fetching;
  fetching.road.head.status = 503;
  fetching.answer("image/png", kPng);

  fetching.call({});

  EXPECT_TRUE(fetching.result->is_error);
  EXPECT_EQ(fetching.text(), "Error: HTTP 503 Service Unavailable");
  EXPECT_EQ(fetching.type(1), "image");
  EXPECT_EQ(fetching.facts().at("status"), 503);
}

class FetchPdf : public testing::Test {
 protected:
  void SetUp() override {
    if (!content::can_read_pdf()) SP_NOT_TESTED("install poppler-utils");
  }
};

TEST_F(FetchPdf, APdfComesAsItsText) {
  Fetching fetching;
  fetching.answer("application/pdf", test::small_pdf("Two doors, one room"));

  fetching.call({{"max_length", 9}});

  EXPECT_EQ(fetching.text(), "Two doors");
  EXPECT_THAT(fetching.text(1), HasSubstr("start_index=9"));
  EXPECT_EQ(fetching.facts().at("contentType"), "application/pdf");
}

TEST_F(FetchPdf, RawGivesTheFile) {
  Fetching fetching;
  fetching.answer("application/pdf", test::small_pdf("x"));

  fetching.call({{"format", "raw"}});

  EXPECT_EQ(fetching.type(), "resource");
  EXPECT_EQ(fetching.result->content.at(0).at("resource").at("mimeType"), "application/pdf");
}

TEST_F(FetchPdf, OnlySoManyAreReadAtOnce) {
  test_fetch::FakeRoad road;
  road.body = test::small_pdf("x");
  auto const tool = fetch({}, road);
  test_fetch::FakeContext context;
  json::Object const arguments{{"url", "https://example.com/"}};
  asio::io_context loop;
  int refused = 0;
  int read = 0;
  for (int i = 0; i < 12; ++i) {
    asio::co_spawn(loop, tool.handler(context, arguments),
                   [&](std::exception_ptr, Result<mcp::ToolResult> const& result) {
                     (result->is_error ? refused : read) += 1;
                   });
  }

  loop.run();

  EXPECT_EQ(read, 8);
  EXPECT_EQ(refused, 4);
}

TEST_F(FetchPdf, ADamagedFileSaysSo) {
  Fetching fetching;
  fetching.answer("application/pdf", "%PDF-1.7 and no more");

  fetching.call({});

  EXPECT_TRUE(fetching.result->is_error);
  EXPECT_THAT(fetching.text(), HasSubstr("The PDF cannot be read"));
}

}  // namespace
}  // namespace sallyport::tools
