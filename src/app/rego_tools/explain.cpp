#include "src/app/rego_tools/explain.hpp"

#include "src/app/rego_tools/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sallyport::app::rego_tools {
namespace {

using rego::TraceOp;

// The first line of what stands there.
std::string_view source_at(rego::Location const& at, std::string_view text) {
  if (at.offset >= text.size()) return {};
  auto const found = text.substr(at.offset, std::max<std::size_t>(at.length, 1));
  return found.substr(0, found.find('\n'));
}

bool is_of_rule(TraceOp op) {
  return op == TraceOp::Enter || op == TraceOp::Exit;
}

}  // namespace

std::optional<Explain> explain_named(std::string_view name) {
  if (name == "off") return Explain::Off;
  if (name == "notes") return Explain::Notes;
  if (name == "fails") return Explain::Fails;
  if (name == "full") return Explain::Full;
  return std::nullopt;
}

bool Explainer::is_wanted(Step const& step) const {
  switch (what_) {
    case Explain::Off: return false;
    case Explain::Notes: return step.note.has_value();
    case Explain::Fails: return step.note || step.event.op == TraceOp::Fail;
    case Explain::Full: return true;
  }
  return false;
}

void Explainer::keep(Step step) {
  if (kept_.size() >= kMostSteps) {
    ++left_out_;
    return;
  }
  kept_.push_back(std::move(step));
}

void Explainer::event(rego::TraceEvent const& event) {
  if (what_ == Explain::Off) return;
  last_ = event;
  Step step{.event = event, .rule = std::string{event.rule}, .note = {}};
  std::erase_if(entered_, [&](Step const& other) {
    return event.op == TraceOp::Enter ? other.event.depth >= event.depth
                                      : other.event.depth > event.depth;
  });
  if (event.op == TraceOp::Enter && what_ != Explain::Full) {
    entered_.push_back(std::move(step));
    return;
  }
  if (!is_wanted(step)) return;
  for (auto& before : std::exchange(entered_, {})) keep(std::move(before));
  keep(std::move(step));
}

void Explainer::trace(std::string_view text) {
  if (what_ == Explain::Off) return;
  for (auto& before : std::exchange(entered_, {})) keep(std::move(before));
  keep({.event = last_, .rule = std::string{last_.rule}, .note = std::string{text}});
}

std::string Explainer::text_of(Step const& step, std::string_view source) {
  auto const& [event, rule, note] = step;
  bool const names_rule = is_of_rule(event.op) && !rule.empty();
  auto const text =
      note ? "Note " + json_string(*note)
           : fmt::format("{} {}", rego::name_of(event.op),
                         names_rule ? std::string_view{rule} : source_at(event.at, source));
  std::string bars;
  for (int i = note || !is_of_rule(event.op) ? -1 : 0; i < event.depth; ++i) bars += "| ";
  return bars + text;
}

std::vector<std::string> Explainer::lines(std::vector<rego::Source> const& sources,
                                          std::string_view query) const {
  rego::Source const asked{"query", std::string{query}};
  std::vector<std::pair<std::string, std::string>> rows;  // place and text
  std::size_t widest = 0;
  for (auto const& step : kept_) {
    auto const file = step.event.at.file;
    auto const& source = step.rule.empty() || file >= sources.size() ? asked : sources[file];
    rows.emplace_back(fmt::format("{}:{}", source.name, step.event.at.row),
                      text_of(step, source.text));
    widest = std::max(widest, rows.back().first.size());
  }
  std::vector<std::string> lines;
  lines.reserve(rows.size());
  for (auto const& [place, text] : rows) {
    lines.push_back(fmt::format("{:<{}}  {}", place, widest, text));
  }
  if (left_out_ > 0) lines.push_back(fmt::format("… and {} more steps", left_out_));
  return lines;
}

}  // namespace sallyport::app::rego_tools
