// One pull of a view, from its acknowledgements to its answer.
#pragma once

#include "src/stream/view.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace sallyport::stream {

// Made by Views::pull(). The view is not given up while there is one.
class Pull {
 public:
  // `view` may be nothing: then nothing is open.
  static Result<Pull> begin(std::shared_ptr<View> view, PullRequest const& request);
  ~Pull();
  Pull(Pull&& other) noexcept;
  Pull& operator=(Pull&&) = delete;

  // Frames that have not been taken by this pull yet, about `max_bytes` of them.
  std::vector<NumberedFrame> take(std::size_t max_bytes);
  // Until there may be something to take, another pull has come, or nothing is open any more.
  Async<Wakeup> wait(Deadline deadline);
  View::State state() const;

  // A handle was acknowledged that did not exist when it began: the view should hear of it soon.
  bool names_unknown() const noexcept { return begun_.names_unknown; }
  // The acknowledged handles that do not exist any more.
  std::vector<std::string> closed() const;

 private:
  Pull(std::shared_ptr<View> view, View::Begun begun, std::vector<std::string> named)
      : view_{std::move(view)}, begun_{begun}, named_{std::move(named)} {}

  std::shared_ptr<View> view_;
  View::Begun begun_;
  std::vector<std::string> named_;
};

}  // namespace sallyport::stream
