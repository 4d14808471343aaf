// Writes JSON on one line, numbers in the shortest form that reads back as the same number.
#pragma once

#include "src/json/value.hpp"

#include <string>
#include <string_view>

namespace sallyport::json {

void write(Value const& value, std::string& out);
void write(Object const& object, std::string& out);
void write_string(std::string_view text, std::string& out);  // with its quotes

std::string to_text(Value const& value);
std::string to_text(Object const& object);

// Keys sorted, for digests: equal values have equal canonical texts.
std::string canonical(Value const& value);

}  // namespace sallyport::json
