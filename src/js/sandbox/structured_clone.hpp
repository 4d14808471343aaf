#pragma once

#include <v8.h>

namespace sallyport::js::sandbox {

// A copy of `value` as HTML's structured clone makes it; the array buffers among `transferred` are
// moved. Throws an Error with the name DataCloneError, and returns nothing.
v8::MaybeLocal<v8::Value> structured_clone(v8::Local<v8::Context> context,
                                           v8::Local<v8::Value> value,
                                           v8::Local<v8::Value> transferred);

}  // namespace sallyport::js::sandbox
