#include "src/upstream/catalog/approvals.hpp"

#include "src/json/parse.hpp"
#include "src/json/write.hpp"
#include "src/store/digest.hpp"
#include "src/store/private_file.hpp"
#include "src/upstream/catalog/definitions.hpp"
#include "src/upstream/catalog/hidden_text.hpp"
#include "src/upstream/catalog/names.hpp"
#include "src/upstream/catalog/shapes.hpp"

#include <fmt/format.h>

#include <chrono>
#include <set>
#include <utility>

namespace sallyport::upstream {
namespace {

// What was approved in the moment before a power failure may be forgotten; nothing else is.
constexpr auto* kApprovalSchema = R"(
  PRAGMA busy_timeout = 30000;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS approved (
    server TEXT NOT NULL, tool TEXT NOT NULL, digest TEXT NOT NULL, definition TEXT NOT NULL,
    PRIMARY KEY (server, tool));
  CREATE TABLE IF NOT EXISTS pending (
    server TEXT NOT NULL, tool TEXT NOT NULL, digest TEXT NOT NULL, definition TEXT NOT NULL,
    PRIMARY KEY (server, tool));
)";
constexpr auto* kPutApproved =
    "INSERT OR REPLACE INTO approved (server, tool, digest, definition) VALUES (?1, ?2, ?3, ?4)";
constexpr auto* kPutPending =
    "INSERT OR REPLACE INTO pending (server, tool, digest, definition) VALUES (?1, ?2, ?3, ?4)";
constexpr std::chrono::seconds kApprovalsPatience{30};
// SECURITY: of one server, which could else fill the disk with ever new tools. What comes after
// that is withheld.
constexpr std::int64_t kMostApprovalBytes = 256LL * 1024 * 1024;

constexpr std::string_view kApprovedMembers[] = {"name",        "title",        "description",
                                                 "inputSchema", "outputSchema", "annotations"};

// SECURITY: some hosts read the page of a tool from the older key alone. Where both keys name the
// same page, as the SDK has it, the newer one says it all.
void add_page(json::Object const& meta, json::Object& part) {
  auto const* const ui = meta.if_contains("ui");
  if (ui != nullptr) part["_meta.ui"] = *ui;
  auto const* const older = meta.if_contains("ui/resourceUri");
  if (older == nullptr) return;
  auto const* const object = ui == nullptr ? nullptr : ui->if_object();
  auto const* const newer = object == nullptr ? nullptr : object->if_contains("resourceUri");
  if (newer == nullptr || *newer != *older) part["_meta.ui/resourceUri"] = *older;
}

// The part of a definition that a model reads, or that decides what a person sees.
json::Object approved_part(json::Object const& definition) {
  json::Object part;
  for (auto const member : kApprovedMembers) {
    if (auto const* value = definition.if_contains(member)) part[member] = *value;
  }
  if (auto const* meta = json::find_object(definition, "_meta")) add_page(*meta, part);
  return part;
}

std::optional<std::string> shown_member(json::Object const& definition, std::string_view member) {
  auto const* const value = definition.if_contains(member);
  if (value == nullptr) return std::nullopt;
  if (auto const* text = value->if_string()) return std::string{json::view(*text)};
  return json::canonical(*value);
}

std::vector<Difference> differences_between(json::Object const& before, json::Object const& after) {
  std::set<std::string> members;
  for (auto const& member : before) members.emplace(member.key());
  for (auto const& member : after) members.emplace(member.key());
  std::vector<Difference> differences;
  for (auto const& member : members) {
    Difference difference{member, shown_member(before, member), shown_member(after, member)};
    if (difference.before != difference.after) differences.push_back(std::move(difference));
  }
  return differences;
}

Result<json::Object> stored_definition(std::string_view text) {
  SP_TRY(auto value, json::parse(text));
  if (auto* const object = value.if_object()) return std::move(*object);
  return fail(Errc::Internal, "The file of approvals is damaged.");
}

}  // namespace

// What is kept of a definition.
struct Approvals::Subject {
  std::string tool;
  std::string text;
  std::string digest;

  static std::optional<Subject> of(json::Value const& definition) {
    if (!shapes::fits(definition, DefinitionLimits{}.bytes)) return std::nullopt;
    auto const* const object = definition.if_object();
    auto const* const name = object == nullptr ? nullptr : json::find_string(*object, "name");
    if (name == nullptr || name->empty()) return std::nullopt;
    auto text = json::canonical(approved_part(*object));
    auto digest = store::sha256_hex(text);
    return Subject{std::string{json::view(*name)}, std::move(text), std::move(digest)};
  }
};

