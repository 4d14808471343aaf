#include "src/app/servers/approve_tools.hpp"

#include "src/app/audit_text.hpp"
#include "src/app/servers/visit.hpp"
#include "src/upstream/catalog/approvals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace sallyport::app::servers {
namespace {

using upstream::Approvals;
using upstream::ApprovalState;
using upstream::PendingTool;

void show_side(char mark, std::optional<std::string> const& text, std::ostream& out) {
  if (!text) return;
  out << fmt::format("      {} {}\n", mark, for_terminal(*text));
}

std::string standing(PendingTool const& pending) {
  if (pending.state != ApprovalState::New) return "has changed";
  if (pending.named_like.empty()) return "is new";
  return fmt::format("is new, and named like {}", for_terminal(pending.named_like));
}

void show_pending(PendingTool const& pending, std::ostream& out) {
  out << fmt::format("{}  {}\n", for_terminal(pending.tool), standing(pending));
  for (auto const& why : pending.suspicious) {
    out << fmt::format("    suspicious: {}\n", for_terminal(why));
  }
  for (auto const& [member, before, after] : pending.differences) {
    out << fmt::format("    {}\n", for_terminal(member));
    show_side('-', before, out);
    show_side('+', after, out);
  }
}

int not_approved(Error const& error, std::ostream& err) {
  err << "sallyport servers: " << error.message << '\n';
  if (!error.detail.empty()) err << error.detail << '\n';
  return kUsageError;
}

class Approver {
 public:
  Approver(Approvals& approvals, std::string key, Surroundings const& surroundings)
      : approvals_{approvals}, key_{std::move(key)}, surroundings_{surroundings} {}

  Result<int> show() {
    SP_TRY(auto const waiting, approvals_.pending(key_));
    for (auto const& pending : waiting) show_pending(pending, surroundings_.out);
    if (waiting.empty()) surroundings_.err << "Nothing is withheld.\n";
    return waiting.empty() ? kDone : kFailed;
  }

  // SECURITY: each is shown as it is approved, so that nobody approves what they did not see.
  Result<int> approve(ApproveRequest const& request) {
    SP_TRY(auto const waiting, approvals_.pending(key_));
    bool good = true;
    for (auto const& pending : waiting) {
      bool const wanted =
          request.all || std::ranges::find(request.tools, pending.tool) != request.tools.end();
      if (!wanted) continue;
      show_pending(pending, surroundings_.out);
      SP_TRY(auto const done, approvals_.approve(key_, pending.tool, pending.digest));
      surroundings_.out << (done ? "    approved\n" : "    not approved: it has just changed\n");
      good = good && done;
    }
    for (auto const& tool : request.tools) {
      if (std::ranges::find(waiting, tool, &PendingTool::tool) != waiting.end()) continue;
      surroundings_.err << for_terminal(tool) << " is not withheld.\n";
      good = false;
    }
    return good ? kDone : kFailed;
  }

 private:
  Approvals& approvals_;
  std::string key_;
  Surroundings const& surroundings_;
};

}  // namespace

int approve_tools(config::Settings const& settings, std::string const& server,
                  ApproveRequest const& request, Surroundings const& surroundings) {
  auto const found = find_server(settings, server);
  if (!found) return not_approved(found.error(), surroundings.err);
  auto const approvals = Approvals::open(settings.gateway.approvals_file);
  if (!approvals) return not_approved(approvals.error(), surroundings.err);
  Approver approver{**approvals, upstream::approval_key((*found)->server), surroundings};
  bool const only_show = request.tools.empty() && !request.all;
  auto const code = only_show ? approver.show() : approver.approve(request);
  return code ? *code : not_approved(code.error(), surroundings.err);
}

}  // namespace sallyport::app::servers
