// Which bodies of a rule can succeed, found by one look at one value.
//
// Of the conditions `ref == scalar` and `ref in {scalars}` that the bodies of a rule make, the
// index takes the ref that leaves the fewest bodies to try.
#pragma once

#include "src/rego/value.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sallyport::rego::plan {

// A ref that is known before a body runs: input at a path, or a parameter at a path.
struct IndexedRef {
  static constexpr std::uint32_t kInput = ~std::uint32_t{0};
  std::uint32_t parameter{kInput};
  std::vector<Value> path;

  bool operator==(IndexedRef const& other) const noexcept;
};

// "This body succeeds only if `ref` is one of these."
struct Condition {
  IndexedRef ref;
  std::vector<Value> scalars;
};

class RuleIndex {
 public:
  // For each body, in order, what it needs. Nothing where no ref would spare bodies.
  static std::optional<RuleIndex> make(std::vector<std::vector<Condition>> const& bodies);

  IndexedRef const& ref() const noexcept { return ref_; }
  // Bodies that can succeed when the ref has this value, in order; `value` may be undefined. They
  // come in two lists: those that ask for this value, and those that do not ask.
  std::span<std::uint32_t const> asking_for(Value value) const noexcept;
  std::span<std::uint32_t const> others() const noexcept { return others_; }

 private:
  struct Bucket {
    Value scalar;
    std::uint32_t first{0};
    std::uint32_t count{0};
  };

  IndexedRef ref_;
  std::vector<Bucket> buckets_;  // open addressing; a power of two
  std::vector<std::uint32_t> bodies_;
  std::vector<std::uint32_t> others_;
};

}  // namespace sallyport::rego::plan
