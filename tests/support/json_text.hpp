// JSON in tests is written as text, and compared as values.
#pragma once

#include "src/json/parse.hpp"
#include "src/json/write.hpp"

#include <string_view>

namespace sallyport::test {

inline json::Value parsed(std::string_view text) {
  return json::parse(text).value();
}

inline json::Object parsed_object(std::string_view text) {
  return parsed(text).get_object();
}

}  // namespace sallyport::test
