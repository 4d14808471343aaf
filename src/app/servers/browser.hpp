// Opens a page in the browser of whoever sits at this machine.
#pragma once

#include "src/config/load.hpp"

#include <string>
#include <string_view>

namespace sallyport::app::servers {

// Whether there is a screen for a browser to open on.
bool has_display(config::Variables const& variables);

// SECURITY: a server names what is opened. Nothing but http and https: never a file, another
// program's scheme or an option of xdg-open, and no characters that a shell script could stumble
// over, since xdg-open is one.
bool is_page(std::string_view url);

// Whether xdg-open was started; it ends by itself, when the browser has the URL. What is_page()
// says no to is not opened.
bool open_in_browser(std::string url, config::Variables const& variables);

}  // namespace sallyport::app::servers
