#include "src/rego/builtins/template_renderer.hpp"

#include <algorithm>
#include <utility>

namespace sallyport::rego::builtins {
namespace {

using Type = TemplateValue::Kind;

constexpr int kDeepestCall = 100;

class Renderer {
 public:
  Renderer(BuiltinCall& call, Templates const& templates, TextBuilder& out, std::string& error)
      : call_{call}, templates_{templates}, out_{out}, error_{error} {}

  bool run(Value data) {
    auto const root = TemplateValue::of(data);
    variables_.push_back({"$", root});
    return walk(templates_.find("template")->second, root);
  }

 private:
  enum class Jump : std::uint8_t { None, Break, Continue };
  struct Variable {
    std::string_view name;
    TemplateValue value;
  };

  bool fail(std::string_view why) {
    error_ = "template: template:" + std::to_string(line_) +
             ": executing \"template\": " + std::string{why};
    return false;
  }

  // What a pipeline leaves: an empty interface is no value.
  static TemplateValue settled(TemplateValue value) {
    if (value.kind == Type::Nil) value.kind = Type::Missing;
    return value;
  }

  bool walk(TemplateBody const& body, TemplateValue const& dot) {
    for (auto const& node : body) {
      if (!call_.budget.charge() || out_.is_full() || call_.arena.exhausted()) return false;
      line_ = node.line;
      if (!walk_node(node, dot)) return false;
      if (jump_ != Jump::None) break;
    }
    return true;
  }

  bool walk_node(TemplateNode const& node, TemplateValue const& dot) {
    switch (node.kind) {
      case TemplateNode::Kind::Text: out_.append(node.text); return true;
      case TemplateNode::Kind::Break: jump_ = Jump::Break; return true;
      case TemplateNode::Kind::Continue: jump_ = Jump::Continue; return true;
      case TemplateNode::Kind::Template: return call_template(node, dot);
      case TemplateNode::Kind::Action: return act(node, dot);
      case TemplateNode::Kind::If:
      case TemplateNode::Kind::With:
      case TemplateNode::Kind::Range: break;
    }
    auto const outer = variables_.size();
    auto const walked =
        node.kind == TemplateNode::Kind::Range ? walk_range(node, dot) : walk_condition(node, dot);
    variables_.resize(outer);
    return walked;
  }

  bool act(TemplateNode const& node, TemplateValue const& dot) {
    TemplateValue value;
    if (!evaluate(*node.pipe, dot, value)) return false;
    if (!node.pipe->variables.empty()) return store(*node.pipe, value);
    print_template_value(out_, value);
    return true;
  }

  bool store(TemplatePipe const& pipe, TemplateValue const& value) {
    auto const& name = pipe.variables.front();
    if (pipe.declares) {
      variables_.push_back({name, value});
      return true;
    }
    auto* const variable = find_variable(name);
    if (variable == nullptr) return fail("undefined variable: " + name);
    *variable = value;
    return true;
  }

  TemplateValue* find_variable(std::string_view name) {
    for (auto variable = variables_.rbegin(); variable != variables_.rend(); ++variable) {
      if (variable->name == name) return &variable->value;
    }
    return nullptr;
  }

  bool walk_condition(TemplateNode const& node, TemplateValue const& dot) {
    TemplateValue value;
    if (!evaluate(*node.pipe, dot, value)) return false;
    if (!node.pipe->variables.empty() && !store(*node.pipe, value)) return false;
    if (!value.is_true()) return walk(node.otherwise, dot);
    return walk(node.body, node.kind == TemplateNode::Kind::With ? value : dot);
  }

  bool walk_range(TemplateNode const& node, TemplateValue const& dot) {
    TemplateValue over;
    if (!evaluate(*node.pipe, dot, over)) return false;
    std::size_t count = 0;
    switch (over.kind) {
      case Type::List:
      case Type::Map: count = over.data.size(); break;
      case Type::Integer:
        count = static_cast<std::size_t>(std::max<std::int64_t>(over.integer, 0));
        break;
      case Type::Missing:
      case Type::Nil: break;
      case Type::Boolean:
      case Type::Float:
      case Type::Text:
      case Type::Number: return fail("range can't iterate over " + std::string{over.type_name()});
    }
    if (count == 0) return walk(node.otherwise, dot);
    auto const outer = variables_.size();
    for (std::size_t i = 0; i < count; ++i) {
      variables_.resize(outer);
      // Also where the body is empty.
      if (!call_.budget.charge()) return false;
      if (!walk_item(node, over, i)) return false;
      if (std::exchange(jump_, Jump::None) == Jump::Break) break;
    }
    return true;
  }

  bool walk_item(TemplateNode const& node, TemplateValue const& over, std::size_t index) {
    auto key = TemplateValue::of(static_cast<std::int64_t>(index));
    auto value = key;
    if (over.kind == Type::List) value = settled(TemplateValue::of(over.data.items()[index]));
    if (over.kind == Type::Map) {
      auto const& entry = over.data.entries()[index];
      key = TemplateValue::of(entry.key);
      value = settled(TemplateValue::of(entry.value));
    }
    auto const& names = node.pipe->variables;
    if (names.size() == 1) bind(*node.pipe, names[0], value);
    if (names.size() == 2) {
      bind(*node.pipe, names[0], key);
      bind(*node.pipe, names[1], value);
    }
    return walk(node.body, value);
  }

