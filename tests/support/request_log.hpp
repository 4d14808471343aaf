// An origin's memory of what it was asked: a script for Origin that answers from each request and
// keeps its text.
//
//   RequestLog log;
//   Origin origin{log.answering([](std::string const&) { return Origin::ok("hello"); })};
#pragma once

#include "tests/support/origin.hpp"

#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::test {

class RequestLog {
 public:
  Origin::Script answering(std::function<std::string(std::string const&)> answer) {
    return Origin::answering(
        std::function{[this, answer = std::move(answer)](std::string const& request) {
          add(request);
          return answer(request);
        }});
  }
  Origin::Script answering(std::string response) {
    return answering([response = std::move(response)](std::string const&) { return response; });
  }

  std::vector<std::string> all() const {
    std::lock_guard const lock{mutex_};
    return requests_;
  }
  std::size_t count(std::string_view path) const {
    std::size_t found = 0;
    for (auto const& request : all()) found += path_of(request) == path ? 1U : 0U;
    return found;
  }

  static std::string path_of(std::string const& request) {
    auto const from = request.find(' ') + 1;
    return request.substr(from, request.find(' ', from) - from);
  }

 private:
  void add(std::string request) {
    std::lock_guard const lock{mutex_};
    requests_.push_back(std::move(request));
  }

  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
};

inline std::string redirect(int status, std::string const& location) {
  return "HTTP/1.1 " + std::to_string(status) + " Moved\r\nLocation: " + location +
         "\r\nContent-Length: 0\r\n\r\n";
}

}  // namespace sallyport::test
