// Which rules use which. No rule may need itself.
#include "src/rego/check/passes.hpp"
#include "src/rego/check/walk.hpp"

#include <algorithm>
#include <unordered_map>

namespace sallyport::rego::check {
namespace {

// Two vertices for each node of the rule tree: its own rules, and everything from it downwards.
// A ref to `data.a` needs the latter.
using Vertex = std::uint32_t;

class Graph {
 public:
  explicit Graph(Context& context) : context_{context} {
    add_nodes(context.tree);
    edges_.resize(nodes_.size() * 2);
    for (Vertex i = 0; i < nodes_.size(); ++i) add_edges(i);
  }

  std::vector<Rule*> sorted() {
    components_.assign(edges_.size(), kNone);
    for (Vertex vertex = 0; vertex < edges_.size(); ++vertex)
      if (components_[vertex] == kNone && state(vertex).index == kNone) visit(vertex);
    report_cycles();
    return std::move(sorted_);
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct State {
    std::uint32_t index{kNone};
    std::uint32_t low{0};
    std::size_t next_edge{0};
  };

  void add_nodes(RuleTree const& node) {
    indices_.emplace(&node, static_cast<Vertex>(nodes_.size()));
    nodes_.push_back(&node);
    for (auto const& [key, child] : node.children) add_nodes(child);
  }

  Vertex own(RuleTree const& node) const { return indices_.at(&node) * 2; }
  Vertex whole(RuleTree const& node) const { return indices_.at(&node) * 2 + 1; }

  void add_edges(Vertex index) {
    auto const& node = *nodes_[index];
    auto& below = edges_[index * 2 + 1];
    below.push_back(index * 2);
    for (auto const& [key, child] : node.children) below.push_back(whole(child));

    auto& uses = edges_[index * 2];
    auto const on_term = [&](Term& term) {
      if (starts_with(term, "data")) add_uses(context_.tree, term, 1, uses);
      return true;
    };
    for (auto* const first : node.rules)
      for (auto* rule = first; rule != nullptr; rule = rule->otherwise)
        walk_rule(*rule, on_term, kGoOn);
    std::ranges::sort(uses);
    uses.erase(std::ranges::unique(uses).begin(), uses.end());
  }

  void add_uses(RuleTree const& node, Term const& ref, std::size_t part,
                std::vector<Vertex>& uses) {
    if (part == ref.items.size()) {
      uses.push_back(whole(node));
      return;
    }
    auto const enter = [&](RuleTree const& child) {
      if (!child.rules.empty()) uses.push_back(own(child));
      add_uses(child, ref, part + 1, uses);
    };
    auto const& item = *ref.items[part];
    if (!is_scalar(item)) {
      for (auto const& [key, child] : node.children) enter(child);
    } else if (auto const* const child = node.find(item.value)) {
      enter(*child);
    }
  }

  State& state(Vertex vertex) {
    if (states_.empty()) states_.resize(edges_.size());
    return states_[vertex];
  }

  // Tarjan's components, without recursion: chains of rules may be long.
  void visit(Vertex from) {
    std::vector<Vertex> path{from};
    begin(from);
    while (!path.empty()) {
      auto const vertex = path.back();
      auto& at = state(vertex);
      if (at.next_edge < edges_[vertex].size()) {
        auto const next = edges_[vertex][at.next_edge++];
        if (state(next).index == kNone) {
          begin(next);
          path.push_back(next);
        } else if (components_[next] == kNone) {
          at.low = std::min(at.low, state(next).index);
        }
        continue;
      }
      path.pop_back();
      if (!path.empty()) state(path.back()).low = std::min(state(path.back()).low, at.low);
      if (at.low == at.index) finish(vertex);
    }
  }

  void begin(Vertex vertex) {
    state(vertex).index = next_index_;
    state(vertex).low = next_index_++;
    open_.push_back(vertex);
  }

  void finish(Vertex root) {
    auto const component = next_component_++;
    auto begin = open_.end() - 1;
    while (*begin != root) --begin;
    auto const is_cycle =
        open_.end() - begin > 1 || std::ranges::find(edges_[root], root) != edges_[root].end();
    for (auto vertex = begin; vertex != open_.end(); ++vertex) {
      components_[*vertex] = component;
      if (*vertex % 2 != 0) continue;
      auto const& rules = nodes_[*vertex / 2]->rules;
      sorted_.insert(sorted_.end(), rules.begin(), rules.end());
      if (is_cycle && !rules.empty()) in_cycles_.push_back(*vertex);
    }
    open_.erase(begin, open_.end());
  }

  void report_cycles() {
    std::ranges::sort(in_cycles_, {}, [&](Vertex vertex) {
      auto const& at = nodes_[vertex / 2]->rules.front()->at;
      return std::pair{at.file, at.offset};
    });
    for (auto const vertex : in_cycles_) {
      auto const& rule = *nodes_[vertex / 2]->rules.front();
      auto const name = path_of(context_, rule);
      context_.error(Code::Recursion, rule.at,
                     "rule " + name + " is recursive: " + name + path_back_to(vertex));
    }
  }

  // " -> data.a.q -> data.a.p", the shortest.
  std::string path_back_to(Vertex start) {
    std::unordered_map<Vertex, Vertex> came_from;
    std::vector<Vertex> queue{start};
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (auto const next : edges_[queue[i]]) {
        if (components_[next] != components_[start] || !came_from.emplace(next, queue[i]).second)
          continue;
        queue.push_back(next);
      }
    }
    std::vector<Vertex> steps{start};
    for (auto at = came_from[start]; at != start; at = came_from[at])
      if (at % 2 == 0) steps.push_back(at);
    std::ranges::reverse(steps);
    std::string text;
    for (auto const step : steps) {
      auto const& rules = nodes_[step / 2]->rules;
      if (!rules.empty()) text += " -> " + path_of(context_, *rules.front());
    }
    return text;
  }

  Context& context_;
  std::vector<RuleTree const*> nodes_;
  std::unordered_map<RuleTree const*, Vertex> indices_;
  std::vector<std::vector<Vertex>> edges_;
  std::vector<State> states_;
  std::vector<std::uint32_t> components_;
  std::vector<Vertex> open_;
  std::vector<Rule*> sorted_;
  std::vector<Vertex> in_cycles_;
  std::uint32_t next_index_{0};
  std::uint32_t next_component_{0};
};

}  // namespace

std::vector<Rule*> order_rules(Context& context) {
  return Graph{context}.sorted();
}

}  // namespace sallyport::rego::check
