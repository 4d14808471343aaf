// json.patch: RFC 6902, with OPA's additions (sets; paths as arrays).
#include "src/rego/build.hpp"
#include "src/rego/builtins/json_impl.hpp"
#include "src/rego/builtins/json_path.hpp"
#include "src/rego/builtins/operands.hpp"
#include "src/rego/json.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace sallyport::rego::builtins {
namespace {

using Segments = std::span<Value const>;

// Each operation makes the document anew along its path and shares the rest. Undefined results
// carry an error in the call.
class Patch {
 public:
  Patch(BuiltinCall& call, Value document) : call_{call}, document_{document} {}

  // False: there is an error.
  bool apply(Value operation);
  Value document() const noexcept { return document_; }

 private:
  // Copies make a document grow by doubling, in size and in depth, for one small operation each.
  static constexpr std::size_t kDeepest = 512;

  bool read_path(Value operation, std::string_view name, JsonPath& out);
  bool required(Value operation, std::string_view name, Value& out);
  bool change(std::string_view name, Value operation, Segments path);
  bool move(Value operation, Segments path, bool keep);
  bool test(Value operation, Segments path);

  Value found(Segments path);
  bool insert(Segments path, Value value);
  bool remove(Segments path);

  // The document below `at` with the last segment inserted or removed.
  Value inserted(Value at, Segments path, Value value);
  Value removed(Value at, Segments path);
  Value child(Value at, Value segment);
  Value with_child(Value at, Value segment, Value changed);
  Value insert_child(Value at, Value segment, Value value);
  Value remove_child(Value at, Value segment);
  bool read_index(Value at, Value segment, std::int64_t& out);
  bool measure(Value value, std::size_t depth);
  bool charge(Value at);

  bool failed(std::string text) {
    call_.fail(std::move(text));
    return false;
  }

