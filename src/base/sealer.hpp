// Port: seals a text so that a peer can hold it for us, but neither read nor change it.
//
// `store` implements it. The same `context` must be given to open what was sealed with it: it binds
// the text to a purpose and to whom it was given.
#pragma once

#include "src/base/result.hpp"

#include <string>
#include <string_view>

namespace sallyport {

class Sealer {
 public:
  virtual ~Sealer() = default;

  // URL-safe text; different each time.
  virtual std::string seal(std::string_view text, std::string_view context) const = 0;

  // Fails with InvalidInput when `sealed` was not made by seal() with the same key and context.
  virtual Result<std::string> open(std::string_view sealed, std::string_view context) const = 0;
};

}  // namespace sallyport
