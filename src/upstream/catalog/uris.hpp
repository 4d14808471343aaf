// The URIs of other servers' resources as we show them, so that each names its server:
// `ui://x/y` of server S is `ui://S/x/y`, any other U is `mcp://S/U`. Templates as well, for what
// comes after the prefix is never changed.
//
// `server` is always AliasBook::part_of(): it has no '/'.
#pragma once

#include "src/json/value.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace sallyport::upstream {

std::string to_public(std::string_view server, std::string_view uri);
// nullopt: to_public() makes no such URI for that server.
std::optional<std::string> to_original(std::string_view server, std::string_view public_uri);
// The server that a public URI names, whether there is such a server or not.
std::optional<std::string_view> server_of(std::string_view public_uri);

// What every public URI of a server begins with.
std::string ui_prefix(std::string_view server);
std::string mcp_prefix(std::string_view server);

// These make the URIs in what a server says public, where the protocol has them, and leave
// everything else as it is. What has another type than it should have is left alone.
void publish_tool(std::string_view server, json::Object& definition);
void publish_resource(std::string_view server, json::Object& definition);
void publish_template(std::string_view server, json::Object& definition);
void publish_tool_result(std::string_view server, json::Object& result);
void publish_resource_result(std::string_view server, json::Object& result);  // of resources/read
void publish_prompt_result(std::string_view server, json::Object& result);

// Takes back what publishing did to the `_meta` of a definition.
void restore_meta(std::string_view server, json::Object& meta);

}  // namespace sallyport::upstream
