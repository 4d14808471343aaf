// How a client finds out which era its server speaks, and opens a session.
#include "src/base/deadline.hpp"
#include "src/mcp/client/client.hpp"
#include "src/mcp/client/probe.hpp"
#include "src/mcp/envelope.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace sallyport::mcp::client {
namespace {

std::string text_of(json::Object const& object, std::string_view member) {
  auto const* const text = json::find_string(object, member);
  return text == nullptr ? std::string{} : std::string{json::view(*text)};
}

json::Object object_of(json::Object const& object, std::string_view member) {
  auto const* const found = json::find_object(object, member);
  return found == nullptr ? json::Object{} : *found;
}

// The response among what is said to a request that has no listener.
Task<std::optional<Message>> response_of(Conversation& conversation) {
  for (;;) {
    SP_CO_TRY(auto next, co_await conversation.next());
    if (!next || std::holds_alternative<ResponseMessage>(*next)) co_return std::move(next);
  }
}

// What the server would rather speak, by its error -32022.
std::vector<Revision> supported_by(Message const& message) {
  std::vector<Revision> known;
  auto const* const response = std::get_if<ResponseMessage>(&message);
  if (response == nullptr || !response->error) return known;
  auto const data = object_of(*response->error, "data");
  auto const* const versions = json::find_array(data, "supported");
  if (versions == nullptr) return known;
  for (auto const& version : *versions) {
    if (!version.is_string()) continue;
    auto const revision = parse_revision(json::view(version.get_string()));
    if (revision) known.push_back(*revision);
  }
  return known;
}

Agreement modern_agreement(json::Object const& result) {
  auto const about = object_of(result, "_meta");
  return {.revision = kModern,
          .capabilities = object_of(result, "capabilities"),
          .server_info = object_of(about, meta::kServerInfo),
          .instructions = text_of(result, "instructions")};
}

// Of a server of the new era that does not tell: what it lacks, it will say.
Agreement assumed_agreement() {
  json::Object const some;
  return {.revision = kModern,
          .capabilities = {{"tools", some}, {"resources", some}, {"prompts", some}},
          .assumed = true};
}

std::optional<std::int64_t> code_of(ProbeAnswer const& answer) {
  return answer.message ? error_code_of(*answer.message) : std::nullopt;
}

Error no_session(ProbeAnswer const& answer) {
  if (answer.status == 401 || answer.status == 403) {
    return fail(Errc::CredentialUnavailable,
                fmt::format("The MCP server does not let us in: it answered with status {}.",
                            answer.status));
  }
  std::vector<std::string> with;
  if (answer.over_http) with.push_back(fmt::format("status {}", answer.status));
  if (auto const code = code_of(answer)) with.push_back(fmt::format("error {}", *code));
  return fail(Errc::UpstreamFailed,
              fmt::format("There is no MCP server that we understand: it answered with {}.",
                          fmt::join(with, " and ")));
}

Error refused_discovery(Message const& message) {
  auto const& error = std::get<ResponseMessage>(message).error;
  return fail(Errc::UpstreamFailed,
              fmt::format("The MCP server refuses to say what it offers: error {}.",
                          *error_code_of(message)),
              text_of(*error, "message"));
}

}  // namespace

// What came of `initialize`: an agreement, or how the server refused.
struct Client::Greeting {
  std::optional<Agreement> agreed{};
  ProbeAnswer refusal{};
};

Task<std::shared_ptr<Agreement const>> Client::connect() {
  while (agreement_ == nullptr && connecting_) {
    SP_CO_CHECK(co_await connected_.wait());
    if (!connecting_ && agreement_ == nullptr && failure_) co_return *failure_;
  }
  if (agreement_ != nullptr) co_return agreement_;
  connecting_ = true;
  auto agreed = co_await with_deadline(Deadline::in(options_.connecting), negotiate());
  connecting_ = false;
  // Who gives up has not found out anything: the next one tries.
  failure_ = agreed || agreed.error().code == Errc::Cancelled ? std::nullopt
                                                              : std::optional{agreed.error()};
  if (agreed) {
    options_.known_revision = agreed->revision;
    agreement_ = std::make_shared<Agreement const>(std::move(*agreed));
  }
  connected_.raise();
  if (agreement_ == nullptr) co_return agreed.error();
  co_return agreement_;
}

Task<Agreement> Client::negotiate() {
  if (options_.known_revision && !is_modern(*options_.known_revision)) {
    auto agreed = co_await initialize();
    if (agreed || agreed.error().code != Errc::UpstreamFailed) co_return std::move(agreed);
    options_.known_revision.reset();  // it may have been replaced by a newer one
  }
  co_return co_await probe();
}

