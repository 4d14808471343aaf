#include "src/content/html/tokenizer.hpp"

#include "src/content/html/characters.hpp"

#include <algorithm>
#include <cstring>

namespace sallyport::content::html {
namespace {

constexpr auto npos = std::string_view::npos;
constexpr std::size_t kMaxAttributes = 256;

bool ends_tag_name(char c) noexcept {
  return is_space(c) || c == '/' || c == '>';
}

// Whether "<script" or "</script" stands at `at`.
bool is_script_tag(std::string_view input, std::size_t at, std::string_view opening) noexcept {
  return equal_ignoring_case(input.substr(at, opening.size()), opening) &&
         at + opening.size() < input.size() && ends_tag_name(input[at + opening.size()]);
}

}  // namespace

bool Tokenizer::next(Token& token) {
  while (position_ < input_.size()) {
    auto step = Step::Nothing;
    switch (state_) {
      case TextState::Data: {
        auto const c = input_[position_];
        step = c == '<'   ? markup(token)
               : c == '&' ? reference(token)
                          : text(token, next_less_than());
        break;
      }
      case TextState::Rcdata: step = rcdata(token); break;
      case TextState::RawText:
      case TextState::Script:
      case TextState::Plaintext: step = raw_text(token); break;
    }
    if (step == Step::Token) return true;
  }
  return false;
}

void Tokenizer::enter(TextState state, Element element, std::string_view name) noexcept {
  state_ = state;
  raw_name_ = element == Element::Script ? std::string_view{"script"} : name;
}

// Remembered, or a flood of '&' without a '<' would look for it again each time.
std::size_t Tokenizer::next_less_than() noexcept {
  if (!less_than_known_ || less_than_ < position_) {
    less_than_ = std::min(input_.find('<', position_), input_.size());
    less_than_known_ = true;
  }
  return less_than_;
}

std::size_t Tokenizer::less_than_after(std::size_t position) noexcept {
  less_than_ = std::min(input_.find('<', position + 1), input_.size());
  less_than_known_ = true;
  return less_than_;
}

Tokenizer::Step Tokenizer::text(Token& token, std::size_t end) {
  // The first character is text, whatever it is.
  auto const from = position_ + 1;
  auto const* const found =
      from < end ? std::memchr(input_.data() + from, '&', end - from) : nullptr;
  if (found != nullptr) {
    end = static_cast<std::size_t>(static_cast<char const*>(found) - input_.data());
  }
  token.kind = Token::Kind::Text;
  token.text = input_.substr(position_, end - position_);
  position_ = end;
  return Step::Token;
}

Tokenizer::Step Tokenizer::reference(Token& token) {
  reference_ = read_character_reference(input_.substr(position_), ReferencePlace::Text);
  if (reference_.length == 0) return text(token, next_less_than());
  token.kind = Token::Kind::Text;
  token.text = reference_.characters();
  position_ += reference_.length;
  return Step::Token;
}

Tokenizer::Step Tokenizer::markup(Token& token) {
  auto const c = at(position_ + 1);
  if (is_letter(c)) return tag(token, Token::Kind::StartTag, position_ + 1);
  if (c == '!') return markup_declaration(token);
  if (c == '?') return skip_past(">");
  if (c == '/' && position_ + 2 < input_.size()) {
    if (is_letter(input_[position_ + 2])) return tag(token, Token::Kind::EndTag, position_ + 2);
    return skip_past(">");
  }
  return text(token, less_than_after(position_));
}

Tokenizer::Step Tokenizer::markup_declaration(Token& token) {
  if (input_.substr(position_, 4) == "<!--") return comment();
  constexpr std::string_view kCdata = "<![CDATA[";
  if (!foreign_ || input_.substr(position_, kCdata.size()) != kCdata) return skip_past(">");
  auto const start = position_ + kCdata.size();
  auto const end = std::min(input_.find("]]>", start), input_.size());
  token.kind = Token::Kind::Text;
  token.text = input_.substr(start, end - start);
  position_ = std::min(end + 3, input_.size());
  return token.text.empty() ? Step::Nothing : Step::Token;
}

Tokenizer::Step Tokenizer::comment() {
  auto const start = position_ + 4;
  if (at(start) == '>') {
    position_ = start + 1;
    return Step::Nothing;
  }
  if (at(start) == '-' && at(start + 1) == '>') {
    position_ = start + 2;
    return Step::Nothing;
  }
  for (auto dashes = input_.find("--", start); dashes != npos;
       dashes = input_.find("--", dashes + 1)) {
    auto const after = dashes + 2;
    if (at(after) == '>' || (at(after) == '!' && at(after + 1) == '>')) {
      position_ = after + (at(after) == '>' ? 1 : 2);
      return Step::Nothing;
    }
  }
  position_ = input_.size();
  return Step::Nothing;
}

Tokenizer::Step Tokenizer::skip_past(std::string_view terminator) {
  auto const end = input_.find(terminator, position_);
  position_ = end == npos ? input_.size() : end + terminator.size();
  return Step::Nothing;
}

Tokenizer::Step Tokenizer::tag(Token& token, Token::Kind kind, std::size_t name_start) {
  auto end = name_start;
  while (end < input_.size() && !ends_tag_name(input_[end])) ++end;
  token.kind = kind;
  token.text = input_.substr(name_start, end - name_start);
  token.element = element_named(token.text);
  token.self_closing = false;
  token.attributes.clear();
  position_ = end;
  for (std::size_t count = 0;; ++count) {
    position_ = skip_spaces(position_);
    if (position_ >= input_.size()) return Step::Nothing;  // not finished: no tag
    auto const c = input_[position_];
    if (c == '>') break;
    if (c == '/') {
      token.self_closing = at(position_ + 1) == '>';
      ++position_;
      continue;
    }
    auto const wanted = kind == Token::Kind::StartTag && count < kMaxAttributes;
    if (!attribute(wanted ? &token.attributes : nullptr)) return Step::Nothing;
  }
  ++position_;
  return Step::Token;
}

// False when the input ends before the tag does.
bool Tokenizer::attribute(Attributes* attributes) {
  auto end = position_ + 1;  // whatever stands first belongs to the name, even '='
  while (end < input_.size() && !ends_tag_name(input_[end]) && input_[end] != '=') ++end;
  auto const name = input_.substr(position_, end - position_);
  position_ = skip_spaces(end);
  std::string_view value;
  if (at(position_) == '=') {
    position_ = skip_spaces(position_ + 1);
    if (position_ >= input_.size()) return false;
    value = attribute_value();
  }
  if (attributes != nullptr) attributes->add(name, value);
  return position_ < input_.size();
}

std::string_view Tokenizer::attribute_value() {
  auto const quote = input_[position_];
  auto end = position_;
  if (quote == '"' || quote == '\'') {
    auto const start = position_ + 1;
    end = std::min(input_.find(quote, start), input_.size());
    position_ = std::min(end + 1, input_.size());
    return input_.substr(start, end - start);
  }
  while (end < input_.size() && !is_space(input_[end]) && input_[end] != '>') ++end;
  auto const value = input_.substr(position_, end - position_);
  position_ = end;
  return value;
}

bool Tokenizer::is_end_tag_of_raw(std::size_t at_less_than) const noexcept {
  auto const after = at_less_than + 2 + raw_name_.size();
  if (after >= input_.size() || input_[at_less_than + 1] != '/') return false;
  auto const name = input_.substr(at_less_than + 2, raw_name_.size());
  return ends_tag_name(input_[after]) &&
         std::equal(name.begin(), name.end(), raw_name_.begin(),
                    [](char left, char right) { return to_lower(left) == to_lower(right); });
}

Tokenizer::Step Tokenizer::rcdata(Token& token) {
  if (input_[position_] == '&') return reference(token);
  auto const less_than = next_less_than();
  if (less_than != position_) return text(token, less_than);
  if (is_end_tag_of_raw(position_)) {
    state_ = TextState::Data;
    return Step::Nothing;
  }
  return text(token, less_than_after(position_));
}

Tokenizer::Step Tokenizer::raw_text(Token& token) {
  auto const end = state_ == TextState::Plaintext ? input_.size()
                   : state_ == TextState::Script  ? script_end()
                                                  : raw_text_end();
  token.kind = Token::Kind::Text;
  token.text = input_.substr(position_, end - position_);
  position_ = end;
  state_ = TextState::Data;
  return token.text.empty() ? Step::Nothing : Step::Token;
}

std::size_t Tokenizer::raw_text_end() const noexcept {
  for (auto end = input_.find('<', position_); end != npos; end = input_.find('<', end + 1)) {
    if (is_end_tag_of_raw(end)) return end;
  }
  return input_.size();
}

// A script that is inside "<!--" may hold a "<script>…</script>" of its own.
std::size_t Tokenizer::script_end() const noexcept {
  enum class State : std::uint8_t { Plain, Escaped, DoubleEscaped };
  auto state = State::Plain;
  for (auto i = position_; i < input_.size(); ++i) {
    if (state == State::Plain) {
      i = input_.find('<', i);
      if (i == npos) break;
    }
    if (input_[i] == '-') {
      if (state != State::Plain && input_.substr(i, 3) == "-->") state = State::Plain;
    } else if (input_[i] == '<') {
      if (is_script_tag(input_, i, "</script")) {
        if (state != State::DoubleEscaped) return i;
        state = State::Escaped;
      } else if (state == State::Plain && input_.substr(i, 4) == "<!--") {
        state = State::Escaped;
        ++i;  // the dashes may belong to the "-->" as well
      } else if (state == State::Escaped && is_script_tag(input_, i, "<script")) {
        state = State::DoubleEscaped;
      }
    }
  }
  return input_.size();
}

std::size_t Tokenizer::skip_spaces(std::size_t at_position) const noexcept {
  while (at_position < input_.size() && is_space(input_[at_position])) ++at_position;
  return at_position;
}

}  // namespace sallyport::content::html
