#include "src/policy/chain.hpp"

#include "src/base/log.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sallyport::policy {
namespace {

void note_problem(Source const& source, Query const& query, Judgement const& judgement) {
  if (judgement.problem.empty()) return;
  log::error("policy could not judge, which counts as no", {{"policy", source.name()},
                                                            {"problem", judgement.problem},
                                                            {"origin", query.url.origin()},
                                                            {"request", query.request.request_id}});
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

Section const* Chain::section_for(Query const& query) const {
  auto const found = std::ranges::find(sections_, section_of(query.operation), &Section::name);
  return found == sections_.end() ? nullptr : &*found;
}

Task<Decision> Chain::decide(Query const& query) {
  // What the settings name is the operator's own wish, and policies ask for it themselves.
  auto const* const section = query.named_by_settings ? nullptr : section_for(query);
  if (section == nullptr) co_return Decision{.allowed = true};
  co_return co_await (section->mode == ChainMode::All ? ask_all(*section, query)
                                                      : ask_any(*section, query));
}

Task<Decision> Chain::ask_all(Section const& section, Query const& query) {
  Decision decision{.allowed = true};
  for (auto const& source : section.sources) {
    SP_CO_TRY(auto judgement, co_await source->judge(query));
    if (judgement.abstained) continue;
    note_problem(*source, query, judgement);
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

Task<Decision> Chain::ask_any(Section const& section, Query const& query) {
  Decision decision{.allowed = true};  // where nobody judges
  for (auto const& source : section.sources) {
    auto judgement = co_await source->judge(query);
    // Cancelled or out of time: nobody waits for the others.
    if (!judgement) co_return judgement.error();
    if (judgement->abstained) continue;
    decision.allowed = false;
    note_problem(*source, query, *judgement);
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
