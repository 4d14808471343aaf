#include "src/app/policy_replay_text.hpp"

#include "src/app/audit_text.hpp"
#include "src/json/write.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <iterator>
#include <utility>

namespace sallyport::app {
namespace {

std::string_view verdict_word(bool allowed) {
  return allowed ? "allowed" : "denied";
}

std::string counted(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

void add_line(std::string& text, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  fmt::format_to(std::back_inserter(text), "    {:<9}{}\n", name, for_terminal(value));
}

json::Array texts(std::vector<std::string> const& all) {
  json::Array array;
  for (auto const& each : all) array.push_back(json::Value(each));
  return array;
}

using Figures = std::vector<std::pair<std::uint64_t, std::string_view>>;

// "  12 hops …" for each that is not 0, below a heading where there is one.
void add_figures(std::string& text, std::string_view heading, Figures const& figures) {
  std::string lines;
  for (auto const& [count, what] : figures) {
    if (count > 0) fmt::format_to(std::back_inserter(lines), "{:>8} {}\n", count, what);
  }
  if (!lines.empty()) text += fmt::format("{}\n{}", heading, lines);
}

std::string listed(std::vector<Unrecorded> const& all) {
  std::string text;
  for (auto const what : all) text.append(text.empty() ? "" : ", ").append(in_words(what));
  return text;
}

// Which decisions may depend on what is not recorded.
void add_uncertainty(std::string& text, ReplaySummary const& all) {
  Figures figures;
  for (auto const what : kUnrecorded) {
    figures.emplace_back(all.uncertain[static_cast<std::size_t>(what)], in_words(what));
  }
  add_figures(
      text,
      "The policy may read what is not recorded, and be wrong then; requests without:", figures);
  add_figures(text, "Of the changes:", {{all.uncertain_changes, "may be wrong by that"}});
}

}  // namespace

std::string change_text(ReplayChange const& change) {
  auto const& record = change.record;
  auto const& hop = change.what();
  auto text = fmt::format("now {:<7}  {}\n", verdict_word(change.now_allowed),
                          for_terminal(fmt::format("{} {}", hop.method, hop.url)));
  add_line(text, "call",
           fmt::format("{}, hop {}, {}", record.id, change.hop + 1, audit::time_text(record.time)));
  add_line(
      text, "by",
      fmt::format("{}{}{}", record.principal, record.principal.empty() ? "" : ", ", record.tool));
  add_line(text, "policy", hop.policy);
  if (change.has_old_reasons())
    add_line(text, "was", fmt::format("{}", fmt::join(record.reasons, "; ")));
  add_line(text, "now", fmt::format("{}", fmt::join(change.reasons, "; ")));
  if (!change.uncertain.empty()) {
    add_line(text, "caution", "may be wrong, for it is not recorded: " + listed(change.uncertain));
  }
  return text;
}

std::string summary_text(PolicyReplay const& replay, std::uint64_t shown) {
  auto const& all = replay.summary();
  std::string text;
  if (shown < all.changes()) {
    text += fmt::format("… and {}; --limit 0 prints all.\n",
                        counted(all.changes() - shown, "more change"));
  }
  if (shown > 0) text += '\n';
  text += for_terminal(fmt::format(
              "{} (revision {}): {} judged in {}, {} {}: {} now allowed, {} now denied.",
              replay.name(), replay.revision(), counted(all.hops, "request"),
              counted(all.records, "record"), all.changes(),
              all.changes() == 1 ? "changes" : "change", all.now_allowed, all.now_denied)) +
          "\n";
  add_figures(
      text, "Not judged:",
      {{all.refused_otherwise,
        "refused by something else, which stays so (limits, guard, robots.txt, …)"},
       {all.unasked,
        "for which no such policy was asked (answered from memory, ended early, WebSockets)"},
       {all.unreached, "behind a request that is now denied"},
       {all.own, "of the program itself (keys, tokens, policies)"},
       {all.unreadable, "records that cannot be read (see sallyport audit verify)"}});
  add_uncertainty(text, all);
  add_figures(text, "Besides:",
              {{all.masked, "with masked parts in the URL, as the audit log writes it"},
               {all.problems, "that the policy could not judge, which denies"},
               {all.warnings, "where a built-in function failed, which made a part undefined"},
               {all.unnamed_denials,
                "now allowed whose record names no policy: egress.allow, egress.deny or an OPA "
                "server may have denied them, and would again"}});
  return text;
}

std::string change_json(ReplayChange const& change) {
  auto const& record = change.record;
  auto const& hop = change.what();
  json::Object object{{"id", record.id},
                      {"time", audit::time_text(record.time)},
                      {"hop", change.hop + 1},
                      {"principal", record.principal},
                      {"tool", record.tool},
                      {"purpose", record.purpose},
                      {"method", hop.method},
                      {"url", hop.url},
                      {"was", verdict_word(!change.now_allowed)},
                      {"now", verdict_word(change.now_allowed)},
                      {"reasons", texts(change.reasons)}};
  json::Array uncertain;
  for (auto const what : change.uncertain) uncertain.push_back(json::Value(name_of(what)));
  object["uncertain"] = std::move(uncertain);
  if (!hop.policy.empty()) object["policy"] = hop.policy;
  if (change.has_old_reasons()) object["old_reasons"] = texts(record.reasons);
  return json::to_text(object);
}

std::string summary_json(PolicyReplay const& replay, std::uint64_t shown) {
  auto const& all = replay.summary();
  json::Object const not_judged{{"refused_otherwise", all.refused_otherwise},
                                {"not_asked", all.unasked},
                                {"unreached", all.unreached},
                                {"own_requests", all.own},
                                {"unreadable_records", all.unreadable}};
  json::Object uncertain{{"changes", all.uncertain_changes}};
  for (auto const what : kUnrecorded) {
    uncertain[name_of(what)] = all.uncertain[static_cast<std::size_t>(what)];
  }
  return json::to_text(json::Object{{"policy", replay.name()},
                                    {"revision", replay.revision()},
                                    {"records", all.records},
                                    {"judged", all.hops},
                                    {"now_allowed", all.now_allowed},
                                    {"now_denied", all.now_denied},
                                    {"changed_records", all.changed_records},
                                    {"not_shown", all.changes() - shown},
                                    {"problems", all.problems},
                                    {"warnings", all.warnings},
                                    {"masked_urls", all.masked},
                                    {"allowed_without_known_policy", all.unnamed_denials},
                                    {"not_judged", not_judged},
                                    {"uncertain", uncertain}});
}

}  // namespace sallyport::app
