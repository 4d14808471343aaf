#include "src/policy/chain.hpp"

#include "src/base/log.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sallyport::policy {
namespace {

void note_problem(Source const& source, Question question, Judgement const& judgement) {
  if (judgement.problem.empty()) return;
  log::error("policy could not judge, which counts as no",
             {{"policy", source.name()},
              {"problem", judgement.problem},
              {"about", question.subject()},
              {"request", question.request().request_id}});
}

// What the source said, or at least which one it was.
void add_reasons(Source const& source, Judgement judgement, std::vector<std::string>& reasons) {
  if (!judgement.problem.empty()) {
    reasons.push_back(fmt::format("{} could not judge", source.name()));
  } else if (judgement.reasons.empty()) {
    reasons.push_back(
        fmt::format("{} {}", source.name(), judgement.allowed ? "allows it" : "does not allow it"));
  } else {
    std::ranges::move(judgement.reasons, std::back_inserter(reasons));
  }
}

void add_revision(Judgement const& judgement, std::string& revision) {
  if (judgement.revision.empty()) return;
  if (!revision.empty()) revision += ' ';
  revision += judgement.revision;
}

}  // namespace

Section const* Chain::section(std::string_view name) const noexcept {
  auto const found = std::ranges::find(sections_, name, &Section::name);
  return found == sections_.end() ? nullptr : &*found;
}

Task<Decision> Chain::decide(Query const& query) {
  // What the settings name is the operator's own wish, and policies ask for it themselves.
  auto const* const judges =
      query.named_by_settings ? nullptr : section(section_of(query.operation));
  if (judges == nullptr) co_return Decision{.allowed = true};
  co_return co_await ask(*judges, query);
}

Task<Decision> Chain::decide(McpQuery const& query) {
  auto const* const judges = section(kToolSection);
  if (judges == nullptr) {
    co_return Decision{.allowed = false, .reasons = {"there is no policy in policies.mcp_tools"}};
  }
  co_return co_await ask(*judges, query);
}

Task<Decision> Chain::ask(Section const& section, Question question) {
  return section.mode == ChainMode::All ? ask_all(section, question) : ask_any(section, question);
}

Task<Decision> Chain::ask_all(Section const& section, Question question) {
  Decision decision{.allowed = true};
  for (auto const& source : section.sources) {
    SP_CO_TRY(auto judgement, co_await source->judge(question));
    if (judgement.abstained) continue;
    note_problem(*source, question, judgement);
    add_revision(judgement, decision.revision);
    if (!judgement.allowed) {
      decision.allowed = false;
      decision.reasons.clear();  // of those that allowed
      add_reasons(*source, std::move(judgement), decision.reasons);
      co_return decision;
    }
    add_reasons(*source, std::move(judgement), decision.reasons);
  }
  co_return decision;
}

Task<Decision> Chain::ask_any(Section const& section, Question question) {
  Decision decision{.allowed = true};  // where nobody judges
  for (auto const& source : section.sources) {
    auto judgement = co_await source->judge(question);
    // Cancelled or out of time: nobody waits for the others.
    if (!judgement) co_return judgement.error();
    if (judgement->abstained) continue;
    decision.allowed = false;
    note_problem(*source, question, *judgement);
    add_revision(*judgement, decision.revision);
    if (judgement->allowed) {
      decision.allowed = true;
      decision.reasons.clear();  // of those that denied
      add_reasons(*source, *std::move(judgement), decision.reasons);
      co_return decision;
    }
    add_reasons(*source, *std::move(judgement), decision.reasons);
  }
  co_return decision;
}

Task<Decision> Both::decide(Query const& query) {
  SP_CO_TRY(auto first, co_await first_.decide(query));
  if (!first.allowed) co_return first;
  SP_CO_TRY(auto second, co_await second_.decide(query));
  if (!second.allowed) co_return second;
  std::ranges::move(second.reasons, std::back_inserter(first.reasons));
  first.revision = std::move(second.revision);
  co_return first;
}

}  // namespace sallyport::policy
