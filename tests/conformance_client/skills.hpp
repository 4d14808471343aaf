// Skills of a server (SEP-2640), as a careful host takes them: nothing is read before the skill is
// wanted, and nothing is used that is not what the list said.
#pragma once

#include "src/mcp/client/client.hpp"

#include <string>
#include <vector>

namespace sallyport::conformance {

struct SkillFile {
  std::string uri;
  std::string digest;  // "sha256:" and hex digits
  std::uint64_t size{0};
};

struct SkillEntry {
  std::string uri;  // of its SKILL.md, which is one of the files
  json::Object frontmatter;
  std::vector<SkillFile> files;
};

// Entries that do not name their files as they should are left out.
Task<std::vector<SkillEntry>> list_skills(mcp::client::Client& client);

// The text of a file of a skill. Fails with UpstreamFailed where it is not what the entry says: its
// size, its digest and, of SKILL.md, the frontmatter field by field.
Task<std::string> read_skill_file(mcp::client::Client& client, SkillEntry const& skill,
                                  SkillFile const& file);

// SKILL.md first; the rest only where that is in order.
Task<void> load_skill(mcp::client::Client& client, SkillEntry const& skill);

}  // namespace sallyport::conformance
