#pragma once

#include <string>

namespace sallyport::rego::crypto {

// What is wrong, in the words of OPA (or of Go, where OPA passes those on). Empty: nothing.
using Problem = std::string;

}  // namespace sallyport::rego::crypto
