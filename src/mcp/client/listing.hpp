// A list of a server, all pages of it.
#pragma once

#include "src/mcp/client/client.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace sallyport::mcp::client {

struct ListLimits {
  std::size_t pages{1'000};
  std::size_t entries{100'000};
  Patience patience{};
};

struct Listing {
  std::vector<json::Object> entries;
  // `ttlMs`, the shortest of all pages, a day at most; 0: not said.
  std::chrono::milliseconds fresh_for{0};
};

// "tools/list" has its entries in `tools`, and so on. Whatever is no object among them is left out.
// Fails with UpstreamFailed (also where the server answers with an error: its code and message are
// in the detail), NotFound where it does not know the method, LimitExceeded where it does not end,
// and as request() does.
Task<Listing> list_all(Client& client, std::string method, std::string member,
                       ListLimits limits = {});

}  // namespace sallyport::mcp::client