Task<Agreement> Client::probe() {
  Ask const ask{
      .method = "server/discover", .capabilities = options_.capabilities, .wants_progress = false};
  for (int attempt = 0; attempt < 2; ++attempt) {
    auto post = write_ask(ask, ++last_id_, {}, options_.info);
    ProbeAnswer answer{.over_http = wire_.is_http()};
    // What comes after it needs time, too.
    auto const patience = answer.over_http ? options_.connecting
                                           : std::min(options_.probing, options_.connecting / 2);
    auto asking = [&]() -> Task<void> {
      SP_CO_TRY(auto const conversation, co_await wire_.post(std::move(post)));
      answer.status = conversation->reception().status;
      SP_CO_TRY(answer.message, co_await response_of(*conversation));
      co_return Result<void>{};
    };
    auto const asked = co_await with_deadline(Deadline::in(patience), asking());
    bool const silent = !asked && asked.error().code == Errc::DeadlineExceeded && !answer.over_http;
    if (!asked && !silent) co_return asked.error();
    auto const verdict = silent ? ProbeVerdict::Legacy : judge_probe(answer);
    if (verdict == ProbeVerdict::Unclear) co_return no_session(answer);
    if (verdict == ProbeVerdict::Refused) co_return refused_discovery(*answer.message);
    if (verdict == ProbeVerdict::Undiscovered) co_return co_await initialize_or_assume();
    if (verdict == ProbeVerdict::Legacy) {
      SP_CO_TRY(auto greeting, co_await greet());
      if (greeting.agreed) co_return *std::move(greeting.agreed);
      // It was not there yet: npx may have had to fetch it first.
      if (silent && code_of(greeting.refusal) == code::kUnsupportedVersion) continue;
      co_return no_session(greeting.refusal);
    }
    if (verdict == ProbeVerdict::Modern) {
      co_return modern_agreement(std::get<ResponseMessage>(*answer.message).result);
    }
    auto const offered = supported_by(*answer.message);
    if (std::ranges::count(offered, kModern) > 0) continue;
    if (!offered.empty()) co_return co_await initialize();
    break;
  }
  co_return fail(Errc::UpstreamFailed, "The MCP server speaks none of the revisions that we know.");
}

Task<Agreement> Client::initialize() {
  SP_CO_TRY(auto greeting, co_await greet());
  if (greeting.agreed) co_return *std::move(greeting.agreed);
  co_return no_session(greeting.refusal);
}

// Some older servers refuse what they do not know as the new era does it.
Task<Agreement> Client::initialize_or_assume() {
  SP_CO_TRY(auto greeting, co_await greet());
  if (greeting.agreed) co_return *std::move(greeting.agreed);
  bool const unclear = judge_probe(greeting.refusal) == ProbeVerdict::Unclear;
  if (unclear) co_return no_session(greeting.refusal);
  co_return assumed_agreement();
}

Task<Client::Greeting> Client::greet() {
  Ask const ask{.method = "initialize",
                .params = {{"protocolVersion", to_string(kLatestLegacy)},
                           {"capabilities", options_.capabilities},
                           {"clientInfo", options_.info}},
                .wants_progress = false};
  for (int attempt = 0; attempt < 2; ++attempt) {
    auto post = write_ask(ask, ++last_id_, {.revision = kLatestLegacy}, options_.info);
    post.headers.clear();  // nothing is agreed on yet
    SP_CO_TRY(auto const conversation, co_await wire_.post(std::move(post)));
    auto const [status, session] = conversation->reception();
    SP_CO_TRY(auto message, co_await response_of(*conversation));
    auto* const response = message ? std::get_if<ResponseMessage>(&*message) : nullptr;
    if (response != nullptr && !response->error) {
      SP_CO_TRY(auto agreed, co_await begin_session(std::move(response->result), session));
      co_return Greeting{.agreed = std::move(agreed)};
    }
    bool const unknown_here = status == 400 || status == 404 || status == 405;
    bool const again = unknown_here && response == nullptr && attempt == 0;
    bool older = false;
    if (again) {
      SP_CO_TRY(older, co_await wire_.fall_back());
    }
    if (!older) {
      co_return Greeting{.refusal = {wire_.is_http(), status, std::move(message)}};
    }
  }
  co_return Greeting{.refusal = {wire_.is_http(), 404, std::nullopt}};
}

Task<Agreement> Client::begin_session(json::Object result, std::string session) {
  auto const version = text_of(result, "protocolVersion");
  auto const revision = parse_revision(version);
  if (!revision || is_modern(*revision)) {
    co_return fail(Errc::UpstreamFailed,
                   "The MCP server wants to speak a revision that we do not know.", version);
  }
  Agreement agreed{.revision = *revision,
                   .capabilities = object_of(result, "capabilities"),
                   .server_info = object_of(result, "serverInfo"),
                   .instructions = text_of(result, "instructions"),
                   .session = std::move(session)};
  SP_CO_CHECK(co_await say(write_notification("notifications/initialized", {}, agreed)));
  co_return agreed;
}

}  // namespace sallyport::mcp::client
