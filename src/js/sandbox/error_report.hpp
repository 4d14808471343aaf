// What the gateway is told about an error: an object as JSON.
#pragma once

#include "src/js/sandbox/host.hpp"

#include <v8.h>

#include <string>
#include <string_view>

namespace sallyport::js::sandbox {

struct ErrorPlace {
  int line{0};  // from 1; 0: not known
  int column{0};
};

std::string error_json(std::string_view name, std::string_view message, std::string_view stack = {},
                       ErrorPlace place = {});

// As the web APIs describe it, and where it is in the script of that name. `message` may be empty.
std::string describe_error(v8::Local<v8::Context> context, WebApis const& web_apis,
                           v8::Local<v8::Value> thrown, v8::Local<v8::Message> message,
                           std::string_view script);

}  // namespace sallyport::js::sandbox
