#include "src/mcp/envelope.hpp"

#include "tests/support/json_text.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sallyport::mcp {
namespace {

using test::parsed_object;
using testing::HasSubstr;

json::Object params_with(std::string_view meta) {
  return parsed_object(fmt::format(R"({{"_meta":{{{}}}}})", meta));
}

constexpr std::string_view kVersionField =
    R"("io.modelcontextprotocol/protocolVersion":"2026-07-28")";
constexpr std::string_view kCapabilities = R"("io.modelcontextprotocol/clientCapabilities":{})";

std::string whole(std::string_view more) {
  return fmt::format("{},{},{}", kVersionField, kCapabilities, more);
}

TEST(ReadEnvelope, ReadsWhatAClientSaysOfItself) {
  auto const read =
      read_envelope(params_with(whole(R"("io.modelcontextprotocol/clientInfo":{"name":"c"},
                           "io.modelcontextprotocol/logLevel":"warning")")));

  auto const* envelope = std::get_if<Envelope>(&read);
  ASSERT_NE(envelope, nullptr);
  EXPECT_EQ(envelope->version, "2026-07-28");
  EXPECT_EQ(envelope->client_info.at("name"), "c");
  EXPECT_EQ(envelope->log_level, LogLevel::Warning);
}

TEST(ReadEnvelope, DemandsNeitherClientInfoNorLogLevel) {
  auto const read = read_envelope(params_with(fmt::format("{},{}", kVersionField, kCapabilities)));

  ASSERT_TRUE(std::holds_alternative<Envelope>(read));
  EXPECT_FALSE(std::get<Envelope>(read).log_level);
}

TEST(ReadEnvelope, RefusesABadOneAsABadRequestAndNamesTheKey) {
  struct Row {
    std::string meta;
    std::string names;
  };
  Row const rows[] = {
      {"", "protocolVersion and io.modelcontextprotocol/clientCapabilities"},
      {std::string{kVersionField}, "lacks io.modelcontextprotocol/clientCapabilities"},
      {std::string{kCapabilities}, "lacks io.modelcontextprotocol/protocolVersion"},
      {fmt::format(R"("io.modelcontextprotocol/protocolVersion":1,{})", kCapabilities),
       "protocolVersion' is not a string"},
      {fmt::format(R"("io.modelcontextprotocol/clientCapabilities":[],{})", kVersionField),
       "clientCapabilities' is not an object"},
      {whole(R"("io.modelcontextprotocol/clientInfo":"me")"), "clientInfo' is not an object"},
      {whole(R"("io.modelcontextprotocol/logLevel":"loud")"), "logLevel' is not a log level"},
      {whole(R"("io.modelcontextprotocol/logLevel":3)"), "logLevel' is not a log level"},
  };

  for (auto const& row : rows) {
    auto const read = read_envelope(params_with(row.meta));
    auto const* error = std::get_if<RpcError>(&read);
    ASSERT_NE(error, nullptr) << row.meta;
    EXPECT_EQ(error->code, code::kInvalidParams) << row.meta;
    EXPECT_EQ(error->http_status, 400) << row.meta;
    EXPECT_THAT(error->message, HasSubstr(row.names));
  }
}

TEST(HasVersionClaim, IsTrueForAClaimOfAnyType) {
  EXPECT_TRUE(has_version_claim(params_with(R"("io.modelcontextprotocol/protocolVersion":7)")));
  EXPECT_FALSE(has_version_claim(params_with("")));
  EXPECT_FALSE(has_version_claim({}));
}

TEST(ReadTrace, PassesStringsOnAndLeavesTheRest) {
  auto const trace = read_trace(params_with(R"("traceparent":"00-a","tracestate":5)"));

  EXPECT_EQ(trace.traceparent, "00-a");
  EXPECT_EQ(trace.tracestate, "");
  EXPECT_EQ(trace.baggage, "");
}

TEST(ReadCallerKind, KnowsTwoKinds) {
  EXPECT_EQ(read_caller_kind(params_with(R"("sallyport/caller":"app")")), CallerKind::App);
  EXPECT_EQ(read_caller_kind(params_with(R"("sallyport/caller":"model")")), CallerKind::Model);
  EXPECT_EQ(read_caller_kind(params_with(R"("sallyport/caller":"root")")), CallerKind::Unknown);
  EXPECT_EQ(read_caller_kind({}), CallerKind::Unknown);
}

}  // namespace
}  // namespace sallyport::mcp
