#include "src/rego/build.hpp"
#include "src/rego/builtins/operands.hpp"
#include "src/rego/builtins/tables.hpp"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <vector>

namespace sallyport::rego::builtins {
namespace {

struct HashValue {
  std::size_t operator()(Value value) const noexcept { return hash(value); }
};
struct EqualValue {
  bool operator()(Value left, Value right) const noexcept { return equal(left, right); }
};
using Vertices = std::unordered_set<Value, HashValue, EqualValue>;

std::span<Value const> items_of(Value edges) noexcept {
  return edges.is(Kind::Array) || edges.is(Kind::Set) ? edges.items() : std::span<Value const>{};
}

bool read_graph(BuiltinCall& call, Operands operands, std::span<Value const>& start) {
  std::span<Entry const> entries;
  if (!read_object(call, operands, 1, entries)) return false;
  if (!operands[1].is(Kind::Array) && !operands[1].is(Kind::Set)) {
    call.wrong_type(2, "{array, set}", operands[1]);
    return false;
  }
  start = operands[1].items();
  return true;
}

Value reachable(BuiltinCall& call, Operands operands) {
  std::span<Value const> start;
  if (!read_graph(call, operands, start)) return {};
  if (!call.budget.charge(start.size())) return stopped(call);
  Vertices seen;
  std::vector<Value> waiting{start.begin(), start.end()};
  SetBuilder reached{call.arena};
  while (!waiting.empty()) {
    auto const vertex = waiting.back();
    waiting.pop_back();
    auto const edges = get(operands[0], vertex);
    if (!edges.is_defined() || !seen.insert(vertex).second) continue;
    reached.add(vertex);
    auto const neighbours = items_of(edges);
    if (!call.budget.charge(1 + neighbours.size())) return stopped(call);
    waiting.insert(waiting.end(), neighbours.begin(), neighbours.end());
  }
  return reached.finish();
}

// All paths that repeat no vertex, by depth. With its own stack: a chain of vertices may be longer
// than ours is deep.
class Paths {
 public:
  Paths(BuiltinCall& call, Value graph) : call_{call}, graph_{graph}, found_{call.arena} {}

  // False where the budget ends.
  bool from(Value start) {
    auto const edges = get(graph_, start);
    if (!edges.is_defined()) return true;
    path_.assign(1, start);
    if (items_of(edges).empty()) return emit();
    for (auto const neighbour : items_of(edges)) {
      path_.assign(1, start);
      on_path_ = {start};
      // Also where it is the start itself: only later ones are looked for on the path.
      if (!enter(neighbour) || !walk()) return false;
    }
    return true;
  }

  Value finish() { return found_.finish(); }

 private:
  struct Visit {
    Value vertex;
    std::span<Value const> edges;
    bool is_first;  // this visit put the vertex on the path
    std::size_t next{0};
  };

  bool emit() {
    if (!call_.budget.charge(1 + path_.size()) || call_.arena.exhausted()) return false;
    auto const copy = call_.arena.allocate_span<Value>(path_.size());
    std::ranges::copy(path_, copy.begin());
    found_.add(Value::array(copy));
    return true;
  }

  bool enter(Value vertex) {
    if (!call_.budget.charge()) return false;
    auto const edges = get(graph_, vertex);
    if (!edges.is_defined()) return emit();
    path_.push_back(vertex);
    if (items_of(edges).empty()) {
      if (!emit()) return false;
      path_.pop_back();
      return true;
    }
    visits_.push_back({vertex, items_of(edges), on_path_.insert(vertex).second});
    return true;
  }

  bool walk() {
    while (!visits_.empty()) {
      auto& visit = visits_.back();
      if (visit.next == visit.edges.size()) {
        path_.pop_back();
        if (visit.is_first) on_path_.erase(visit.vertex);
        visits_.pop_back();
        continue;
      }
      auto const neighbour = visit.edges[visit.next++];
      if (!(on_path_.contains(neighbour) ? emit() : enter(neighbour))) return false;
    }
    return true;
  }

  BuiltinCall& call_;
  Value graph_;
  SetBuilder found_;
  std::vector<Value> path_;
  std::vector<Visit> visits_;
  Vertices on_path_;
};

Value reachable_paths(BuiltinCall& call, Operands operands) {
  std::span<Value const> start;
  if (!read_graph(call, operands, start)) return {};
  Paths paths{call, operands[0]};
  for (auto const vertex : start) {
    if (!paths.from(vertex)) return stopped(call);
  }
  return paths.finish();
}

class Walk {
 public:
  explicit Walk(BuiltinCall& call) : call_{call}, found_{call.arena} {}

  // False where the budget ends. As deep as the value is.
  bool visit(Value value) {
    if (!call_.budget.charge(1 + path_.size() / 4) || call_.arena.exhausted()) return false;
    auto const path = call_.arena.allocate_span<Value>(path_.size());
    std::ranges::copy(path_, path.begin());
    auto const pair = call_.arena.allocate_span<Value>(2);
    pair[0] = Value::array(path);
    pair[1] = value;
    found_.add(Value::array(pair));
    switch (value.kind()) {
      case Kind::Array: return visit_items(value.items());
      case Kind::Object:
        return std::ranges::all_of(value.entries(), [&](Entry const& entry) {
          return visit_child(entry.key, entry.value);
        });
      case Kind::Set:
        return std::ranges::all_of(value.items(),
                                   [&](Value item) { return visit_child(item, item); });
      case Kind::Undefined:
      case Kind::Null:
      case Kind::Boolean:
      case Kind::Number:
      case Kind::String: return true;
    }
    return true;
  }

  Value finish() { return found_.finish(); }

 private:
  bool visit_child(Value key, Value value) {
    path_.push_back(key);
    bool const done = visit(value);
    path_.pop_back();
    return done;
  }

  bool visit_items(std::span<Value const> items) {
    for (std::size_t at = 0; at < items.size(); ++at) {
      if (!visit_child(Value::integer(static_cast<std::int64_t>(at)), items[at])) return false;
    }
    return true;
  }

  BuiltinCall& call_;
  ArrayBuilder found_;
  std::vector<Value> path_;
};

Value walk(BuiltinCall& call, Operands operands) {
  Walk walk{call};
  return walk.visit(operands[0]) ? walk.finish() : stopped(call);
}

constexpr std::string_view kGraphToVertices =
    "object[any: any<array[any], set[any]>], any<array[any], set[any]> -> set[any]";
constexpr std::string_view kGraphToPaths =
    "object[any: any<array[any], set[any]>], any<array[any], set[any]> -> set[array[any]]";

constexpr auto kTable = std::to_array<Builtin>({
    {"graph.reachable", kGraphToVertices, reachable},
    {"graph.reachable_paths", kGraphToPaths, reachable_paths},
    {"walk", "any -> array<array[any], any>", walk, nullptr, Builtin::kRelation},
});

}  // namespace

BuiltinTable graph() {
  return kTable;
}

}  // namespace sallyport::rego::builtins
