#include "src/rego/format.hpp"

#include "src/rego/format_core.hpp"
#include "src/rego/print.hpp"

#include <algorithm>

namespace sallyport::rego {

using ast::Import;
using ast::Term;

namespace {

// `import future.keywords` and `import future.keywords.if`.
bool imports_if(Import const& import) {
  auto const& path = import.path->items;
  return path[0]->name == "future" && (path.size() == 2 || path.back()->value.as_string() == "if");
}

bool says_metadata(ast::Comment const& comment) {
  auto const begin = comment.text.find_first_not_of(" \t");
  return begin != std::string_view::npos && comment.text.substr(begin).starts_with("METADATA");
}

}  // namespace

Formatter::Formatter(ast::Module const& module, std::string_view source)
    : module_{module}, source_{source}, line_starts_{0} {
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\n') line_starts_.push_back(i + 1);
  }
  groups_lines_ = module.v1 || std::ranges::any_of(module.imports, imports_if);
  has_long_heads_ = std::ranges::any_of(module.rules, [](ast::Rule const* rule) {
    auto const parts = rule->reference->items.size();
    return parts > 2 || (parts == 2 && rule->kind == ast::RuleKind::Contains);
  });
}

std::string Formatter::format() {
  package();
  imports_and_rules();
  auto const last_row = module_.comments.empty() || next_comment_ == 0
                            ? std::uint32_t{0}
                            : module_.comments[next_comment_ - 1].at.row;
  leading_comments(source_.size() + 1, last_row);
  while (out_.ends_with('\n')) out_.pop_back();
  out_ += '\n';
  return std::move(out_);
}

void Formatter::roll_back(Checkpoint const& mark) {
  out_.resize(mark.size);
  next_comment_ = mark.comment;
  level_ = mark.level;
}

void Formatter::new_line() {
  if (!out_.empty() && !out_.ends_with('\n')) out_ += '\n';
}

void Formatter::start_line() {
  new_line();
  out_.append(static_cast<std::size_t>(level_), '\t');
}

void Formatter::blank_line() {
  new_line();
  if (!out_.empty() && !out_.ends_with("\n\n")) out_ += '\n';
}

std::uint32_t Formatter::row_of(std::size_t offset) const {
  auto const found = std::ranges::upper_bound(line_starts_, offset);
  return static_cast<std::uint32_t>(found - line_starts_.begin());
}

std::uint32_t Formatter::end_row(Location const& at) const {
  return row_of(end_of(at) - (at.length == 0 ? 0 : 1));
}

bool Formatter::has_comment_between(std::size_t begin, std::size_t end) const {
  auto const found = std::ranges::lower_bound(
      module_.comments, begin, {}, [](ast::Comment const& comment) { return comment.at.offset; });
  return found != module_.comments.end() && found->at.offset < end;
}

bool Formatter::has_comment_before(std::size_t offset) const {
  return next_comment_ < module_.comments.size() &&
         module_.comments[next_comment_].at.offset < offset;
}

namespace {

std::string_view without_space_behind(std::string_view text) {
  auto const last = text.find_last_not_of(" \t\r\f\v");
  return last == std::string_view::npos ? std::string_view{} : text.substr(0, last + 1);
}

}  // namespace

void Formatter::trailing_comment(std::uint32_t row, std::size_t limit) {
  if (!has_comment_before(limit) || module_.comments[next_comment_].at.row != row) return;
  out_ += " #";
  out_ += without_space_behind(module_.comments[next_comment_++].text);
}

void Formatter::as_it_was(Location const& at) {
  write(text_of(at));
  if (has_comment_before(at.offset)) return;
  while (has_comment_before(end_of(at))) ++next_comment_;
}

