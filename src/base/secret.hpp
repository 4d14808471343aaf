// A value that must not be seen: a token, a key, a password.
//
// It cannot be printed, compared by accident or formatted; who needs the text says so with
// reveal(). SECURITY: keep reveal() out of messages, logs and details.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace sallyport {

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string value) : value_{std::move(value)} {}

  std::string const& reveal() const noexcept { return value_; }
  bool empty() const noexcept { return value_.empty(); }

  // Takes the same time wherever the first difference is.
  bool matches(std::string_view candidate) const noexcept {
    unsigned difference = value_.size() == candidate.size() ? 0U : 1U;
    for (std::size_t i = 0; i < candidate.size(); ++i) {
      auto const ours = value_.empty() ? '\0' : value_[i % value_.size()];
      difference |= static_cast<unsigned char>(ours) ^ static_cast<unsigned char>(candidate[i]);
    }
    return difference == 0;
  }

 private:
  std::string value_;
};

}  // namespace sallyport
