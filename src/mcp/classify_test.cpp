#include "src/mcp/classify.hpp"

#include "tests/support/header_map.hpp"
#include "tests/support/json_text.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace sallyport::mcp {
namespace {

using test::HeaderMap;
using test::parsed;
using test::parsed_object;

std::string meta(std::string_view version = R"("2026-07-28")") {
  return fmt::format(R"("_meta":{{"io.modelcontextprotocol/protocolVersion":{},)"
                     R"("io.modelcontextprotocol/clientCapabilities":{{}}}})",
                     version);
}

std::string request_text(std::string_view method, std::string_view params) {
  return fmt::format(R"({{"jsonrpc":"2.0","id":7,"method":"{}","params":{{{}}}}})", method, params);
}

constexpr std::string_view kVersion = "MCP-Protocol-Version";

// The headers of a right tools/call of the tool `t`.
HeaderMap right_headers() {
  return HeaderMap{
      {{std::string{kVersion}, "2026-07-28"}, {"Mcp-Method", "tools/call"}, {"Mcp-Name", "t"}}};
}

struct Refusal {
  int code{0};
  int status{0};
  json::Object body;
};

Refusal refusal_of(Classified const& classified) {
  auto const* refused = std::get_if<Refused>(&classified);
  if (refused == nullptr) return {};
  auto body = parsed_object(refused->answer.body);
  return {static_cast<int>(body.at("error").at("code").get_int64()), refused->answer.http_status,
          std::move(body)};
}

Classified classify_text(std::string const& text, HeaderMap const& headers) {
  return classify(parsed(text), &headers);
}

TEST(Classify, AClaimMakesARequestModern) {
  auto const text = request_text("tools/call", R"("name":"t",)" + meta());

  auto const over_http = classify_text(text, right_headers());
  auto const over_stdio = classify(parsed(text), nullptr);

  ASSERT_TRUE(std::holds_alternative<ModernRequest>(over_http));
  EXPECT_EQ(std::get<ModernRequest>(over_http).envelope.version, "2026-07-28");
  EXPECT_TRUE(std::holds_alternative<ModernRequest>(over_stdio));
}

TEST(Classify, WithoutAClaimOrAModernHeaderAMessageIsLegacy) {
  for (
      auto const* const text : {
          R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})",
          R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"progressToken":1}}})",
          R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2026-07-28"}})",
          R"({"jsonrpc":"2.0","method":"notifications/initialized"})",
          R"({"jsonrpc":"2.0","id":"sp-0-1","result":{}})",
      }) {
    EXPECT_TRUE(std::holds_alternative<LegacyMessage>(classify(parsed(text), nullptr))) << text;
    HeaderMap const old{{{std::string{kVersion}, "2025-11-25"}}};
    EXPECT_TRUE(std::holds_alternative<LegacyMessage>(classify_text(text, old))) << text;
  }
}

TEST(Classify, APostedResponseIsLegacyWhateverTheHeaderSays) {
  auto const classified =
      classify_text(R"({"jsonrpc":"2.0","id":"sp-0-1","result":{}})", right_headers());

  EXPECT_TRUE(std::holds_alternative<LegacyMessage>(classified));
}

TEST(Classify, ANotificationIsModernByItsClaimOrByTheHeader) {
  auto const bare = R"({"jsonrpc":"2.0","method":"notifications/cancelled"})";
  auto const claiming = fmt::format(
      R"({{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{{}}}}})", meta());

  EXPECT_TRUE(std::holds_alternative<ModernNotification>(classify_text(bare, right_headers())));
  EXPECT_TRUE(std::holds_alternative<ModernNotification>(classify(parsed(claiming), nullptr)));
}