void Formatter::leading_comments(std::size_t offset, std::uint32_t row) {
  auto any = false;
  auto in_metadata = false;
  for (; has_comment_before(offset); ++next_comment_) {
    auto const& comment = module_.comments[next_comment_];
    if (row != 0 && comment.at.row > row + 1 && !out_.ends_with("{\n") && !out_.ends_with("[\n")) {
      blank_line();
    }
    if (comment.at.row > row + 1) in_metadata = false;
    // Blocks of metadata stand alone, and only what is in the first column is one.
    auto const starts_block = comment.at.column == 1 && says_metadata(comment);
    auto const in_block = starts_block || (in_metadata && comment.at.column == 1);
    if (in_metadata && (starts_block || !in_block)) blank_line();
    in_metadata = in_block;
    if (in_block) {
      new_line();
    } else {
      start_line();
      if (level_ == 0 && says_metadata(comment)) out_ += '\t';
    }
    out_ += '#';
    out_ += without_space_behind(comment.text);
    row = comment.at.row;
    any = true;
  }
  if (!any) return;
  new_line();
  if (offset < source_.size() && row_of(offset) > row + 1) blank_line();
}

void Formatter::path(Term const& ref, std::size_t first) {
  for (auto i = first; i < ref.items.size(); ++i) {
    auto const& part = *ref.items[i];
    if (i == first) {
      write(part.kind == ast::TermKind::Var ? part.name : part.value.as_string());
    } else {
      reference_part(part);
    }
  }
}

void Formatter::package() {
  leading_comments(module_.at.offset, 0);
  write("package ");
  path(*module_.package, 1);
  trailing_comment(end_row(module_.at), source_.size());
  blank_line();
}

void Formatter::import_group(std::span<Import const> group) {
  leading_comments(group.front().at.offset, 0);
  struct Line {
    Import const* import;
    std::string comment;
  };
  std::vector<Line> lines;
  for (auto const& import : group) {
    // The comments are taken in the order of the source, before the imports are sorted.
    auto const before = out_.size();
    trailing_comment(end_row(import.at), source_.size());
    lines.push_back({&import, out_.substr(before)});
    out_.resize(before);
  }
  std::ranges::sort(lines, [](Line const& left, Line const& right) {
    auto const& a = left.import->path->items;
    auto const& b = right.import->path->items;
    auto const text = [](Term const* part) {
      return part->kind == ast::TermKind::Var ? part->name : part->value.as_string();
    };
    auto const order = std::lexicographical_compare_three_way(
        a.begin(), a.end(), b.begin(), b.end(),
        [&](Term const* x, Term const* y) { return text(x) <=> text(y); });
    return order != 0 ? order < 0 : left.import->alias < right.import->alias;
  });
  for (auto const& [import, comment] : lines) {
    start_line();
    write("import ");
    path(*import->path, 0);
    if (!import->alias.empty()) {
      write(" as ");
      write(import->alias);
    }
    write(comment);
  }
  blank_line();
}

// In the order of the source: imports may stand between rules.
void Formatter::imports_and_rules() {
  std::size_t import = 0;
  std::size_t rule = 0;
  auto const& imports = module_.imports;
  auto const& all_rules = module_.rules;
  while (import < imports.size() || rule < all_rules.size()) {
    auto const import_offset =
        import < imports.size() ? imports[import].at.offset : source_.size() + 1;
    auto const first_rule = rule;
    while (rule < all_rules.size() && all_rules[rule]->at.offset < import_offset) ++rule;
    rules({all_rules.begin() + first_rule, all_rules.begin() + rule});
    if (import == imports.size()) continue;
    auto const rule_offset = rule < all_rules.size() ? all_rules[rule]->at.offset : source_.size();
    auto const first = import++;
    while (import < imports.size() && imports[import].at.offset < rule_offset &&
           imports[import].at.row <= imports[import - 1].at.row + 1) {
      ++import;
    }
    import_group({imports.begin() + first, imports.begin() + import});
  }
}

std::string format_module(ast::Module const& module, std::string_view source) {
  return Formatter{module, source}.format();
}

}  // namespace sallyport::rego
