// Reading is yaml-cpp's; what its scalars mean is decided here, as Go's library does.
#include "src/rego/build.hpp"
#include "src/rego/builtins/encoding_impl.hpp"
#include "src/rego/builtins/go_number.hpp"
#include "src/rego/builtins/operands.hpp"
#include "src/rego/builtins/quote.hpp"
#include "src/rego/builtins/runes.hpp"
#include "src/rego/builtins/yaml_scalar.hpp"
#include "src/rego/builtins/yaml_writer.hpp"
#include "src/rego/json.hpp"
#include "src/rego/number.hpp"

#include <charconv>
#include <cmath>
#include <optional>
#include <yaml-cpp/yaml.h>

namespace sallyport::rego::builtins {
namespace {

// A node of yaml-cpp takes a few hundred bytes.
constexpr std::size_t kLongestDocument = std::size_t{2} << 20;

// As Go's encoding/json writes a float64.
std::string json_float(double value) {
  auto const magnitude = std::fabs(value);
  if (magnitude != 0 && (magnitude < 1e-6 || magnitude >= 1e21)) {
    auto text = format_float(value, 'e', -1);
    // e-09 is written e-9.
    if (text.size() > 4 && text[text.size() - 4] == 'e' && text[text.size() - 3] == '-' &&
        text[text.size() - 2] == '0') {
      text.erase(text.size() - 2, 1);
    }
    return text.starts_with('+') ? text.substr(1) : text;
  }
  char room[400];
  auto const written = std::to_chars(room, room + sizeof room, value, std::chars_format::fixed);
  return {room, written.ptr};
}

std::string not_finite(double value) {
  return std::isnan(value) ? "NaN" : value < 0 ? "-Inf" : "+Inf";
}

class Reader {
 public:
  explicit Reader(BuiltinCall& call) : call_{call} {}

  // Undefined where error() has something to say, or the budget is used up.
  Value read(YAML::Node const& node, int depth = 0) {
    if (depth > kDeepestJson) return fail("exceeded max depth");
    if (!call_.budget.charge() || call_.arena.exhausted()) {
      is_stopped_ = true;
      return {};
    }
    switch (node.Type()) {
      case YAML::NodeType::Undefined:
      case YAML::NodeType::Null: return Value::null();
      case YAML::NodeType::Scalar: return read_scalar(node);
      case YAML::NodeType::Sequence: return read_sequence(node, depth);
      case YAML::NodeType::Map: {
        ObjectBuilder object{call_.arena};
        return add_fields(node, object, depth) ? object.finish() : Value{};
      }
    }
    return {};
  }

  std::string const& error() const noexcept { return error_; }
  bool is_stopped() const noexcept { return is_stopped_; }

 private:
  Value fail(std::string_view why) {
    if (error_.empty()) error_ = "yaml: " + std::string{why};
    return {};
  }

  static bool is_plain(YAML::Node const& node) {
    auto const& tag = node.Tag();
    // "?" is a plain scalar without a tag, "!" a quoted one.
    return tag == "?" || tag.empty() || tag == "tag:yaml.org,2002:int" ||
           tag == "tag:yaml.org,2002:float" || tag == "tag:yaml.org,2002:bool" ||
           tag == "tag:yaml.org,2002:null";
  }

  Value read_scalar(YAML::Node const& node) {
    auto const& text = node.Scalar();
    if (!is_plain(node)) return Value::string(call_.arena.copy(text));
    auto const scalar = resolve_yaml(text);
    switch (scalar.kind) {
      case YamlScalar::Kind::Null: return Value::null();
      case YamlScalar::Kind::Boolean: return Value::boolean(scalar.boolean);
      case YamlScalar::Kind::Integer: return Value::integer(scalar.integer);
      case YamlScalar::Kind::Unsigned: return make_number(scalar.natural, call_.arena);
      case YamlScalar::Kind::Float:
        if (!std::isfinite(scalar.real)) {
          error_ = "json: unsupported value: " + not_finite(scalar.real);
          return {};
        }
        return make_number(json_float(scalar.real), call_.arena);
      case YamlScalar::Kind::Text:
      case YamlScalar::Kind::Merge: break;
    }
    return Value::string(call_.arena.copy(text));
  }

  Value read_sequence(YAML::Node const& node, int depth) {
    ArrayBuilder items{call_.arena, node.size()};
    for (auto const& item : node) {
      auto const value = read(item, depth + 1);
      if (!value.is_defined()) return {};
      items.add(value);
    }
    return items.finish();
  }