// Each row breaks one rung and every rung after it, so the order shows.
TEST(Classify, ChecksARequestRungByRung) {
  auto const call = [](std::string_view version) {
    return request_text("tools/call", R"("name":"t",)" + meta(version));
  };
  struct Row {
    std::string what;
    std::string text;
    HeaderMap::Values headers;
    int code;
  };
  std::string const version{kVersion};
  Row const rows[] = {
      {"the envelope lacks a key",
       request_text("tools/call",
                    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01"})"),
       {{version, "2098-01-01"}, {"Mcp-Method", "other"}},
       code::kInvalidParams},
      {"the envelope is of the wrong type",
       call("7"),
       {{version, "2026-07-28"}},
       code::kInvalidParams},
      {"the version header differs",
       call(R"("2099-01-01")"),
       {{version, "2026-07-28"}, {"Mcp-Method", "other"}},
       code::kHeaderMismatch},
      {"the method header differs",
       call(R"("2099-01-01")"),
       {{version, "2099-01-01"}, {"Mcp-Method", "other"}},
       code::kHeaderMismatch},
      {"the method header differs in case",
       call(R"("2026-07-28")"),
       {{version, "2026-07-28"}, {"Mcp-Method", "Tools/Call"}, {"Mcp-Name", "t"}},
       code::kHeaderMismatch},
      {"the version is unknown",
       call(R"("2099-01-01")"),
       {{version, "2099-01-01"}},
       code::kUnsupportedVersion},
      {"the version is unknown and has no header",
       call(R"("2099-01-01")"),
       {},
       code::kUnsupportedVersion},
      {"the version is no date",
       call(R"("v999.0.0")"),
       {{version, "v999.0.0"}},
       code::kUnsupportedVersion},
      {"the version is a legacy one",
       call(R"("2025-11-25")"),
       {{version, "2025-11-25"}},
       code::kUnsupportedVersion},
      {"the version header is missing",
       call(R"("2026-07-28")"),
       {{"Mcp-Method", "tools/call"}, {"Mcp-Name", "t"}},
       code::kHeaderMismatch},
      {"the method header is missing",
       call(R"("2026-07-28")"),
       {{version, "2026-07-28"}, {"Mcp-Name", "t"}},
       code::kHeaderMismatch},
      {"the name header is missing",
       call(R"("2026-07-28")"),
       {{version, "2026-07-28"}, {"Mcp-Method", "tools/call"}},
       code::kHeaderMismatch},
      {"the name header differs",
       call(R"("2026-07-28")"),
       {{version, "2026-07-28"}, {"Mcp-Method", "tools/call"}, {"Mcp-Name", "u"}},
       code::kHeaderMismatch},
      {"a modern header without a claim",
       request_text("tools/list", ""),
       {{version, "2026-07-28"}, {"Mcp-Method", "tools/list"}},
       code::kInvalidParams},
      {"a discovery without a claim",
       request_text("server/discover", ""),
       {},
       code::kInvalidParams},
      {"initialize under a modern header",
       request_text("initialize", ""),
       {{version, "2026-07-28"}},
       code::kHeaderMismatch},
  };

  for (auto const& row : rows) {
    auto const refusal = refusal_of(classify_text(row.text, HeaderMap{row.headers}));
    EXPECT_EQ(refusal.code, row.code) << row.what;
    EXPECT_EQ(refusal.status, 400) << row.what;
    EXPECT_EQ(refusal.body.at("id"), 7) << row.what;
  }
}

TEST(Classify, AnUnsupportedVersionIsToldWithWhatIsSupported) {
  auto const refusal =
      refusal_of(classify(parsed(request_text("tools/list", meta(R"("2099-01-01")"))), nullptr));

  EXPECT_EQ(refusal.code, code::kUnsupportedVersion);
  EXPECT_EQ(refusal.body.at("error").at("data"),
            parsed(R"({"supported":["2026-07-28"],"requested":"2099-01-01"})"));
}

TEST(Classify, InitializeWithAWholeModernEnvelopeIsAModernRequest) {
  auto headers = right_headers();
  headers.values["Mcp-Method"] = "initialize";

  auto const whole = classify_text(request_text("initialize", meta()), headers);
  auto const half = classify(
      parsed(request_text("initialize",
                          R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"})")),
      nullptr);
  auto const legacy =
      classify(parsed(request_text("initialize", meta(R"("2025-11-25")"))), nullptr);

  EXPECT_TRUE(std::holds_alternative<ModernRequest>(whole));
  EXPECT_TRUE(std::holds_alternative<LegacyMessage>(half));
  EXPECT_TRUE(std::holds_alternative<LegacyMessage>(legacy));
}

TEST(Classify, AMalformedMessageIsABadRequest) {
  auto const with_id = refusal_of(classify(parsed(R"({"id":"a","method":"m"})"), nullptr));
  auto const without = refusal_of(classify(parsed("7"), nullptr));
  auto const modern = refusal_of(classify_text("7", right_headers()));

  EXPECT_EQ(with_id.code, code::kInvalidRequest);
  EXPECT_EQ(with_id.status, 400);
  EXPECT_EQ(with_id.body.at("id"), "a");
  // Older revisions send null for an id that cannot be read, 2026-07-28 leaves it out.
  EXPECT_TRUE(without.body.at("id").is_null());
  EXPECT_FALSE(modern.body.contains("id"));
}

TEST(Classify, ABatchIsLegacyAndItsElementsAreReadOneByOne) {
  auto classified = classify(
      parsed(R"([{"jsonrpc":"2.0","id":1,"method":"ping"},7,{"jsonrpc":"2.0","method":"n"}])"),
      nullptr);

  auto const* batch = std::get_if<LegacyBatch>(&classified);
  ASSERT_NE(batch, nullptr);
  ASSERT_EQ(batch->messages.size(), 3U);
  EXPECT_TRUE(std::holds_alternative<RequestMessage>(batch->messages[0]));
  EXPECT_TRUE(std::holds_alternative<Malformed>(batch->messages[1]));
  EXPECT_TRUE(std::holds_alternative<NotificationMessage>(batch->messages[2]));
}

TEST(Classify, RefusesABatchThatIsEmptyTooLongOrModern) {
  json::Array many;
  for (std::size_t i = 0; i <= kMaxBatch; ++i) many.emplace_back(json::Object{});
  auto const one_modern =
      fmt::format(R"([{{"jsonrpc":"2.0","id":1,"method":"ping"}},{}])", request_text("x", meta()));

  Refusal const refusals[] = {
      refusal_of(classify(parsed("[]"), nullptr)),
      refusal_of(classify(std::move(many), nullptr)),
      refusal_of(classify(parsed(one_modern), nullptr)),
      refusal_of(classify_text(R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])", right_headers())),
  };
  for (auto const& refusal : refusals) {
    EXPECT_EQ(refusal.code, code::kInvalidRequest);
    EXPECT_EQ(refusal.status, 400);
  }
}

}  // namespace
}  // namespace sallyport::mcp