std::string approval_key(ServerSettings const& server) {
  json::Array parts;
  if (server.http) {
    parts = {"url", server.http->url.href()};
  } else if (server.program) {
    parts = {"command", server.program->command, server.program->cwd};
    for (auto const& each : server.program->args) parts.emplace_back(each);
  }
  return store::sha256_hex(json::canonical(parts));
}

Result<std::unique_ptr<Approvals>> Approvals::open(std::filesystem::path const& file) {
  SP_CHECK(store::make_private_directory(file.parent_path()));
  // Two that make the file at once would be in each other's way.
  SP_TRY(auto const lock, store::FileLock::take(file.string() + "-lock-open", kApprovalsPatience));
  SP_TRY(auto database, store::Database::open(file, store::Database::Mode::Create));
  SP_CHECK(database.execute(kApprovalSchema));
  return std::unique_ptr<Approvals>{new Approvals{std::move(database)}};
}

template <class Work>
auto Approvals::in_transaction(Work const& work) -> decltype(work()) {
  std::lock_guard const lock{mutex_};
  SP_CHECK(database_.execute("BEGIN IMMEDIATE"));
  auto result = work();
  if (result) {
    auto const committed = database_.execute("COMMIT");
    if (committed) return result;
    result = committed.error();
  }
  (void)database_.execute("ROLLBACK");  // it has failed already
  return result;
}

Result<std::map<std::string, Approvals::Known>> Approvals::known_tools(std::string_view key) {
  std::map<std::string, Known> known;
  for (bool const approved : {true, false}) {
    SP_TRY(auto statement,
           database_.prepare(approved ? "SELECT tool, digest FROM approved WHERE server = ?1"
                                      : "SELECT tool, digest FROM pending WHERE server = ?1"));
    statement.bind(1, key);
    while (true) {
      SP_TRY(bool const more, statement.step());
      if (!more) break;
      auto& tool = known[std::string{statement.text(0)}];
      (approved ? tool.approved : tool.pending) = statement.text(1);
    }
  }
  return known;
}

std::map<std::string, std::string> Approvals::approved_forms(
    std::map<std::string, Known> const& known) {
  std::map<std::string, std::string> forms;
  for (auto const& [tool, state] : known) {
    auto form = sanitize(tool);
    if (!state.approved.empty() && !form.empty()) forms.emplace(std::move(form), tool);
  }
  return forms;
}

Result<bool> Approvals::has_room(std::string_view key) {
  SP_TRY(auto statement,
         database_.prepare("SELECT coalesce(sum(length(definition) + length(tool)), 0) "
                           "FROM approved WHERE server = ?1"));
  statement.bind(1, key);
  SP_CHECK(statement.step());
  return statement.integer(0) < kMostApprovalBytes;
}

Result<void> Approvals::put(char const* sql, std::string_view key, Subject const& subject) {
  SP_TRY(auto statement, database_.prepare(sql));
  statement.bind(1, key);
  statement.bind(2, std::string_view{subject.tool});
  statement.bind(3, std::string_view{subject.digest});
  statement.bind(4, std::string_view{subject.text});
  return statement.run();
}

Result<void> Approvals::drop_pending(std::string_view key, std::string_view tool) {
  SP_TRY(auto statement, database_.prepare("DELETE FROM pending WHERE server = ?1 AND tool = ?2"));
  statement.bind(1, key);
  statement.bind(2, tool);
  return statement.run();
}

Result<std::vector<Verdict>> Approvals::judge(std::string_view key, ApprovalMode mode,
                                              json::Array const& definitions) {
  if (mode != ApprovalMode::Off) {
    return in_transaction([&] { return judge_all(key, mode, definitions); });
  }
  std::vector<Verdict> verdicts;
  for (auto const& each : definitions) {
    auto const* const object = each.if_object();
    verdicts.push_back(
        {.suspicious = object == nullptr ? std::vector<std::string>{} : hidden_text(*object)});
  }
  return verdicts;
}

