// Terms as text, for messages.
#include "src/rego/check/context.hpp"
#include "src/rego/json.hpp"

#include <string>

namespace sallyport::rego::check {
namespace {

bool is_plain_key(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  for (auto const c : text) {
    auto const plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (!plain) return false;
  }
  return true;
}

class Printer {
 public:
  explicit Printer(Context const& context) : context_{context} {}

  void add(Term const& term) {
    switch (term.kind) {
      case TermKind::Constant: text += to_rego(term.value); return;
      case TermKind::Var: add_var(term); return;
      case TermKind::Ref: add_ref(term); return;
      case TermKind::Call: add_call(term, term.items.size()); return;
      case TermKind::Array: add_list("[", term, 0, "]"); return;
      case TermKind::Set:
        if (term.items.empty())
          text += "set()";
        else
          add_list("{", term, 0, "}");
        return;
      case TermKind::Object: add_object(term); return;
      case TermKind::ArrayOf: add_comprehension("[", term, "]"); return;
      case TermKind::SetOf:
      case TermKind::ObjectOf: add_comprehension("{", term, "}"); return;
      case TermKind::Template: text += "$\"…\""; return;
    }
  }

  std::string text;

 private:
  void add_var(Term const& var) {
    auto const subject = context_.subjects.find(var.name);
    if (subject == context_.subjects.end()) {
      auto const original = context_.original(var.name);
      text += is_wildcard(original) ? "_" : original;
    } else if (subject->second->kind == TermKind::Call) {
      // Its last operand is the variable itself.
      add_call(*subject->second, subject->second->items.size() - 1);
    } else {
      add(*subject->second);
    }
  }

  void add_call(Term const& call, std::size_t end) {
    add(*call.items[0]);
    text += '(';
    for (std::size_t i = 1; i < end; ++i) {
      if (i > 1) text += ", ";
      add(*call.items[i]);
    }
    text += ')';
  }

  void add_ref(Term const& ref) {
    add(*ref.items[0]);
    for (std::size_t i = 1; i < ref.items.size(); ++i) {
      auto const& item = *ref.items[i];
      if (is_scalar(item) && item.value.is(Kind::String) && is_plain_key(item.value.as_string())) {
        text += '.';
        text += item.value.as_string();
      } else {
        text += '[';
        add(item);
        text += ']';
      }
    }
  }

  void add_list(std::string_view open, Term const& term, std::size_t from, std::string_view close) {
    text += open;
    for (auto i = from; i < term.items.size(); ++i) {
      if (i > from) text += ", ";
      add(*term.items[i]);
    }
    text += close;
  }

  void add_object(Term const& term) {
    text += '{';
    for (std::size_t i = 0; i + 1 < term.items.size(); i += 2) {
      if (i > 0) text += ", ";
      add(*term.items[i]);
      text += ": ";
      add(*term.items[i + 1]);
    }
    text += '}';
  }

  void add_comprehension(std::string_view open, Term const& term, std::string_view close) {
    text += open;
    add(*term.items[0]);
    if (term.kind == TermKind::ObjectOf) {
      text += ": ";
      add(*term.items[1]);
    }
    text += " | …";
    text += close;
  }

  Context const& context_;
};

}  // namespace

std::string to_text(Context const& context, Term const& term) {
  Printer printer{context};
  printer.add(term);
  return std::move(printer.text);
}

std::string path_of(Context const& context, Rule const& rule) {
  Printer printer{context};
  Term whole;
  whole.kind = TermKind::Ref;
  std::vector<Term*> items;
  for (auto* const item : rule.module->package->items) items.push_back(item);
  Term name;
  name.value = Value::string(rule.reference->items[0]->name);
  items.push_back(&name);
  for (std::size_t i = 1; i < rule.reference->items.size(); ++i)
    items.push_back(rule.reference->items[i]);
  whole.items = Terms{std::span<Term*>{items}};
  printer.add(whole);
  return std::move(printer.text);
}

}  // namespace sallyport::rego::check
