// Finds tools by words: of their names, titles, descriptions and arguments.
#pragma once

#include "src/mcp/registry.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::upstream {

// The words of a text, lower-case, as they are indexed and asked for: `getUserNames` has "get",
// "user" and "name". Of scripts without spaces, every two characters that follow each other.
std::vector<std::string> search_words(std::string_view text);

// Of one registry, made once and then only read.
class SearchIndex {
 public:
  explicit SearchIndex(
      std::shared_ptr<mcp::Registry const> registry);  // may be null: finds nothing

  std::shared_ptr<mcp::Registry const> const& registry() const noexcept { return registry_; }

  using Wanted = std::function<bool(mcp::RegisteredTool const&)>;

  // The positions in registry()->tools() of those that have any of the words and are wanted, best
  // first (BM25; a word that no tool has stands for those that begin with it). Without words: all
  // that are wanted, in the order of the registry.
  std::vector<std::size_t> find(std::string_view query, Wanted const& is_wanted) const;

 private:
  struct Posting {
    std::uint32_t tool;
    float weight;  // how often, and how prominently, the tool has the word
  };
  using Postings = std::vector<Posting>;

  void add(std::uint32_t position, mcp::Tool const& tool);
  void score(Postings const& postings, std::vector<double>& scores) const;

  std::shared_ptr<mcp::Registry const> registry_;
  std::map<std::string, Postings, std::less<>> words_;
  std::vector<float> lengths_;
  double mean_length_{1};
};

}  // namespace sallyport::upstream