Result<std::vector<Verdict>> Approvals::judge_all(std::string_view key, ApprovalMode mode,
                                                  json::Array const& definitions) {
  SP_TRY(auto known, known_tools(key));
  SP_TRY(bool const room, has_room(key));
  // Of what was approved before this list: names that are equal at first sight are told apart.
  auto const forms = approved_forms(known);
  std::vector<Verdict> verdicts;
  verdicts.reserve(definitions.size());
  std::set<std::string> seen;
  for (auto const& each : definitions) {
    auto const subject = Subject::of(each);
    // A second one of a name is not offered, and must not take the place of the first here.
    if (!subject || !seen.insert(subject->tool).second) {
      verdicts.push_back({.state = ApprovalState::New, .withheld = true});
      continue;
    }
    Verdict verdict{.suspicious = hidden_text(each.get_object())};
    auto& before = known[subject->tool];
    // SECURITY: clients know a tool by its alias. A new one that would have the alias of one that
    // was approved is a change of that one: `read.file` in the place of `read-file`.
    bool const is_fresh = before.approved.empty() && !forms.contains(sanitize(subject->tool));
    if (is_fresh && mode == ApprovalMode::FirstUse && room) {
      SP_CHECK(put(kPutApproved, key, *subject));
      before.approved = subject->digest;
    }
    if (before.approved != subject->digest) {
      verdict.state = before.approved.empty() ? ApprovalState::New : ApprovalState::Changed;
      verdict.withheld = true;
      if (before.pending != subject->digest) SP_CHECK(put(kPutPending, key, *subject));
      before.pending = subject->digest;
    } else if (!before.pending.empty()) {
      SP_CHECK(drop_pending(key, subject->tool));  // it is again what it was
    }
    verdicts.push_back(std::move(verdict));
  }
  for (auto const& [tool, state] : known) {
    if (!state.pending.empty() && !seen.contains(tool)) SP_CHECK(drop_pending(key, tool));
  }
  return verdicts;
}

Result<std::vector<PendingTool>> Approvals::pending(std::string_view key) {
  std::lock_guard const lock{mutex_};
  SP_TRY(auto statement,
         database_.prepare("SELECT pending.tool, pending.digest, pending.definition, "
                           "approved.definition IS NOT NULL, approved.definition "
                           "FROM pending LEFT JOIN approved USING (server, tool) "
                           "WHERE pending.server = ?1 ORDER BY pending.tool"));
  statement.bind(1, key);
  SP_TRY(auto const known, known_tools(key));
  auto const forms = approved_forms(known);
  std::vector<PendingTool> tools;
  while (true) {
    SP_TRY(bool const more, statement.step());
    if (!more) return tools;
    PendingTool tool{.tool = std::string{statement.text(0)},
                     .digest = std::string{statement.text(1)}};
    SP_TRY(tool.definition, stored_definition(statement.text(2)));
    json::Object before;
    if (statement.integer(3) != 0) {
      tool.state = ApprovalState::Changed;
      SP_TRY(before, stored_definition(statement.text(4)));
    } else if (auto const alike = forms.find(sanitize(tool.tool)); alike != forms.end()) {
      tool.named_like = alike->second;
    }
    tool.differences = differences_between(before, tool.definition);
    tool.suspicious = hidden_text(tool.definition);
    tools.push_back(std::move(tool));
  }
}

Result<bool> Approvals::approve(std::string_view key, std::string_view tool,
                                std::string_view digest) {
  return in_transaction([&]() -> Result<bool> {
    SP_TRY(auto statement, database_.prepare("SELECT definition FROM pending "
                                             "WHERE server = ?1 AND tool = ?2 AND digest = ?3"));
    statement.bind(1, key);
    statement.bind(2, tool);
    statement.bind(3, digest);
    SP_TRY(bool const found, statement.step());
    if (!found) return false;
    Subject const subject{std::string{tool}, std::string{statement.text(0)}, std::string{digest}};
    statement.reset();
    SP_CHECK(put(kPutApproved, key, subject));
    SP_CHECK(drop_pending(key, tool));
    return true;
  });
}

Result<std::size_t> Approvals::approve_all(std::string_view key) {
  return in_transaction([&]() -> Result<std::size_t> {
    std::int64_t count = 0;
    for (auto const* const sql :
         {"SELECT count(*) FROM pending WHERE server = ?1",
          "INSERT OR REPLACE INTO approved (server, tool, digest, definition) "
          "SELECT server, tool, digest, definition FROM pending WHERE server = ?1",
          "DELETE FROM pending WHERE server = ?1"}) {
      SP_TRY(auto statement, database_.prepare(sql));
      statement.bind(1, key);
      SP_TRY(bool const row, statement.step());
      if (row) count = statement.integer(0);
    }
    return static_cast<std::size_t>(count);
  });
}

Result<void> Approvals::forget(std::string_view key) {
  return in_transaction([&]() -> Result<void> {
    for (auto const* const sql :
         {"DELETE FROM approved WHERE server = ?1", "DELETE FROM pending WHERE server = ?1"}) {
      SP_TRY(auto statement, database_.prepare(sql));
      statement.bind(1, key);
      SP_CHECK(statement.run());
    }
    return {};
  });
}

}  // namespace sallyport::upstream
