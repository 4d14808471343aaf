#include "src/config/test_load.hpp"

#include <gmock/gmock.h>

namespace sallyport::config {
namespace {

using test::load_environment;
using test::load_text;
using test::problems;
using test::TemporaryFile;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(CrossCheck, NobodyServesOthersWithoutAuthenticationByAccident) {
  for (auto const* host : {"0.0.0.0", "::", "192.168.1.5", "door.example"}) {
    auto const loaded = load_environment({{"HOST", host}});

    EXPECT_THAT(problems(loaded), ElementsAre(HasSubstr("can be reached by others"))) << host;
  }
}

TEST(CrossCheck, OthersAreServedWithAuthenticationOrOnPurpose) {
  EXPECT_TRUE(load_environment(
                  {{"HOST", "0.0.0.0"}, {"SALLYPORT_AUTH_TOKEN", "a-token-that-is-long-enough"}})
                  .good());
  EXPECT_TRUE(load_environment({{"HOST", "0.0.0.0"}, {"SALLYPORT_LISTEN_INSECURE_NO_AUTH", "true"}})
                  .good());
  EXPECT_TRUE(
      load_environment({{"HOST", "0.0.0.0"}, {"SALLYPORT_AUTH_FORWARD_PROXIES", "10.0.0.1"}})
          .good());
}

TEST(CrossCheck, OnStdioNoPortIsOpenedAndNobodyIsAsked) {
  EXPECT_TRUE(load_environment({{"HOST", "0.0.0.0"}}, Purpose::Stdio).good());
}

TEST(CrossCheck, NoAuthContradictsAuth) {
  auto const loaded = load_environment({{"SALLYPORT_LISTEN_INSECURE_NO_AUTH", "true"},
                                        {"SALLYPORT_AUTH_TOKEN", "a-token-that-is-long-enough"}});

  EXPECT_THAT(problems(loaded), ElementsAre(HasSubstr("contradicts the settings in auth")));
}

TEST(CrossCheck, TlsNeedsBothFilesAndTheRightToReadThem) {
  TemporaryFile const file{"pem"};

  EXPECT_THAT(problems(load_environment({{"SALLYPORT_LISTEN_TLS_CERTIFICATE_FILE", file.path()}})),
              ElementsAre(HasSubstr("also needs listen.tls.key_file")));
  EXPECT_THAT(problems(load_environment({{"SALLYPORT_LISTEN_TLS_KEY_FILE", file.path()}})),
              ElementsAre(HasSubstr("also needs listen.tls.certificate_file")));
  EXPECT_THAT(problems(load_environment({{"SALLYPORT_LISTEN_TLS_CERTIFICATE_FILE", "/nonexistent"},
                                         {"SALLYPORT_LISTEN_TLS_KEY_FILE", file.path()}})),
              ElementsAre(HasSubstr("the file /nonexistent cannot be read")));
}

TEST(CrossCheck, JwtNeedsAnIssuerAnAudienceAndOneSourceOfKeys) {
  TemporaryFile const keys{"{}"};

  EXPECT_THAT(
      problems(load_text("auth:\n  jwt:\n    leeway: 1m\n")),
      ElementsAre("auth.jwt.issuer: is missing", HasSubstr("auth.jwt.audiences: is missing"),
                  HasSubstr("auth.jwt: needs exactly one of")));
  EXPECT_THAT(problems(load_text("auth:\n  jwt:\n    issuer: https://i.example\n"
                                 "    audiences: [a]\n    jwks_url: https://i.example/keys\n"
                                 "    jwks_file: " +
                                 keys.path() + "\n")),
              ElementsAre(HasSubstr("needs exactly one of")));
  EXPECT_THAT(problems(load_text("auth:\n  jwt:\n    algorithms: [none]\n")),
              ElementsAre(HasSubstr("\"none\" must be one of RS256")));
}

TEST(CrossCheck, ForwardedIdentityNeedsAProxyToBelieve) {
  EXPECT_THAT(problems(load_text("auth:\n  forward:\n    user_header: X-User\n")),
              ElementsAre(HasSubstr("auth.forward.proxies: is missing")));
}

}  // namespace
}  // namespace sallyport::config