  BuiltinCall& call_;
  Value document_;
};

bool Patch::charge(Value at) {
  if (call_.budget.charge(1 + at.size() / 4) && !call_.arena.exhausted()) return true;
  stopped(call_);
  return false;
}

// Charges for everything in the value, and refuses one that goes too deep.
bool Patch::measure(Value value, std::size_t depth) {
  if (depth > kDeepest) return failed("the patched document is nested too deeply");
  if (!call_.budget.charge(1)) {
    stopped(call_);
    return false;
  }
  if (value.is(Kind::Object)) {
    return std::ranges::all_of(value.entries(), [&](Entry const& entry) {
      return measure(entry.key, depth + 1) && measure(entry.value, depth + 1);
    });
  }
  if (!value.is(Kind::Array) && !value.is(Kind::Set)) return true;
  return std::ranges::all_of(value.items(), [&](Value item) { return measure(item, depth + 1); });
}

// "-" is behind the last element.
bool Patch::read_index(Value at, Value segment, std::int64_t& out) {
  if (segment.is(Kind::Number)) {
    if (!segment.is_int64()) return failed("invalid number type for indexing");
    out = segment.as_int64();
    return true;
  }
  if (!segment.is(Kind::String)) return failed("invalid type for indexing");
  auto const text = segment.as_string();
  if (text == "-") {
    out = at.size();
    return true;
  }
  auto const* const end = text.data() + text.size();
  auto const read = std::from_chars(text.data(), end, out);
  if (read.ec != std::errc{} || read.ptr != end) return failed("invalid string for indexing");
  if (text != "0" && text.starts_with('0')) {
    return failed("leading zeros are not allowed in JSON paths");
  }
  return true;
}

Value Patch::child(Value at, Value segment) {
  Value result;
  if (at.is(Kind::Array)) {
    std::int64_t index = 0;
    if (!read_index(at, segment, index)) return {};
    segment = Value::integer(index);
  }
  result = get(at, segment);
  if (result.is_defined()) return result;
  auto const kind = std::string{name_of(at.kind())};
  if (at.is(Kind::Array) || at.is(Kind::Object) || at.is(Kind::Set)) {
    return call_.fail("path " + to_rego(segment) + " does not exist in " + kind + " term " +
                      to_rego(at));
  }
  return call_.fail("expected composite type for path " + to_rego(segment) +
                    ", found value: " + to_rego(at) + " (type: " + kind + ")");
}

Value Patch::with_child(Value at, Value segment, Value changed) {
  if (!charge(at)) return {};
  if (at.is(Kind::Object)) {
    ObjectBuilder object{call_.arena, at.size()};
    for (auto const& [key, value] : at.entries()) {
      object.add(key, equal(key, segment) ? changed : value);
    }
    return object.finish();
  }
  if (at.is(Kind::Set)) {
    SetBuilder set{call_.arena, at.size()};
    for (auto const item : at.items()) set.add(equal(item, segment) ? changed : item);
    return set.finish();
  }
  std::int64_t index = 0;
  if (!read_index(at, segment, index)) return {};
  auto const items = call_.arena.allocate_span<Value>(at.size());
  std::ranges::copy(at.items(), items.begin());
  items[static_cast<std::size_t>(index)] = changed;
  return Value::array(items);
}

Value Patch::insert_child(Value at, Value segment, Value value) {
  if (!charge(at)) return {};
  if (at.is(Kind::Object)) {
    ObjectBuilder object{call_.arena, std::size_t{at.size()} + 1};
    for (auto const& [key, member] : at.entries()) object.add(key, member);
    object.add(segment, value);
    return object.finish();
  }
  if (at.is(Kind::Set)) {
    if (!equal(segment, value)) {
      return call_.fail("set key " + to_rego(segment) + " does not equal value to be inserted " +
                        to_rego(value));
    }
    SetBuilder set{call_.arena, std::size_t{at.size()} + 1};
    for (auto const item : at.items()) set.add(item);
    set.add(value);
    return set.finish();
  }
  if (!at.is(Kind::Array)) {
    return call_.fail("expected composite type, found value: " + to_rego(at) +
                      " (type: " + std::string{name_of(at.kind())} + ")");
  }
  std::int64_t index = 0;
  if (!read_index(at, segment, index)) return {};
  if (index < 0 || index > static_cast<std::int64_t>(at.size())) {
    return call_.fail("index for array insertion out of bounds");
  }
  ArrayBuilder array{call_.arena, std::size_t{at.size()} + 1};
  auto const before = at.items().first(static_cast<std::size_t>(index));
  for (auto const item : before) array.add(item);
  array.add(value);
  for (auto const item : at.items().subspan(before.size())) array.add(item);
  return array.finish();
}

Value Patch::remove_child(Value at, Value segment) {
  if (!charge(at)) return {};
  if (at.is(Kind::Array)) {
    std::int64_t index = 0;
    if (!read_index(at, segment, index)) return {};
    if (index < 0 || index >= static_cast<std::int64_t>(at.size())) {
      return call_.fail("index for array delete out of bounds");
    }
    ArrayBuilder array{call_.arena, at.size()};
    for (std::size_t place = 0; place < at.size(); ++place) {
      if (place != static_cast<std::size_t>(index)) array.add(at.items()[place]);
    }
    return array.finish();
  }
  if (!at.is(Kind::Object) && !at.is(Kind::Set)) {
    return call_.fail("expected composite type, found value: " + to_rego(at) +
                      " (type: " + std::string{name_of(at.kind())} + ")");
  }
  if (!get(at, segment).is_defined()) {
    return call_.fail("cannot delete child key " + to_rego(segment) + " that does not exist");
  }
  if (at.is(Kind::Object)) {
    ObjectBuilder object{call_.arena, at.size()};
    for (auto const& [key, member] : at.entries()) {
      if (!equal(key, segment)) object.add(key, member);
    }
    return object.finish();
  }
  SetBuilder set{call_.arena, at.size()};
  for (auto const item : at.items()) {
    if (!equal(item, segment)) set.add(item);
  }
  return set.finish();
}

// As deep as the document is, and no deeper: a path that leads nowhere ends it.
Value Patch::inserted(Value at, Segments path, Value value) {
  if (path.size() == 1) return insert_child(at, path.front(), value);
  auto const next = child(at, path.front());
  if (!next.is_defined()) return {};
  auto const changed = inserted(next, path.subspan(1), value);
  return changed.is_defined() ? with_child(at, path.front(), changed) : Value{};
}

Value Patch::removed(Value at, Segments path) {
  if (path.size() == 1) return remove_child(at, path.front());
  auto const next = child(at, path.front());
  if (!next.is_defined()) return {};
  auto const changed = removed(next, path.subspan(1));
  return changed.is_defined() ? with_child(at, path.front(), changed) : Value{};
}

bool Patch::insert(Segments path, Value value) {
  if (!measure(value, path.size())) return false;
  if (path.empty()) {
    document_ = value;
    return true;
  }
  if (!document_.is_defined()) return failed("deleted node encountered during insert operation");
  auto const changed = inserted(document_, path, value);
  if (changed.is_defined()) document_ = changed;
  return changed.is_defined();
}

bool Patch::remove(Segments path) {
  if (!document_.is_defined()) return failed("deleted node encountered during delete operation");
  if (path.empty()) {
    document_ = {};
    return true;
  }
  auto const changed = removed(document_, path);
  if (changed.is_defined()) document_ = changed;
  return changed.is_defined();
}

Value Patch::found(Segments path) {
  auto at = document_;
  if (!at.is_defined()) {
    return call_.fail("nil value encountered where composite value was expected");
  }
  for (auto const segment : path) {
    at = child(at, segment);
    if (!at.is_defined()) return {};
  }
  return at;
}

bool Patch::required(Value operation, std::string_view name, Value& out) {
  out = get(operation, name);
  if (out.is_defined()) return true;
  return failed("missing required attribute '" + std::string{name} + "'");
}

bool Patch::read_path(Value operation, std::string_view name, JsonPath& out) {
  Value path;
  if (!required(operation, name, path) || !read_json_path(call_, path, out)) return false;
  if (!call_.budget.charge(1 + out.size())) {
    stopped(call_);
    return false;
  }
  return true;
}

bool Patch::move(Value operation, Segments path, bool keep) {
  JsonPath from;
  if (!read_path(operation, "from", from)) return false;
  auto const value = found(from);
  if (!value.is_defined() || (!keep && !remove(from))) return false;
  return insert(path, value);
}

bool Patch::test(Value operation, Segments path) {
  auto const value = found(path);
  Value wanted;
  if (!value.is_defined() || !required(operation, "value", wanted)) return false;
  if (equal(value, wanted)) return true;
  return failed("value from EditTree != patch value.\n\nExpected: " + to_rego(wanted) +
                "\n\nFound: " + to_rego(value));
}

bool Patch::change(std::string_view name, Value operation, Segments path) {
  Value value;
  if (name == "remove") return remove(path);
  if (name == "move" || name == "copy") return move(operation, path, name == "copy");
  if (name == "test") return test(operation, path);
  if (name == "replace" && !remove(path)) return false;
  if (name == "add" || name == "replace") {
    return required(operation, "value", value) && insert(path, value);
  }
  return failed("unrecognized op: '" + std::string{name} + "'");
}

bool Patch::apply(Value operation) {
  if (!operation.is(Kind::Object)) {
    return failed(
        "must be an array of JSON-Patch objects, but at least one element is not an object");
  }
  Value name;
  Value text;
  JsonPath path;
  if (!required(operation, "path", text) || !required(operation, "op", name)) return false;
  if (!name.is(Kind::String)) {
    return failed("attribute 'op' must be a string but found: " +
                  std::string{name_of(name.kind())});
  }
  return read_path(operation, "path", path) && change(name.as_string(), operation, path);
}

}  // namespace

Value json_patch(BuiltinCall& call, Operands operands) {
  std::span<Value const> operations;
  if (!read_array(call, operands, 2, operations)) return {};
  Patch patch{call, operands[0]};
  for (auto const operation : operations) {
    if (!patch.apply(operation)) return {};
  }
  return patch.document();
}

}  // namespace sallyport::rego::builtins
