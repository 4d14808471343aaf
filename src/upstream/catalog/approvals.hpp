// What every tool of another server was when it was approved, so that one that changes later is
// seen: a server that was harmless when it was looked at may not stay so.
//
// Kept in a private SQLite file that the gateway and the command line share. Its functions block:
// they are for worker threads, when definitions are taken; never for the path of a call.
#pragma once

#include "src/base/result.hpp"
#include "src/json/value.hpp"
#include "src/store/sqlite.hpp"
#include "src/upstream/server_settings.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::upstream {

enum class ApprovalMode {
  FirstUse,  // what is seen first is trusted; a change is not, nor another that is named alike
  Always,    // nothing is trusted before a person has said so
  Off,
};
enum class ApprovalState { New, Approved, Changed };

// Whose tools they are: an URL, or a command line, whatever the server is called here. A digest,
// since either may hold a secret.
std::string approval_key(ServerSettings const& server);

struct Verdict {
  ApprovalState state{ApprovalState::Approved};
  bool withheld{false};                 // neither listed nor callable
  std::vector<std::string> suspicious;  // hidden_text.hpp
};

// A member of a definition: as text, JSON where it is none. nullopt: it is not there.
struct Difference {
  std::string member;
  std::optional<std::string> before;
  std::optional<std::string> after;
};

struct PendingTool {
  std::string tool;    // its original name
  std::string digest;  // of what is to be approved
  ApprovalState state{ApprovalState::New};
  std::string named_like;  // where it is new: one that was approved and has its alias
  json::Object definition;
  std::vector<Difference> differences;  // to what was approved; to nothing where it is new
  std::vector<std::string> suspicious;
};

class Approvals {
 public:
  static Result<std::unique_ptr<Approvals>> open(std::filesystem::path const& file);

  // One verdict for each of `definitions`, which are all tools that the server has, as it gave
  // them. What is withheld is pending from then on.
  Result<std::vector<Verdict>> judge(std::string_view key, ApprovalMode mode,
                                     json::Array const& definitions);

  // What waits for a person, by name.
  Result<std::vector<PendingTool>> pending(std::string_view key);

  // SECURITY: approves what was shown. False: the tool has changed since, or is not pending.
  Result<bool> approve(std::string_view key, std::string_view tool, std::string_view digest);
  // Everything that is pending now. Gives how many that were.
  Result<std::size_t> approve_all(std::string_view key);
  // Forgets what was approved, as if the server were new.
  Result<void> forget(std::string_view key);

 private:
  struct Known {
    std::string approved;  // digests; empty: none
    std::string pending;
  };
  struct Subject;

  explicit Approvals(store::Database database) : database_{std::move(database)} {}

  Result<std::vector<Verdict>> judge_all(std::string_view key, ApprovalMode mode,
                                         json::Array const& definitions);
  Result<std::map<std::string, Known>> known_tools(std::string_view key);
  // The names of tools that are approved, by what they are in aliases.
  static std::map<std::string, std::string> approved_forms(
      std::map<std::string, Known> const& known);
  Result<bool> has_room(std::string_view key);
  Result<void> put(char const* sql, std::string_view key, Subject const& subject);
  Result<void> drop_pending(std::string_view key, std::string_view tool);
  template <class Work>
  auto in_transaction(Work const& work) -> decltype(work());

  std::mutex mutex_;
  store::Database database_;
};

}  // namespace sallyport::upstream
