#include "src/audit/mask.hpp"

#include "src/base/ascii.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace sallyport::audit {
namespace {

constexpr std::string_view kMask = "***";

bool equal_ignoring_case(std::string_view left, std::string_view right) {
  return std::ranges::equal(left, right, [](char a, char b) { return to_lower(a) == to_lower(b); });
}

bool is_alphanumeric(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Calls `use` with each part of `text` between `separator`s.
template <class Use>
void for_each_part(std::string_view text, char separator, Use const& use) {
  for (;;) {
    auto const end = text.find(separator);
    use(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

std::string decoded(std::string_view text) {
  auto const hex = [](char c) -> int {
    if (is_digit(c)) return c - '0';
    auto const letter = to_lower(c);
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
  };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex(text[i + 1]) >= 0 && hex(text[i + 2]) >= 0) {
      out += static_cast<char>(hex(text[i + 1]) * 16 + hex(text[i + 2]));
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

std::string masked_query(std::string_view query, MaskRule const& rule) {
  std::string out;
  for_each_part(query, '&', [&](std::string_view part) {
    if (!out.empty()) out += '&';
    auto const equals = part.find('=');
    // Without a name, what is there is the value: "?SECRET".
    if (equals == std::string_view::npos) {
      out += part.empty() ? "" : kMask;
      return;
    }
    auto const name = part.substr(0, equals);
    bool const shown = std::ranges::any_of(rule.shown_parameters, [&](auto const& allowed) {
      return equal_ignoring_case(allowed, decoded(name));
    });
    // A token may also stand where a name should.
    out += looks_like_a_secret(decoded(name)) ? kMask : name;
    out += '=';
    auto const value = part.substr(equals + 1);
    if (!value.empty()) out += shown ? value : kMask;
  });
  return out;
}

std::string masked_path(std::string_view path) {
  std::string out;
  bool first = true;
  for_each_part(path, '/', [&](std::string_view segment) {
    if (!first) out += '/';
    first = false;
    out += looks_like_a_secret(decoded(segment)) ? kMask : segment;
  });
  return out;
}

// Bits per character, by how often each occurs.
double entropy(std::string_view text) {
  std::array<std::size_t, 256> counts{};
  for (char const c : text) ++counts[static_cast<unsigned char>(c)];
  double bits = 0;
  for (auto const count : counts) {
    if (count == 0) continue;
    double const share = static_cast<double>(count) / static_cast<double>(text.size());
    bits -= share * std::log2(share);
  }
  return bits;
}

// "eyJ…" is how base64url writes the `{"` of a JOSE header.
bool is_jwt(std::string_view text) {
  return text.starts_with("eyJ") && text.find('.') != std::string_view::npos;
}

bool has_key_prefix(std::string_view text) {
  constexpr std::array<std::string_view, 12> kPrefixes = {
      "ghp_",  "gho_", "ghs_",     "github_pat_", "glpat-", "xoxb-",
      "xoxp-", "sk-",  "sk_live_", "sk_test_",    "AKIA",   "AIza"};
  return text.size() >= 16 && std::ranges::any_of(kPrefixes, [&](std::string_view prefix) {
           return text.starts_with(prefix);
         });
}

// 8-4-4-4-12 hex digits: names a thing, and operators look for it.
bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool const dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : std::isxdigit(static_cast<unsigned char>(text[i])) == 0) {
      return false;
    }
  }
  return true;
}

// Words joined by dashes ("how-to-write-a-long-title-2024") are as long as tokens, but every piece
// is a word or a number.
bool is_made_of_words(std::string_view text) {
  constexpr std::size_t kLongestWord = 20;
  std::size_t letters = 0;
  std::size_t digits = 0;
  std::size_t capitals = 0;
  auto const is_word = [&] {
    bool const mixed = letters > 0 && digits > 0 && letters + digits > 8;
    return letters + digits <= kLongestWord && !mixed && capitals <= 3;
  };
  for (char const c : text) {
    if (!is_alphanumeric(c)) {
      if (!is_word()) return false;
      letters = digits = capitals = 0;
    } else if (is_digit(c)) {
      ++digits;
    } else {
      ++letters;
      if (std::isupper(static_cast<unsigned char>(c)) != 0) ++capitals;
    }
  }
  return is_word();
}

bool is_token_character(char c) {
  return is_alphanumeric(c) || std::string_view{"-_.~+/=:"}.find(c) != std::string_view::npos;
}

}  // namespace

bool looks_like_a_secret(std::string_view segment) {
  constexpr std::size_t kShortestToken = 20;
  if (is_jwt(segment) || has_key_prefix(segment)) return true;
  if (segment.size() < kShortestToken || is_uuid(segment)) return false;
  if (!std::ranges::all_of(segment, is_token_character)) return false;
  if (is_made_of_words(segment)) return false;
  return entropy(segment) >= 3.0;
}

std::string masked_url(url::Url const& url, MaskRule const& rule) {
  std::string out = url.scheme() + ":";
  if (url.has_opaque_path()) return out.append(kMask);
  if (url.host()) out += "//" + url.authority();
  out += masked_path(url.path());
  if (url.query()) out += "?" + masked_query(*url.query(), rule);
  return out;
}

std::string masked_uri(std::string_view uri, MaskRule const& rule) {
  uri = uri.substr(0, uri.find('#'));
  auto const question = uri.find('?');
  std::string out;
  bool first = true;
  for_each_part(uri.substr(0, question), '/', [&](std::string_view part) {
    if (!first) out += '/';
    first = false;
    auto const user = part.rfind('@');
    if (user != std::string_view::npos && user > 0) {
      out += kMask;
      part.remove_prefix(user);
    }
    out += looks_like_a_secret(decoded(part)) ? kMask : part;
  });
  if (question != std::string_view::npos) out += "?" + masked_query(uri.substr(question + 1), rule);
  return out;
}

std::string masked_text(std::string_view not_a_url) {
  auto const colon = not_a_url.find(':');
  auto const scheme = not_a_url.substr(0, colon == std::string_view::npos ? 0 : colon);
  bool const known =
      scheme.size() <= 12 && !scheme.empty() && std::ranges::all_of(scheme, is_alphanumeric);
  return (known ? std::string{scheme} + ":" : std::string{}).append(kMask);
}

}  // namespace sallyport::audit
