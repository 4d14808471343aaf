// The patterns that this thread has compiled lately and that were no constants.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace sallyport::rego::builtins {

// One place per hash: what falls on the same place is replaced. Bounded, and no order to keep.
template <class Compiled>
class RecentlyCompiled {
 public:
  // `compile(error)` gives a unique_ptr, null where the pattern is wrong; those are not kept.
  template <class Compile>
  Compiled const* find(std::string_view key, std::string& error, Compile compile) {
    auto& place = places_[std::hash<std::string_view>{}(key) % places_.size()];
    if (place.compiled != nullptr && place.key == key) return place.compiled.get();
    auto compiled = compile(error);
    if (compiled == nullptr) return nullptr;
    place.key = key;
    place.compiled = std::move(compiled);
    return place.compiled.get();
  }

 private:
  struct Place {
    std::string key;
    std::unique_ptr<Compiled const> compiled;
  };
  std::array<Place, 32> places_;
};

}  // namespace sallyport::rego::builtins