  bool add_fields(YAML::Node const& node, ObjectBuilder& object, int depth) {
    for (auto const& field : node) {
      if (field.first.IsScalar() && is_plain(field.first) && field.first.Scalar() == "<<") {
        if (!merge(field.second, object, depth + 1)) return false;
        continue;
      }
      auto const key = read_key(field.first);
      if (!key) return false;
      auto const value = read(field.second, depth + 1);
      if (!value.is_defined()) return false;
      object.add(call_.arena.copy(*key), value);
    }
    return true;
  }

  // "<<: *base" and "<<: [*first, *second]", of which the first wins.
  bool merge(YAML::Node const& node, ObjectBuilder& object, int depth) {
    if (depth > kDeepestJson) return fail("exceeded max depth"), false;
    if (node.IsMap()) return add_fields(node, object, depth);
    if (!node.IsSequence())
      return fail("map merge requires map or sequence of maps as the value"), false;
    for (auto i = node.size(); i-- > 0;) {
      if (!node[i].IsMap()) {
        return fail("map merge requires map or sequence of maps as the value"), false;
      }
      if (!add_fields(node[i], object, depth)) return false;
    }
    return true;
  }

  std::optional<std::string> read_key(YAML::Node const& node) {
    if (node.IsScalar()) {
      auto const& text = node.Scalar();
      if (!is_plain(node)) return text;
      auto const scalar = resolve_yaml(text);
      switch (scalar.kind) {
        case YamlScalar::Kind::Text:
        case YamlScalar::Kind::Merge: return text;
        case YamlScalar::Kind::Boolean: return scalar.boolean ? "true" : "false";
        case YamlScalar::Kind::Integer: return std::to_string(scalar.integer);
        case YamlScalar::Kind::Unsigned: return std::to_string(scalar.natural);
        case YamlScalar::Kind::Float: return float_key(scalar.real);
        case YamlScalar::Kind::Null: break;
      }
    }
    error_ = "unsupported map key: only strings, numbers and booleans can be keys";
    return std::nullopt;
  }

  static std::string float_key(double value) {
    if (std::isnan(value)) return ".nan";
    if (std::isinf(value)) return value < 0 ? "-.inf" : ".inf";
    auto const text = format_float(value, 'g', -1);
    return text.starts_with('+') ? text.substr(1) : text;
  }

  BuiltinCall& call_;
  std::string error_;
  bool is_stopped_{false};
};

// The words of Go's library for the most common mistakes.
std::string words_of(YAML::ParserException const& exception) {
  std::string const& what = exception.msg;
  auto const has = [&](std::string_view part) { return what.find(part) != std::string::npos; };
  auto text = "yaml: line " + std::to_string(exception.mark.line + 1) + ": ";
  if (has("end of sequence flow")) return text + "did not find expected ',' or ']'";
  if (has("end of map flow")) return text + "did not find expected ',' or '}'";
  if (has("end of map not found")) return text + "did not find expected key";
  if (has("end of sequence not found")) return text + "did not find expected '-' indicator";
  if (has("illegal map value")) return text + "mapping values are not allowed in this context";
  return text + what;
}

// Undefined: the call has failed.
Value parse_yaml(BuiltinCall& call, std::string_view text) {
  if (text.size() > kLongestDocument) return call.fail("yaml: the document is too large");
  if (!charge_bytes(call, text.size() * 16)) return stopped(call);
  if (!is_well_formed(text)) return call.fail("yaml: invalid UTF-8");
  try {
    auto const document = YAML::Load(std::string{text});
    Reader reader{call};
    auto const value = reader.read(document);
    if (reader.is_stopped()) return stopped(call);
    return value.is_defined() ? value : call.fail(reader.error());
  } catch (YAML::ParserException const& exception) {
    return call.fail(words_of(exception));
  } catch (std::exception const& exception) {
    return call.fail(std::string{"yaml: "} + exception.what());
  }
}

}  // namespace

Value yaml_marshal(BuiltinCall& call, Operands operands) {
  TextBuilder text{call, 256};
  write_yaml(operands[0], text);
  return text.finish();
}

Value yaml_unmarshal(BuiltinCall& call, Operands operands) {
  std::string_view text;
  if (!read_string(call, operands, 1, text)) return {};
  return parse_yaml(call, text);
}

Value yaml_is_valid(BuiltinCall& call, Operands operands) {
  if (!operands[0].is(Kind::String)) return Value::boolean(false);
  auto const value = parse_yaml(call, operands[0].as_string());
  if (call.error == BuiltinErrc::Halt) return {};
  call.error = BuiltinErrc::None;
  call.message.clear();
  return Value::boolean(value.is_defined());
}

}  // namespace sallyport::rego::builtins
