// Everything the server offers, made once and then only read: a change makes a new registry.
//
// What each revision's lists show is written when the registry is made, so that listing copies
// text and nothing else.
#pragma once

#include "src/json/schema.hpp"
#include "src/mcp/header_mirror.hpp"
#include "src/mcp/prompt.hpp"
#include "src/mcp/resource.hpp"
#include "src/mcp/revision.hpp"
#include "src/mcp/tool.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sallyport::mcp {

// The JSON text of one entry of a list, for each revision. Most revisions show most entries alike:
// they share a text, so that thousands of tools take little room.
class PerRevision {
 public:
  void set(Revision revision, std::string text);
  std::string const& operator[](Revision revision) const {
    return texts_[which_[static_cast<std::size_t>(revision)]];
  }
  std::size_t distinct() const noexcept { return texts_.size(); }

 private:
  std::vector<std::string> texts_;
  std::array<std::uint8_t, kRevisions.size()> which_{};
};

struct RegisteredTool {
  Tool tool;
  std::optional<json::Schema> input;  // neither, where the tool is foreign
  std::optional<json::Schema> output;
  std::vector<MirroredParameter> mirrored;
  bool for_model{true};  // MCP Apps, `_meta.ui.visibility`
  bool for_app{true};
  PerRevision listed;

  bool visible_to(CallerKind caller) const noexcept;
};

struct RegisteredResource {
  Resource resource;
  PerRevision listed;
};

struct RegisteredTemplate {
  ResourceTemplate resource;
  PerRevision listed;
};

struct RegisteredPrompt {
  Prompt prompt;
  PerRevision listed;
};

class Registry {
 public:
  class Builder;

  std::vector<RegisteredTool> const& tools() const noexcept { return tools_; }
  std::vector<RegisteredResource> const& resources() const noexcept { return resources_; }
  std::vector<RegisteredTemplate> const& templates() const noexcept { return templates_; }
  std::vector<RegisteredPrompt> const& prompts() const noexcept { return prompts_; }
  bool has_resources() const noexcept {
    return !resources_.empty() || !templates_.empty() || !mounts_.empty();
  }

  // nullptr when there is none of that name.
  RegisteredTool const* tool(std::string_view name) const;
  RegisteredPrompt const* prompt(std::string_view name) const;

  struct FoundResource {
    ResourceHandler const& handler;
    TemplateValues values;
  };
  // A fixed one, or one by a template, or under a mounted prefix: the longest.
  std::optional<FoundResource> resource(std::string_view uri) const;
  RegisteredTemplate const* resource_template(std::string_view uri_template) const;

  // What the server says it can do, given these entries.
  json::Object const& capabilities(Revision revision) const noexcept {
    return capabilities_[static_cast<std::size_t>(revision)];
  }

  // Members of `_meta` of the list of tools, as text; may be empty.
  std::string const& about_tools() const noexcept { return about_tools_; }

  // Differ between registries with different entries: a cursor of another registry is refused, and
  // clients hear of the lists that changed.
  enum class List { Tools, Resources, Prompts };
  std::string const& fingerprint(List list) const noexcept {
    return fingerprints_[static_cast<std::size_t>(list)];
  }

 private:
  struct Mount {
    std::string prefix;
    ResourceHandler handler;
  };
  using Index = std::unordered_map<std::string, std::size_t>;

  std::vector<RegisteredTool> tools_;
  std::vector<RegisteredResource> resources_;
  std::vector<RegisteredTemplate> templates_;
  std::vector<RegisteredPrompt> prompts_;
  std::vector<Mount> mounts_;  // longest prefix first
  Index tool_index_;
  Index resource_index_;
  Index prompt_index_;
  std::array<json::Object, kRevisions.size()> capabilities_;
  std::array<std::string, 3> fingerprints_;
  std::string about_tools_;
};

class Registry::Builder {
 public:
  Builder& add(Tool tool);
  Builder& add(Resource resource);
  Builder& add(ResourceTemplate resource);
  Builder& add(Prompt prompt);
  // Resources that no entry names: every URI that begins with `prefix`. They are in no list.
  Builder& mount(std::string prefix, ResourceHandler handler);
  // Under which name else a tool can be called; in no list. Left out where it is another's.
  Builder& also_call(std::string tool, std::string other_name);
  // `_meta` of the list of tools.
  Builder& describe_tools(json::Object meta);

  std::set<std::string, std::less<>> tool_names() const;

  // Fails with InvalidInput: a name twice, a tool's name that is not 1 to 64 of [A-Za-z0-9_.-], a
  // schema that does not compile, an input schema that is not an object's (a foreign one is made
  // one), a mounted prefix twice.
  Result<std::shared_ptr<Registry const>> build();

 private:
  std::vector<Tool> tools_;
  std::vector<Resource> resources_;
  std::vector<ResourceTemplate> templates_;
  std::vector<Prompt> prompts_;
  std::vector<Mount> mounts_;
  std::vector<std::pair<std::string, std::string>> other_names_;
  json::Object about_tools_;
};

}  // namespace sallyport::mcp