  void bind(TemplatePipe const& pipe, std::string_view name, TemplateValue const& value) {
    auto* const known = pipe.declares ? nullptr : find_variable(name);
    if (known != nullptr) {
      *known = value;
    } else {
      variables_.push_back({name, value});
    }
  }

  bool call_template(TemplateNode const& node, TemplateValue const& dot) {
    auto const found = templates_.find(node.text);
    if (found == templates_.end()) return fail("template \"" + node.text + "\" not defined");
    if (depth_ == kDeepestCall) return fail("exceeded maximum template depth");
    TemplateValue value;
    if (node.pipe && !evaluate(*node.pipe, dot, value)) return false;
    auto outer = std::exchange(variables_, {});
    variables_.push_back({"$", value});
    ++depth_;
    auto const walked = walk(found->second, value);
    --depth_;
    variables_ = std::move(outer);
    return walked;
  }

  bool evaluate(TemplatePipe const& pipe, TemplateValue const& dot, TemplateValue& result) {
    for (std::size_t i = 0; i < pipe.commands.size(); ++i) {
      TemplateValue value;
      if (!run_command(pipe.commands[i], dot, i == 0 ? nullptr : &result, value)) return false;
      result = settled(value);
    }
    return true;
  }

  // `last` is what comes through the pipe, the last argument of a function.
  bool run_command(TemplateCommand const& command, TemplateValue const& dot,
                   TemplateValue const* last, TemplateValue& result) {
    auto const& first = command.front();
    if (first.kind != TemplateOperand::Kind::Function) {
      if (command.size() > 1 || last != nullptr) return fail("can't give argument to non-function");
      return evaluate_operand(first, dot, result);
    }
    if (first.text == "and" || first.text == "or") return choose(command, dot, last, result);
    std::vector<TemplateValue> arguments;
    for (std::size_t i = 1; i < command.size(); ++i) {
      if (!evaluate_operand(command[i], dot, arguments.emplace_back())) return false;
    }
    if (last != nullptr) arguments.push_back(*last);
    std::string why;
    if (!call_template_function(call_, first.text, arguments, result, why)) return fail(why);
    return follow(first, result);
  }

  // The first operand that decides; the ones behind it are not looked at.
  bool choose(TemplateCommand const& command, TemplateValue const& dot, TemplateValue const* last,
              TemplateValue& result) {
    auto const decides = command.front().text == "or";
    if (command.size() == 1 && last == nullptr)
      return fail("wrong number of args for " + command.front().text + ": want at least 1 got 0");
    for (std::size_t i = 1; i < command.size(); ++i) {
      if (!evaluate_operand(command[i], dot, result)) return false;
      if (result.is_true() == decides) return true;
    }
    if (last != nullptr) result = *last;
    return true;
  }

  bool evaluate_operand(TemplateOperand const& operand, TemplateValue const& dot,
                        TemplateValue& result) {
    if (!call_.budget.charge()) return false;
    switch (operand.kind) {
      case TemplateOperand::Kind::Dot: result = dot; break;
      case TemplateOperand::Kind::Nil: result = {Type::Nil, 0, 0, {}}; break;
      case TemplateOperand::Kind::Boolean: result = TemplateValue::of(operand.boolean); break;
      case TemplateOperand::Kind::Integer: result = TemplateValue::of(operand.integer); break;
      case TemplateOperand::Kind::Float: result = {Type::Float, 0, operand.real, {}}; break;
      case TemplateOperand::Kind::Text: result = TemplateValue::text(operand.text); break;
      case TemplateOperand::Kind::Variable: {
        auto const* const variable = find_variable(operand.text);
        if (variable == nullptr) return fail("undefined variable: " + operand.text);
        result = *variable;
        break;
      }
      case TemplateOperand::Kind::Pipe:
        if (!evaluate(*operand.pipe, dot, result)) return false;
        break;
      case TemplateOperand::Kind::Function: {
        std::string why;
        if (!call_template_function(call_, operand.text, {}, result, why)) return fail(why);
        break;
      }
    }
    return follow(operand, result);
  }

  bool follow(TemplateOperand const& operand, TemplateValue& value) {
    for (auto const& field : operand.fields) {
      switch (value.kind) {
        case Type::Map: value = template_field(value, field); break;
        case Type::Missing: break;
        case Type::Nil: return fail("nil pointer evaluating interface {}." + field);
        case Type::Boolean:
        case Type::Integer:
        case Type::Float:
        case Type::Text:
        case Type::Number:
        case Type::List:
          return fail("can't evaluate field " + field + " in type " +
                      std::string{value.type_name()});
      }
    }
    return true;
  }

  BuiltinCall& call_;
  Templates const& templates_;
  TextBuilder& out_;
  std::string& error_;
  std::vector<Variable> variables_;
  Jump jump_{Jump::None};
  int depth_{0};
  int line_{1};
};

}  // namespace

bool render_template(BuiltinCall& call, Templates const& templates, Value data, TextBuilder& out,
                     std::string& error) {
  return Renderer{call, templates, out, error}.run(data);
}

}  // namespace sallyport::rego::builtins
