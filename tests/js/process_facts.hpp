// What /proc says about a process of the sandbox.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace sallyport::test {

inline std::string proc_path(pid_t process, std::string_view file) {
  return "/proc/" + std::to_string(process) + "/" + std::string{file};
}

inline std::string proc_text(pid_t process, std::string_view file) {
  std::ifstream stream{proc_path(process, file), std::ios::binary};
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// A line of /proc/PID/status without its name: status_of(1, "Seccomp") is "2".
inline std::string status_of(pid_t process, std::string const& name) {
  std::istringstream lines{proc_text(process, "status")};
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(name + ":")) continue;
    auto const begin = line.find_first_not_of(" \t", name.size() + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

inline std::vector<pid_t> children_of(pid_t process) {
  std::vector<pid_t> children;
  for (auto const& entry : std::filesystem::directory_iterator{"/proc"}) {
    auto const name = entry.path().filename().string();
    if (!std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; }))
      continue;
    auto const candidate = static_cast<pid_t>(std::stol(name));
    if (status_of(candidate, "PPid") == std::to_string(process)) children.push_back(candidate);
  }
  return children;
}

// The process that forks: the one that was started, or its child where it has a namespace of
// processes of its own.
inline pid_t forking_process(pid_t started, bool has_namespace) {
  auto const children = children_of(started);
  return has_namespace && !children.empty() ? children.front() : started;
}

// Those of its children that have given up what a script may not have. The others are spare.
inline std::vector<pid_t> confined_children_of(pid_t process) {
  auto children = children_of(process);
  std::erase_if(children, [](pid_t child) { return status_of(child, "Seccomp") != "2"; });
  return children;
}

// The links of /proc/PID/fd, e.g. "socket:[1234]".
inline std::vector<std::string> descriptors_of(pid_t process) {
  std::vector<std::string> links;
  std::error_code error;
  for (auto const& entry : std::filesystem::directory_iterator{proc_path(process, "fd"), error}) {
    links.push_back(std::filesystem::read_symlink(entry.path(), error).string());
  }
  return links;
}

struct ProcessFacts {
  std::size_t descriptors{0};
  std::size_t children{0};
  long resident_kb{0};
  int threads{0};
};

inline ProcessFacts facts_of(pid_t process) {
  return {.descriptors = descriptors_of(process).size(),
          .children = children_of(process).size(),
          .resident_kb = std::stol("0" + status_of(process, "VmRSS")),
          .threads = std::stoi("0" + status_of(process, "Threads"))};
}

}  // namespace sallyport::test
