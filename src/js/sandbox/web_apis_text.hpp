#pragma once

#include <string_view>

namespace sallyport::js::sandbox {

// The bundle of src/js/web_apis, which is part of the program.
std::string_view web_apis_text() noexcept;

}  // namespace sallyport::js::sandbox
