// The `policies` section of the settings: which sources judge which kind of call, in the shape
//
//   {"fetch": {"mode": "all", "policies": [{"url": "file:///etc/sallyport/fetch.rego"},
//                                          {"url": "https://opa.internal:8181"}]},
//    "http_send": false}
#pragma once

#include "src/base/result.hpp"
#include "src/json/value.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::policy {

enum class ChainMode { All, Any };

// Where a source stands decides what it is: file:// is Rego, evaluated here; http(s):// is an OPA
// server.
struct SourceSettings {
  std::string url;
  std::string rule;         // file://: "data.mcp.fetch.allow"
  std::string policy_path;  // http(s)://: "mcp/fetch"

  bool is_remote() const { return url.starts_with("http"); }
};

struct SectionSettings {
  std::string name;  // "fetch"
  ChainMode mode{ChainMode::All};
  std::vector<SourceSettings> sources;  // never empty
};

struct ChainSettings {
  std::vector<SectionSettings> sections;
  bool http_send{false};  // whether Rego files may use http.send
};

inline constexpr std::string_view kToolSection = "mcp_tools";

// What can be judged, with the package that a policy for it has by default.
struct SectionKind {
  std::string_view name;
  std::string_view package;  // "mcp.fetch"
};
inline constexpr std::array kSections{
    SectionKind{"fetch", "mcp.fetch"},
    SectionKind{"websocket", "mcp.websocket"},
    SectionKind{kToolSection, "mcp.tools"},
    SectionKind{"modules", "mcp.modules"},
};

// The section that judges an operation: "websocket" its own, every other HTTP request "fetch".
std::string_view section_of(std::string_view operation) noexcept;

// Defaults are filled in. Fails with InvalidInput, naming the place: an unknown section or member,
// an empty list and a source of another scheme are mistakes, never "allow all".
Result<ChainSettings> read_chain_settings(json::Value const& value);

}  // namespace sallyport::policy
