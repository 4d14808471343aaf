// Resources, fixed or by template.
#pragma once

#include "src/mcp/call_context.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sallyport::mcp {

struct ResourceResult {
  json::Array contents;  // of content::resource_text() and resource_bytes()
  // How long the client may keep it; not said: as long as a list.
  std::optional<std::chrono::milliseconds> ttl{};
  json::Object meta{};
};

// The values of a template's variables, by name; empty for a fixed resource.
using TemplateValues = std::map<std::string, std::string, std::less<>>;

// Fails with NotFound when there is no such resource.
using ResourceHandler = std::function<Task<ResourceResult>(CallContext&, std::string const& uri,
                                                           TemplateValues const& values)>;

// Proposals for the value of an argument, best first.
struct Completion {
  std::vector<std::string> values{};
  std::optional<std::size_t> total{};  // where there are more than these
  bool has_more{false};                // there are, however many
};

// `known` are arguments already filled in. All live as long as the call.
using Completer = std::function<Task<Completion>(
    CallContext&, std::string_view argument, std::string_view value, json::Object const& known)>;

struct Resource {
  std::string uri;
  std::string name;
  std::string title;
  std::string description;
  std::string mime_type;
  json::Object annotations;
  json::Array icons;
  json::Object meta;
  std::optional<std::uint64_t> size{};  // in bytes
  ResourceHandler handler;
};

struct ResourceTemplate {
  std::string
      uri_template;  // RFC 6570, level 1: `{name}` stands for one or more characters but '/'
  std::string name;
  std::string title;
  std::string description;
  std::string mime_type;
  json::Object annotations;
  json::Array icons;
  json::Object meta;
  ResourceHandler handler;
  Completer completer;
};

// The variables of `uri` under that template; nullopt when it does not match.
std::optional<TemplateValues> match_template(std::string_view uri_template, std::string_view uri);

}  // namespace sallyport::mcp
