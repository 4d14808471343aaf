// json.filter and json.remove: what the paths lead to, or everything else.
#include "src/rego/build.hpp"
#include "src/rego/builtins/json_impl.hpp"
#include "src/rego/builtins/json_path.hpp"
#include "src/rego/builtins/operands.hpp"

#include <algorithm>
#include <charconv>

namespace sallyport::rego::builtins {
namespace {

// Paths in order. Those that begin alike stand together, the shortest first: at each depth, the
// ones that go through a key are one piece of the list.
using Paths = std::span<JsonPath const>;

// The ones that have `key` at `depth`. None of `paths` ends before it.
Paths through(Paths paths, std::size_t depth, Value key) {
  auto const first = std::ranges::partition_point(
      paths, [&](JsonPath const& path) { return compare(path[depth], key) < 0; });
  auto const last = std::ranges::partition_point(
      first, paths.end(), [&](JsonPath const& path) { return compare(path[depth], key) <= 0; });
  return {first, last};
}

// Paths name the elements of an array by text: "0", "1".
class IndexText {
 public:
  Value of(std::size_t index) {
    auto const end = std::to_chars(room_, room_ + sizeof room_, index).ptr;
    return Value::string({room_, static_cast<std::size_t>(end - room_)});
  }

 private:
  char room_[24];
};

enum class Keep { Named, Others };

// Walks the document as far as the paths lead, so at most as deep as it is.
template <Keep keep>
class Selection {
 public:
  explicit Selection(BuiltinCall& call) : call_{call} {}

  // What is left of `value`; undefined where nothing is, or the budget has ended. `paths` go
  // through it and may end at it.
  Value of(Value value, Paths paths, std::size_t depth) {
    if (paths.empty()) return keep == Keep::Named ? Value{} : value;
    if (paths.front().size() == depth) return keep == Keep::Named ? value : Value{};
    if (!call_.budget.charge(1 + value.size() / 4)) {
      is_stopped_ = true;
      return {};
    }
    switch (value.kind()) {
      case Kind::Object: return of_object(value, paths, depth);
      case Kind::Array: return of_array(value, paths, depth);
      case Kind::Set: return of_set(value, paths, depth);
      case Kind::Undefined:
      case Kind::Null:
      case Kind::Boolean:
      case Kind::Number:
      case Kind::String: break;
    }
    return value;  // a path that leads on from a scalar takes the scalar for what it is
  }

  bool is_stopped() const noexcept { return is_stopped_; }

 private:
  Value of_object(Value value, Paths paths, std::size_t depth) {
    ObjectBuilder object{call_.arena};
    for (auto const& [key, member] : value.entries()) {
      auto const left = of(member, through(paths, depth, key), depth + 1);
      if (left.is_defined()) object.add(key, left);
    }
    return object.finish();
  }

  Value of_array(Value value, Paths paths, std::size_t depth) {
    ArrayBuilder array{call_.arena};
    IndexText text;
    for (std::size_t at = 0; at < value.size(); ++at) {
      auto const left = of(value.items()[at], through(paths, depth, text.of(at)), depth + 1);
      if (left.is_defined()) array.add(left);
    }
    return array.finish();
  }

  Value of_set(Value value, Paths paths, std::size_t depth) {
    SetBuilder set{call_.arena};
    for (auto const item : value.items()) {
      auto const left = of(item, through(paths, depth, item), depth + 1);
      if (left.is_defined()) set.add(left);
    }
    return set.finish();
  }

  BuiltinCall& call_;
  bool is_stopped_{false};
};

bool read_paths(BuiltinCall& call, Value operand, std::vector<JsonPath>& out) {
  if (!operand.is(Kind::Array) && !operand.is(Kind::Set)) {
    call.wrong_type(2, "one of {set, array}", operand);
    return false;
  }
  JsonPath path;
  for (auto const item : operand.items()) {
    if (!read_json_path(call, item, path)) return false;
    if (!call.budget.charge(1 + path.size())) {
      stopped(call);
      return false;
    }
    if (!path.empty()) out.push_back(path);  // the whole document is nothing that can be named
  }
  std::ranges::sort(out, [](JsonPath const& left, JsonPath const& right) {
    return compare(Value::array(left), Value::array(right)) < 0;
  });
  return true;
}

template <Keep keep>
Value select(BuiltinCall& call, Operands operands) {
  std::span<Entry const> entries;
  std::vector<JsonPath> paths;
  if (!read_object(call, operands, 1, entries) || !read_paths(call, operands[1], paths)) return {};
  if (paths.empty()) {
    return keep == Keep::Named ? ObjectBuilder{call.arena}.finish() : operands[0];
  }
  Selection<keep> selection{call};
  auto const result = selection.of(operands[0], paths, 0);
  return selection.is_stopped() ? stopped(call) : result;
}

}  // namespace

Value json_filter(BuiltinCall& call, Operands operands) {
  return select<Keep::Named>(call, operands);
}

Value json_remove(BuiltinCall& call, Operands operands) {
  return select<Keep::Others>(call, operands);
}

}  // namespace sallyport::rego::builtins
