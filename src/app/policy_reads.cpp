#include "src/app/policy_reads.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>

namespace sallyport::app {
namespace {

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string_view word_at_front(std::string_view text) {
  auto const end = std::ranges::find_if_not(text, is_word_character);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

// Whether `after` goes on with one of these members.
bool goes_on_with(std::string_view after, std::initializer_list<std::string_view> members) {
  if (!after.starts_with('.')) return false;
  return std::ranges::find(members, word_at_front(after.substr(1))) != members.end();
}

// A member by its name, which is looked at as a word of its own.
bool names_a_member(std::string_view after) {
  if (after.starts_with("[\"") || after.starts_with("[`")) return true;
  return after.starts_with('.') && !word_at_front(after.substr(1)).empty();
}

// Comments that have a line for themselves. Others stay: '#' may also stand in a text.
std::string without_comments(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    auto const line = text.substr(0, text.find('\n'));
    auto const first = line.find_first_not_of(" \t\r");
    if (first != std::string_view::npos && line[first] != '#') out.append(line) += '\n';
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return out;
}

}  // namespace

std::string_view name_of(Unrecorded what) noexcept {
  switch (what) {
    case Unrecorded::HeaderValues: return "header_values";
    case Unrecorded::MaskedUrl: return "masked_url";
    case Unrecorded::Scopes: return "scopes";
    case Unrecorded::InjectionFailed: return "injection_failed";
    case Unrecorded::Session: return "session";
  }
  return "";
}

std::string_view in_words(Unrecorded what) noexcept {
  switch (what) {
    case Unrecorded::HeaderValues: return "values of headers";
    case Unrecorded::MaskedUrl: return "masked parts of the URL";
    case Unrecorded::Scopes: return "scopes of the principal";
    case Unrecorded::InjectionFailed: return "whether a credential could not be had";
    case Unrecorded::Session: return "the whole id of the session";
  }
  return "";
}

PolicyReads PolicyReads::of(policy::RegoFiles const& files) {
  PolicyReads reads;
  for (auto const& source : files.sources) reads.look_at(without_comments(source.text));
  return reads;
}

void PolicyReads::look_at(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    auto const word = word_at_front(text.substr(at));
    if (!word.empty()) look_at_word(word, text.substr(0, at), text.substr(at + word.size()));
    at += std::max<std::size_t>(word.size(), 1);
  }
}

void PolicyReads::look_at_word(std::string_view word, std::string_view before,
                               std::string_view after) {
  if (word == "input" && !names_a_member(after)) reads_.fill(true);
  if (word == "headers" && !before.ends_with("injection.")) add(Unrecorded::HeaderValues);
  if (word == "url") add(Unrecorded::MaskedUrl);
  if (word == "url_parsed" && !goes_on_with(after, {"scheme", "host", "port"})) {
    add(Unrecorded::MaskedUrl);
  }
  if (word == "principal" && !goes_on_with(after, {"id", "issuer"})) add(Unrecorded::Scopes);
  if (word == "injection" && !goes_on_with(after, {"headers"})) add(Unrecorded::InjectionFailed);
  if (word == "session") add(Unrecorded::Session);
}

}  // namespace sallyport::app
