// Legacy event streams that outlive their connections.
//
// In the legacy era a broken connection does not cancel anything: the client comes back with
// `Last-Event-ID` and gets what it missed. So the stream, not the connection, is where a request's
// messages go. One store per loop; event ids carry the loop's number, because the client may come
// back on another one.
#pragma once

#include "src/mcp/outlet.hpp"
#include "src/mcp/session.hpp"
#include "src/transport/feed.hpp"
#include "src/transport/options.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

namespace sallyport::transport {

// The reading end: a feed and the loop it lives on.
struct Reader {
  std::shared_ptr<Feed> feed;
  Executor executor;

  friend bool operator==(Reader const& left, Reader const& right) {
    return left.feed == right.feed;
  }
};

// What the streams of one session hold together, so that their clients can resume them.
struct Held {
  std::size_t events{0};
  std::size_t bytes{0};
};

class EventStream final : public mcp::Outlet {
 public:
  struct Format {
    bool with_ids{true};
    bool primed{false};  // opens with an id and no data
  };

  EventStream(std::string id, std::shared_ptr<mcp::Session> session, HttpOptions const& options);
  ~EventStream() override;
  EventStream(EventStream const&) = delete;
  EventStream& operator=(EventStream const&) = delete;

  // mcp::Outlet
  void send(std::string message) override;
  void finish(mcp::Answer answer) override;
  void release(std::chrono::milliseconds come_back_after) override;
  bool can_send() const override { return can_stream_; }
  std::size_t unsent_bytes() const override;

  // A client that takes JSON only never sees a stream.
  void forbid_streaming() noexcept { can_stream_ = false; }

  std::string const& id() const noexcept { return id_; }
  mcp::Session const& session() const noexcept { return *session_; }
  bool is_finished() const noexcept { return answer_.has_value(); }
  // Whether anything went out as an event, so that the answer must, too.
  bool is_streaming() const noexcept { return streaming_; }
  // The answer of a request that never became a stream.
  mcp::Answer take_answer() { return std::move(*answer_); }

  // Starts to show the stream to a reader, from the event after `after`; replaces another reader.
  void attach(Reader reader, std::uint64_t after);
  void detach(Reader const& reader);
  // Makes it a stream now, so that the connection has something to show.
  void begin_streaming();
  // Told when the first event or the answer is there, before a reader is attached.
  void on_change(std::function<void()> changed) { changed_ = std::move(changed); }

  // The stream of a whole session: it has no answer, and ends when nobody reads it for long.
  void stand() noexcept { standing_ = true; }
  // Ends the connection of such a stream, because the server stops; others still have an answer to
  // wait for.
  void close_standing();

  bool is_expired(Clock::time_point now) const;
  // Nobody waits for it: it is kept only in case that its reader did not get all of it.
  bool is_spare() const { return is_finished() && was_read_ && !reader_; }
  // From now on, what it keeps counts there.
  void count_in(std::shared_ptr<Held> held);

  // Something that must live as long as the stream.
  void keep(std::shared_ptr<void> companion) { companion_ = std::move(companion); }

 private:
  struct Stored {
    std::uint64_t number;
    std::string frame;
  };

  void append(std::string_view data);
  void store(std::uint64_t number, std::string const& frame);
  void drop_oldest();
  void show(std::string frame);
  void let_go(std::chrono::milliseconds come_back_after);
  void close_reader();
  std::string event_id(std::uint64_t number) const;

  std::string id_;
  std::shared_ptr<mcp::Session> session_;
  HttpOptions const& options_;
  Format format_;
  bool can_stream_{true};
  bool streaming_{false};
  bool standing_{false};
  std::uint64_t last_{0};
  std::deque<Stored> stored_;
  std::size_t stored_bytes_{0};
  std::shared_ptr<Held> held_;   // once it is kept
  std::size_t unread_bytes_{0};  // since there is no reader
  std::optional<mcp::Answer> answer_;
  std::optional<Reader> reader_;
  bool was_read_{false};
  std::optional<std::chrono::milliseconds> release_on_attach_;
  Clock::time_point unread_since_{Clock::now()};
  std::function<void()> changed_;
  std::shared_ptr<void> companion_;
};

class EventStore {
 public:
  EventStore(std::size_t loop, HttpOptions const& options) : loop_{loop}, options_{options} {}

  // A stream that nobody can find yet.
  std::unique_ptr<EventStream> make(std::shared_ptr<mcp::Session> session);
  // Keeps it until it has ended and been read, or its time is over. Of a session that keeps too
  // much, the oldest streams go that have ended.
  EventStream& keep(std::unique_ptr<EventStream> stream);
  EventStream* find(std::string const& id);
  void forget(std::string const& id);
  void drop_expired(Clock::time_point now);

  struct Position {
    std::size_t loop;
    std::string stream;
    std::uint64_t event;
  };
  static std::optional<Position> parse_event_id(std::string_view id);

 private:
  struct Kept {
    std::unique_ptr<EventStream> stream;
    std::uint64_t place;  // among all, in the order in which they came
  };
  using Streams = std::unordered_map<std::string, Kept>;
  struct OfSession {
    std::shared_ptr<Held> held{std::make_shared<Held>()};
    std::map<std::uint64_t, std::string> ids;  // by place
  };

  Streams::iterator drop(Streams::iterator stream);
  void make_room(OfSession& session);

  std::size_t loop_;
  HttpOptions const& options_;
  std::uint64_t last_place_{0};
  Streams streams_;
  std::unordered_map<mcp::Session const*, OfSession> sessions_;  // that have streams here
};

}  // namespace sallyport::transport
