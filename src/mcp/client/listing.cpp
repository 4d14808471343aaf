#include "src/mcp/client/listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sallyport::mcp::client {
namespace {

// Nothing is believed for ever, whatever the server says.
constexpr std::chrono::milliseconds kLongestLifetime = std::chrono::hours{24};

std::chrono::milliseconds lifetime_of(json::Object const& page) {
  auto const* const ttl = json::find(page, "ttlMs");
  bool const said = ttl != nullptr && ttl->is_int64() && ttl->get_int64() > 0;
  return std::min(std::chrono::milliseconds{said ? ttl->get_int64() : 0}, kLongestLifetime);
}

void take_entries(json::Object& page, std::string_view member, std::vector<json::Object>& entries) {
  auto* const found = page.if_contains(member);
  auto* const list = found == nullptr ? nullptr : found->if_array();
  if (list == nullptr) return;
  for (auto& entry : *list) {
    if (entry.is_object()) entries.push_back(std::move(entry.get_object()));
  }
}

}  // namespace

Task<Listing> list_all(Client& client, std::string method, std::string member, ListLimits limits) {
  auto const nobody = std::make_shared<NobodyToAsk>();
  Listing listing;
  json::Object params;
  for (std::size_t page = 0; page < limits.pages; ++page) {
    Ask ask{
        .method = method, .params = params, .wants_progress = false, .patience = limits.patience};
    SP_CO_TRY(auto outcome, co_await client.request(std::move(ask), nobody));
    if (outcome.error) {
      bool const lacks = outcome.error->code == code::kMethodNotFound;
      co_return fail(
          lacks ? Errc::NotFound : Errc::UpstreamFailed,
          fmt::format("The MCP server answered {} with error {}.", method, outcome.error->code),
          outcome.error->message);
    }
    auto const lifetime = lifetime_of(outcome.result);
    listing.fresh_for = page == 0 ? lifetime : std::min(listing.fresh_for, lifetime);
    take_entries(outcome.result, member, listing.entries);
    if (listing.entries.size() > limits.entries) break;
    // An empty text is a cursor like any other.
    auto const* const cursor = json::find_string(outcome.result, "nextCursor");
    if (cursor == nullptr) co_return listing;
    params["cursor"] = *cursor;
  }
  co_return fail(Errc::LimitExceeded,
                 fmt::format("The list of {} of the MCP server does not end.", member));
}

}  // namespace sallyport::mcp::client
