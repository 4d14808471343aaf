#include "src/rego/trace.hpp"

#include "src/rego/policy.hpp"

#include <algorithm>
#include <iterator>

namespace sallyport::rego {
namespace {

bool covers(TraceOp op) {
  return op == TraceOp::Eval || op == TraceOp::Exit;
}

}  // namespace

std::string_view name_of(TraceOp op) noexcept {
  switch (op) {
    case TraceOp::Enter: return "Enter";
    case TraceOp::Eval: return "Eval";
    case TraceOp::Fail: return "Fail";
    case TraceOp::Redo: return "Redo";
    case TraceOp::Exit: return "Exit";
  }
  return "";
}

void Coverage::event(TraceEvent const& event) {
  // Events of the query itself are not in any source.
  if (covers(event.op) && !event.rule.empty()) covered_.emplace(event.at.file, event.at.row);
}

std::vector<Coverage::Line> Coverage::missed(Policy const& policy) const {
  std::set<Line> all;
  auto const& code = policy.planned().program.code;
  for (auto const& instruction : code.instructions) {
    if (instruction.op != plan::Op::Note || !covers(static_cast<TraceOp>(instruction.count))) {
      continue;
    }
    auto const& at = code.places[static_cast<std::size_t>(instruction.b)];
    all.emplace(at.file, at.row);
  }
  std::vector<Line> missed;
  std::ranges::set_difference(all, covered_, std::back_inserter(missed));
  return missed;
}

}  // namespace sallyport::rego
