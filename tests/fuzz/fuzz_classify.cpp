// Hostile message, hostile headers: whatever comes, the classifier gives an answer that is itself a
// message, and a request that it lets through is answered by the dispatcher.
//
// Input: header lines `Name: value`, an empty line, then the body. Without an empty line all of it
// is the body, and there are no headers (stdio).
#include "src/base/assert.hpp"

#include "tests/servers/fixtures.hpp"
#include "tests/support/header_map.hpp"
#include "tests/support/mcp_bench.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace {

using namespace sallyport;

test::HeaderMap read_headers(std::string_view lines) {
  test::HeaderMap headers;
  while (!lines.empty()) {
    auto const line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    auto const colon = line.find(": ");
    if (colon == std::string_view::npos) continue;
    headers.values.insert_or_assign(std::string{line.substr(0, colon)},
                                    std::string{line.substr(colon + 2)});
  }
  return headers;
}

bool is_allowed(int code) {
  constexpr std::array kCodes = {
      mcp::code::kParseError,     mcp::code::kInvalidRequest,    mcp::code::kMethodNotFound,
      mcp::code::kInvalidParams,  mcp::code::kInternalError,     mcp::code::kResourceNotFound,
      mcp::code::kHeaderMismatch, mcp::code::kMissingCapability, mcp::code::kUnsupportedVersion};
  return std::ranges::find(kCodes, code) != kCodes.end();
}

// The id that an answer must carry: of a single message, where it can be read.
std::optional<std::string> readable_id(json::Value const& body) {
  auto const* object = body.if_object();
  if (object == nullptr || !object->contains("method")) return std::nullopt;
  auto const* id = object->if_contains("id");
  bool const readable = id != nullptr && (id->is_string() || id->is_int64() || id->is_uint64());
  return readable ? std::optional{json::to_text(*id)} : std::nullopt;
}

void check_refusal(mcp::Answer const& answer, std::optional<std::string> const& id) {
  auto const body = json::parse(answer.body);
  SP_ASSERT(body.has_value() && body->is_object(), "a refusal is JSON");
  auto const& object = body->get_object();
  auto const* error = json::find_object(object, "error");
  SP_ASSERT(error != nullptr, "a refusal has an error");
  SP_ASSERT(is_allowed(static_cast<int>(error->at("code").get_int64())), "its code is a known one");
  SP_ASSERT(answer.http_status == 400, "a refusal is a bad request");
  if (id) SP_ASSERT(json::to_text(object.at("id")) == *id, "a readable id is given back");
}

test::McpBench& bench() {
  static test::McpBench the_bench{[] {
    mcp::Registry::Builder builder;
    fixtures::add_content_tools(builder);
    fixtures::add_input_round_tools(builder);
    fixtures::add_resources_and_prompts(builder);
    return builder;
  }()};
  return the_bench;
}

void dispatch(mcp::Request request, std::optional<std::string> const& id) {
  bool const stays_open = request.method == "subscriptions/listen";
  auto& server = bench();
  test::RecordingOutlet outlet;
  server.on_loop([&] { server.dispatcher().handle(std::move(request), outlet); });
  if (outlet.finished == 0 && stays_open) {
    server.dispatcher().abandon(outlet, mcp::Dispatcher::PeerGone::Cancels);
    server.settle();
    return;
  }
  if (outlet.finished == 0) {  // a legacy client is being asked something: it goes
    server.dispatcher().abandon(outlet, mcp::Dispatcher::PeerGone::Cancels);
    server.settle();
    SP_ASSERT(!outlet.sent.empty(), "a call that waits has asked");
    return;
  }
  SP_ASSERT(outlet.finished == 1, "a request is answered once");
  SP_ASSERT(!id || json::to_text(outlet.answer.at("id")) == *id, "the answer has the id");
  SP_ASSERT(outlet.error_code() == 0 || is_allowed(outlet.error_code()), "a known code");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view text{reinterpret_cast<char const*>(data), size};
  std::optional<test::HeaderMap> headers;
  if (auto const end = text.find("\n\n"); end != std::string_view::npos) {
    headers = read_headers(text.substr(0, end));
    text.remove_prefix(end + 2);
  }
  auto body = json::parse(text);
  if (!body) return 0;
  auto const id = readable_id(*body);

  auto classified = mcp::classify(std::move(*body), headers ? &*headers : nullptr);
  if (auto const* refused = std::get_if<mcp::Refused>(&classified)) {
    check_refusal(refused->answer, id);
  } else if (auto* modern = std::get_if<mcp::ModernRequest>(&classified)) {
    auto request = mcp::modern_request(std::move(modern->message), std::move(modern->envelope), {});
    request.headers = headers ? &*headers : nullptr;
    dispatch(std::move(request), id);
  } else if (auto* legacy = std::get_if<mcp::LegacyMessage>(&classified)) {
    static auto const session =
        bench().open(mcp::kLatestLegacy, R"({"elicitation":{},"sampling":{},"roots":{}})");
    if (auto* message = std::get_if<mcp::RequestMessage>(&legacy->message)) {
      dispatch(mcp::legacy_request(std::move(*message), session, {}), id);
    }
  }
  return 0;
}
