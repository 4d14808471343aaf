// What a server offers, as it was last heard.
#pragma once

#include "src/mcp/prompt.hpp"
#include "src/mcp/resource.hpp"
#include "src/mcp/revision.hpp"
#include "src/mcp/tool.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace sallyport::upstream {

// Entries have their original names and public URIs, and no handlers.
struct Offer {
  mcp::Revision revision{mcp::kModern};
  std::vector<mcp::Tool> tools;
  std::vector<mcp::Resource> resources;
  std::vector<mcp::ResourceTemplate> templates;
  std::vector<mcp::Prompt> prompts;
  bool has_resources{false};
  bool completes{false};
  // Tools that are held back, because they changed since they were approved, or are new.
  std::vector<std::string> withheld;
  std::chrono::milliseconds fresh_for{0};  // 0: the server does not say
  // Of everything above but that: an offer that is the same as before changes nothing.
  std::size_t fingerprint{0};
};

enum class ServerState { Connecting, Ready, Failed, NeedsSignIn };

std::string_view to_string(ServerState state) noexcept;

struct ServerStatus {
  std::string name;
  ServerState state{ServerState::Connecting};
  std::string error;  // of the last attempt, where that failed; may be shown to peers
  std::size_t tools{0};
  std::size_t withheld{0};

  bool operator==(ServerStatus const&) const = default;
};

}  // namespace sallyport::upstream
