// The addresses that links and images are given: absolute where there is a base.
#pragma once

#include "src/url/url.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace sallyport::content::html {

class Links {
 public:
  // `document_base` is what <base href> says; empty: there is none.
  Links(url::Url const* base, std::string_view document_base);

  // Without a value where there is nothing to follow: javascript:, data:, the page itself.
  std::optional<std::string> resolve(std::string_view reference) const;

 private:
  std::optional<url::Url> base_;
  std::string origin_;         // for references that begin with '/'; empty: not usable
  std::string base_document_;  // for references that begin with '#'
};

}  // namespace sallyport::content::html
