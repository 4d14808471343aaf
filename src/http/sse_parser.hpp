// Reads an event stream (https://html.spec.whatwg.org/multipage/server-sent-events.html), piece by
// piece as it comes. Linear in its bytes, and bounded: one event is kept at most.
#pragma once

#include "src/base/result.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::http {

// Bytes as they came: whoever wants text mends what is no UTF-8. No character spans two fields.
struct SseItem {
  enum class Kind { Event, Retry };
  Kind kind{Kind::Event};
  std::string event;  // "message" where the stream names none
  std::string data;   // lines joined with LF
  // As of this event; of a Retry, nothing. Shared by all that have it: an id may be long.
  std::shared_ptr<std::string const> last_event_id;
  std::chrono::milliseconds retry{0};
};

class SseParser {
 public:
  // An event whose lines have more than `event_bytes` is too large.
  explicit SseParser(std::size_t event_bytes, std::string last_event_id = {})
      : event_bytes_{event_bytes},
        last_event_id_{std::make_shared<std::string const>(std::move(last_event_id))} {}

  // Appends to `out` what these bytes completed. Fails with LimitExceeded, for good.
  Result<void> feed(std::string_view bytes, std::vector<SseItem>& out);

  // Where a reader that lost the stream would go on: as of the last blank line, event or not.
  std::string const& last_event_id() const noexcept { return *settled_id_; }

 private:
  Result<void> check_size(std::size_t more) const;
  void take_bom(std::string_view& bytes);
  void take_line(std::string_view line, std::vector<SseItem>& out);
  void take_field(std::string_view name, std::string_view value, std::vector<SseItem>& out);
  void dispatch(std::vector<SseItem>& out);

  std::size_t event_bytes_;
  std::size_t bom_seen_{0};  // so many of its bytes; 3: it is over, or there was none
  bool after_cr_{false};
  bool failed_{false};
  std::string line_;  // that has not ended yet
  std::string event_;
  std::string data_;
  std::shared_ptr<std::string const> last_event_id_;
  std::shared_ptr<std::string const> settled_id_{last_event_id_};
};

}  // namespace sallyport::http
