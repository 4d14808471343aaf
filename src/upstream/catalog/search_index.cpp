#include "src/upstream/catalog/search_index.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace sallyport::upstream {
namespace {

// Scripts that are written without spaces begin about here: radicals, kana, ideographs, Hangul.
constexpr std::uint32_t kFirstUnspaced = 0x2E80;
// What comes after that tells nothing new, and whoever stuffs a description with words gains
// little.
constexpr std::size_t kIndexedBytes = 4096;
constexpr std::size_t kMostPrefixWords = 64;
constexpr std::size_t kMostQueryWords = 32;

constexpr float kNameWeight = 3;
constexpr float kTitleWeight = 2;
constexpr float kTextWeight = 1;

class WordSplitter {
 public:
  explicit WordSplitter(std::string_view text) : text_{text} {}

  std::vector<std::string> split() {
    while (at_ < text_.size()) {
      auto const c = static_cast<unsigned char>(text_[at_]);
      if (c < 0x80) {
        take_ascii(static_cast<char>(c));
        ++at_;
      } else {
        take_other();
      }
    }
    end_word();
    return std::move(words_);
  }

 private:
  void take_ascii(char c) {
    bool const is_upper = c >= 'A' && c <= 'Z';
    bool const is_word = is_upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    before_unspaced_.clear();
    if (!is_word) return end_word();
    if (is_upper && after_lower_) end_word();
    word_ += is_upper ? static_cast<char>(c - 'A' + 'a') : c;
    after_lower_ = !is_upper;
  }

  // A character of several bytes: part of a word, or one of those that stand for themselves.
  void take_other() {
    auto end = at_ + 1;
    while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0U) == 0x80U) ++end;
    auto const character = text_.substr(at_, end - at_);
    at_ = end;
    after_lower_ = false;
    if (!is_unspaced(character)) {
      before_unspaced_.clear();
      word_ += character;
      return;
    }
    end_word();
    if (before_unspaced_.empty()) words_.emplace_back(character);
    if (!before_unspaced_.empty()) words_.push_back(before_unspaced_ + std::string{character});
    before_unspaced_ = character;
  }

  static bool is_unspaced(std::string_view character) {
    if (character.size() < 3) return false;
    if (character.size() > 3) return true;
    auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
    auto const value = (byte(0) & 0x0FU) << 12U | (byte(1) & 0x3FU) << 6U | (byte(2) & 0x3FU);
    return value >= kFirstUnspaced;
  }

  void end_word() {
    after_lower_ = false;
    if (word_.empty()) return;
    // The plural finds the singular, and the other way round.
    if (word_.size() > 3 && word_.ends_with('s') && !word_.ends_with("ss")) word_.pop_back();
    words_.push_back(std::exchange(word_, {}));
  }

  std::string_view text_;
  std::size_t at_{0};
  std::string word_;
  std::string before_unspaced_;
  bool after_lower_{false};
  std::vector<std::string> words_;
};

// The names of the arguments, one level deep.
std::string argument_names(json::Object const& input_schema) {
  std::string names;
  auto const* const properties = json::find_object(input_schema, "properties");
  if (properties == nullptr) return names;
  for (auto const& each : *properties) {
    names += each.key();
    names += ' ';
  }
  return names;
}

}  // namespace

std::vector<std::string> search_words(std::string_view text) {
  return WordSplitter{text}.split();
}

SearchIndex::SearchIndex(std::shared_ptr<mcp::Registry const> registry)
    : registry_{std::move(registry)} {
  if (registry_ == nullptr) return;
  auto const& tools = registry_->tools();
  lengths_.resize(tools.size());
  for (std::size_t i = 0; i < tools.size(); ++i) add(static_cast<std::uint32_t>(i), tools[i].tool);
  auto const total = std::accumulate(lengths_.begin(), lengths_.end(), 0.0);
  if (total > 0) mean_length_ = total / static_cast<double>(lengths_.size());
}

void SearchIndex::add(std::uint32_t position, mcp::Tool const& tool) {
  std::unordered_map<std::string, float> weights;
  auto const count = [&](std::string_view text, float weight) {
    for (auto& word : search_words(text.substr(0, kIndexedBytes))) {
      weights[std::move(word)] += weight;
    }
  };
  count(tool.name, kNameWeight);
  count(tool.title, kTitleWeight);
  count(tool.description, kTextWeight);
  count(argument_names(tool.input_schema), kTextWeight);
  for (auto const& [word, weight] : weights) {
    words_[word].push_back({position, weight});
    lengths_[position] += weight;
  }
}

void SearchIndex::score(Postings const& postings, std::vector<double>& scores) const {
  constexpr double kSaturation = 1.2;
  constexpr double kLengthMatters = 0.75;
  auto const tools = static_cast<double>(lengths_.size());
  auto const having = static_cast<double>(postings.size());
  auto const rarity = std::log(1 + (tools - having + 0.5) / (having + 0.5));
  for (auto const& [tool, weight] : postings) {
    auto const relative_length = static_cast<double>(lengths_[tool]) / mean_length_;
    auto const often = static_cast<double>(weight);
    scores[tool] += rarity * often * (kSaturation + 1) /
                    (often + kSaturation * (1 - kLengthMatters + kLengthMatters * relative_length));
  }
}

std::vector<std::size_t> SearchIndex::find(std::string_view query, Wanted const& is_wanted) const {
  if (registry_ == nullptr) return {};
  auto words = search_words(query.substr(0, kIndexedBytes));
  std::vector<double> scores(lengths_.size(), words.empty() ? 1.0 : 0.0);
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  if (words.size() > kMostQueryWords) words.resize(kMostQueryWords);
  for (auto const& word : words) {
    auto each = words_.lower_bound(word);
    if (each != words_.end() && each->first == word) {
      score(each->second, scores);
      continue;
    }
    for (std::size_t i = 0; i < kMostPrefixWords && each != words_.end(); ++i, ++each) {
      if (!each->first.starts_with(word)) break;
      score(each->second, scores);
    }
  }
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] > 0 && is_wanted(registry_->tools()[i])) found.push_back(i);
  }
  std::ranges::sort(found, {}, [&](std::size_t i) { return std::pair{-scores[i], i}; });
  return found;
}

}  // namespace sallyport::upstream
