#include "src/config/show.hpp"
#include "src/config/test_load.hpp"

#include <gmock/gmock.h>

namespace sallyport::config {
namespace {

using test::load_text;
using test::problems;
using test::TemporaryFile;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(BackendEntries, AreReadWithAllTheirFields) {
  TemporaryFile const secret{"from-a-file\n"};
  auto const loaded = load_text(
      "backends:\n"
      "  - name: shop\n"
      "    base_url: https://api.example.com/v1\n"
      "    paths: [/cart, /items]\n"
      "    methods: [GET, POST]\n"
      "    allowed_headers: [x-a]\n"
      "    denied_headers: [x-b]\n"
      "    forbidden_headers: refuse\n"
      "    request_bytes: 1KiB\n"
      "    response_bytes: 2MiB\n"
      "    rate: 20/min\n"
      "    private_network: true\n"
      "    credentials:\n"
      "      - {header: Authorization, value: hunter2}\n"
      "      - {header: X-Env, value_env: TEST_KEY, override: true}\n"
      "      - {header: X-File, value_file: " +
          secret.path() +
          "}\n"
          "  - {name: mail, base_url: \"http://mail.example\"}\n",
      {{"TEST_KEY", "from-a-variable"}});

  EXPECT_THAT(problems(loaded), ElementsAre());
  ASSERT_EQ(loaded.settings.backends.size(), 2U);
  auto const& shop = loaded.settings.backends[0];
  EXPECT_EQ(shop.name, "shop");
  EXPECT_EQ(shop.base.href(), "https://api.example.com/v1");
  EXPECT_THAT(shop.paths, ElementsAre("/cart", "/items"));
  EXPECT_THAT(shop.methods, ElementsAre("GET", "POST"));
  EXPECT_THAT(shop.allowed_headers, ElementsAre("x-a"));
  EXPECT_THAT(shop.denied_headers, ElementsAre("x-b"));
  EXPECT_EQ(shop.forbidden_headers, tools::ForbiddenHeader::Refuse);
  EXPECT_EQ(shop.request_bytes, 1024U);
  EXPECT_EQ(shop.response_bytes, 2U * 1024 * 1024);
  EXPECT_EQ(shop.rate.count, 20U);
  EXPECT_EQ(shop.rate.period, std::chrono::minutes{1});
  EXPECT_TRUE(shop.private_network);
  ASSERT_EQ(shop.credentials.size(), 3U);
  EXPECT_EQ(shop.credentials[1].header, "X-Env");
  EXPECT_TRUE(shop.credentials[1].override_caller);
  EXPECT_THAT(loaded.settings.backends[1].paths, ElementsAre("/"));
}

TEST(BackendEntries, ReportWhatIsWrongWithEachOfThem) {
  auto const loaded = load_text(R"(backends:
  - name: a
  - base_url: https://a.example
  - name: b
    base_url: ftp://a.example
  - name: c
    base_url: https://c.example?x=1
  - name: d
    base_url: https://d.example
    rate: often
  - name: e
    base_url: https://e.example
    paths: []
  - name: f
    base_url: https://f.example
    credentials:
      - {header: X}
      - {header: "no good", value: hunter2}
  - name: g
    base_url: http://g.example
    credentials: [{header: X, value: hunter2}]
  - name: h
    base_url: https://h.example
  - name: h
    base_url: https://h.example
  - name: i
    base_ulr: https://i.example
)");

  EXPECT_THAT(
      problems(loaded),
      ElementsAre("2:5: backends[0].base_url: is missing", "3:5: backends[1].name: is missing",
                  HasSubstr("5:15: backends[2].base_url: must be an http or https URL"),
                  HasSubstr("7:15: backends[3].base_url: must be an http or https URL"),
                  HasSubstr("10:11: backends[4].rate: \"often\" is no rate"),
                  "13:12: backends[5].paths: must not be empty",
                  HasSubstr("17:9: backends[6].credentials[0]: must have exactly one of"),
                  HasSubstr("18:18: backends[6].credentials[1].header: "),
                  HasSubstr("19:5: backends[7].credentials: need an https base_url"),
                  "24:5: backends[9].name: is that of another backend",
                  HasSubstr("27:5: backends[10].base_ulr: unknown key (did you mean base_url?")));
}

TEST(BackendEntries, ShowNoCredential) {
  auto const loaded = load_text(
      "backends:\n  - name: a\n    base_url: https://a.example\n"
      "    credentials: [{header: X, value: hunter2}]\n");

  EXPECT_THAT(show(loaded, ShowFormat::Json), HasSubstr("****"));
  EXPECT_THAT(show(loaded, ShowFormat::Json), Not(HasSubstr("hunter2")));
  for (auto const* text : {"backends: hunter2\n", "backends: [hunter2]\n",
                           "backends: [{name: a, base_url: \"https://a\", credentials: hunter2}]\n",
                           "backends: [{name: a, base_url: \"https://u:hunter2@a\"}]\n",
                           "backends: [{name: a, base_url: \"https://a\", credentials: [{header: "
                           "a, value: \"hunter2\\n\"}]}]\n"}) {
    EXPECT_FALSE(load_text(text).good()) << text;
    EXPECT_THAT(problems(load_text(text)), testing::Each(Not(HasSubstr("hunter2")))) << text;
  }
}

TEST(BackendEntries, BecomeTheOptionsOfTheTool) {
  auto const loaded = load_text(
      "backends:\n  - {name: a, base_url: \"https://a.example\"}\n"
      "http_request:\n  absolute_urls: [https://cdn.example/x]\n  timeout: 5s\n");
  auto const options = loaded.settings.http_request_options();

  EXPECT_EQ(options.backends.size(), 1U);
  ASSERT_EQ(options.absolute.size(), 1U);
  EXPECT_EQ(options.absolute[0].href(), "https://cdn.example/x");
  EXPECT_EQ(options.timeout, std::chrono::seconds{5});
}

}  // namespace
}  // namespace sallyport::config
