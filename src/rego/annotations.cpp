#include "src/rego/annotations.hpp"

#include "src/rego/build.hpp"
#include "src/rego/number.hpp"
#include "src/rego/yaml_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>

namespace sallyport::rego {
namespace {

using ast::Annotations;
using ast::Comment;
using ast::Rule;

constexpr std::string_view kSpace = " \t\r\f\v";

std::string_view trimmed(std::string_view text) {
  auto const begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

bool starts_block(Comment const& comment) {
  return comment.at.column == 1 && trimmed(comment.text).starts_with("METADATA");
}

void fail(Diagnostics& errors, Location at, std::string message) {
  errors.push_back(
      {.code = Code::Parse, .message = std::move(message), .hint = {}, .file = {}, .at = at});
}

// "Jane Doe <jane@example.com>" as {name, email}.
Value author(Value written, Arena& arena) {
  if (!written.is(Kind::String)) return written;
  auto const text = trimmed(written.as_string());
  ObjectBuilder out{arena, 2};
  auto const last_space = text.find_last_of(kSpace);
  auto const last = last_space == std::string_view::npos ? text : text.substr(last_space + 1);
  auto name = text;
  if (last.size() >= 2 && last.starts_with('<') && last.ends_with('>')) {
    out.add("email", Value::string(last.substr(1, last.size() - 2)));
    name = trimmed(text.substr(0, text.size() - last.size()));
  }
  if (!name.empty()) out.add("name", Value::string(name));
  return out.finish();
}

Value related_resource(Value written, Arena& arena) {
  if (!written.is(Kind::String)) return written;
  ObjectBuilder out{arena, 1};
  out.add("ref", written);
  return out.finish();
}

Value each(Value list, Arena& arena, Value (*change)(Value, Arena&)) {
  if (!list.is(Kind::Array)) return list;
  ArrayBuilder out{arena, list.size()};
  for (auto const item : list.items()) out.add(change(item, arena));
  return out.finish();
}

bool is_empty(Value value) {
  return !value.is_defined() || value.is(Kind::Null) || value.is_false() ||
         ((value.is(Kind::String) || value.is(Kind::Array) || value.is(Kind::Object)) &&
          value.size() == 0);
}

// As rego.metadata.rule() gives it: what is empty is left out, short forms are written out.
Value content_of(Value block, std::string_view scope, Arena& arena) {
  ObjectBuilder out{arena, block.size() + 1};
  out.add("scope", Value::string(scope));
  for (auto const name : {"title", "description", "organizations", "entrypoint", "schemas",
                          "compile", "custom", "labels"}) {
    if (auto const value = get(block, name); !is_empty(value)) out.add(name, value);
  }
  if (auto const value = get(block, "authors"); !is_empty(value)) {
    out.add("authors", each(value, arena, author));
  }
  if (auto const value = get(block, "related_resources"); !is_empty(value)) {
    out.add("related_resources", each(value, arena, related_resource));
  }
  return out.finish();
}

// The statement after a block: the package, an import or a rule.
struct Target {
  bool is_package{false};
  Rule* rule{nullptr};  // null, and no package: an import, or nothing
};

Target target_after(ast::Module const& module, std::uint32_t row) {
  if (module.at.row > row) return {.is_package = true};
  Target best;
  auto best_row = std::numeric_limits<std::uint32_t>::max();
  for (auto const& import : module.imports) {
    if (import.at.row > row) best_row = std::min(best_row, import.at.row);
  }
  for (auto* const rule : module.rules) {
    if (rule->at.row <= row || rule->at.row >= best_row) continue;
    best_row = rule->at.row;
    best.rule = rule;
  }
  return best;
}

std::string_view scope_of(Value block, Target const& target) {
  auto const given = get(block, "scope");
  if (given.is(Kind::String) && given.size() != 0) return given.as_string();
  if (target.is_package) return "package";
  if (target.rule == nullptr) return "import";
  return get(block, "entrypoint").is_true() ? "document" : "rule";
}

// Empty where it is fine.
std::string problem_with(std::string_view scope, Value block, Target const& target) {
  auto const of_rule = scope == "rule" || scope == "document";
  if (!of_rule && scope != "package" && scope != "subpackages") {
    return fmt::format(
        "invalid annotation scope '{}'. Use one of 'rule', 'document', 'package', or "
        "'subpackages'",
        scope);
  }
  if (of_rule && target.rule == nullptr) {
    return fmt::format("annotation scope '{}' must be applied to rule", scope);
  }
  if (!of_rule && !target.is_package) {
    return fmt::format("annotation scope '{}' must be applied to package", scope);
  }
  if (get(block, "entrypoint").is_true() && scope != "document" && scope != "package") {
    return fmt::format("annotation entrypoint applied to non-document or package scope '{}'",
                       scope);
  }
  return {};
}

void attach_block(ast::Module& module, std::span<Comment const> block, Arena& arena,
                  Diagnostics& errors) {
  auto const at = block.front().at;
  std::string yaml;
  for (auto const& line : block.subspan(1)) {
    yaml += line.text.starts_with(' ') ? line.text.substr(1) : line.text;
    yaml += '\n';
  }
  if (yaml.find_first_not_of(" \t\r\n") == std::string::npos) {
    fail(errors, at, "expected METADATA block, found whitespace");
    return;
  }
  auto const parsed = parse_yaml(yaml, arena);
  if (!parsed) {
    fail(errors, at, parsed.error().message);
    return;
  }
  if (!parsed->is(Kind::Object)) {
    fail(errors, at, "a METADATA block must be an object in YAML");
    return;
  }
  auto const target = target_after(module, at.row);
  auto const scope = scope_of(*parsed, target);
  if (auto problem = problem_with(scope, *parsed, target); !problem.empty()) {
    fail(errors, at, std::move(problem));
    return;
  }
  module.annotations.push_back(arena, {.at = at,
                                       .scope = scope,
                                       .content = content_of(*parsed, scope, arena),
                                       .rule = target.rule});
}

}  // namespace

void attach_annotations(ast::Module& module, Arena& arena, Diagnostics& errors) {
  auto const& comments = module.comments;
  for (std::size_t i = 0; i < comments.size();) {
    auto const begin = i++;
    if (!starts_block(comments[begin])) continue;
    while (i < comments.size() && comments[i].at.column == 1 &&
           comments[i].at.row == comments[i - 1].at.row + 1 && !starts_block(comments[i])) {
      ++i;
    }
    attach_block(module, {comments.begin() + begin, comments.begin() + i}, arena, errors);
  }
}

}  // namespace sallyport::rego
