#include "src/app/servers/browser.hpp"

#include "src/base/child_launch.hpp"

#include <algorithm>
#include <unistd.h>

namespace sallyport::app::servers {

bool has_display(config::Variables const& variables) {
  return std::ranges::any_of(variables, [](auto const& variable) {
    return (variable.first == "DISPLAY" || variable.first == "WAYLAND_DISPLAY") &&
           !variable.second.empty();
  });
}

bool is_page(std::string_view url) {
  bool const web = url.starts_with("https://") || url.starts_with("http://");
  return web && std::ranges::none_of(url, [](char c) {
           return c <= ' ' || c > '~' ||
                  std::string_view{"\"'`\\<>{}|"}.find(c) != std::string_view::npos;
         });
}

bool open_in_browser(std::string url, config::Variables const& variables) {
  if (!is_page(url)) return false;
  std::vector<std::string> environment;
  for (auto const& [name, value] : variables) environment.push_back(name + "=" + value);
  ChildLaunch browser;
  for (int const stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    browser.give_nothing(stream);
  }
  pid_t pid = 0;
  // One word of its command line, never of a shell's.
  return browser.start({"xdg-open", std::move(url)}, std::move(environment), pid) == 0;
}

}  // namespace sallyport::app::servers
