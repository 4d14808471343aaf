// The one JSON value of the project: Boost.JSON's, under our name.
//
// Never call boost::json::parse or serialize: their numbers are wrong (one double in ten). Use
// json::parse (parse.hpp) and json::write (write.hpp). docs/adr/0004-json.md.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/storage_ptr.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>

#include <string_view>

namespace sallyport::json {

using Value = boost::json::value;
using Object = boost::json::object;
using Array = boost::json::array;
using String = boost::json::string;
using Storage = boost::json::storage_ptr;

inline std::string_view view(String const& text) noexcept {
  return {text.data(), text.size()};
}

// The member `key` if `object` has it and it is of that type; else nullptr.
inline Value const* find(Object const& object, std::string_view key) noexcept {
  return object.if_contains(key);
}
inline Object const* find_object(Object const& object, std::string_view key) noexcept {
  auto const* value = object.if_contains(key);
  return value == nullptr ? nullptr : value->if_object();
}
inline Array const* find_array(Object const& object, std::string_view key) noexcept {
  auto const* value = object.if_contains(key);
  return value == nullptr ? nullptr : value->if_array();
}
inline String const* find_string(Object const& object, std::string_view key) noexcept {
  auto const* value = object.if_contains(key);
  return value == nullptr ? nullptr : value->if_string();
}

}  // namespace sallyport::json
