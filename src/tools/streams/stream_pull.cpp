#include "src/json/write.hpp"
#include "src/tools/streams/stream_arguments.hpp"
#include "src/tools/streams/stream_tools.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace sallyport::tools {
namespace {

constexpr std::uint64_t kLongestPullWait = 25'000;
constexpr std::uint64_t kMostPullBytes = 4 * stream::kMiB;
constexpr std::uint64_t kUsualPullBytes = stream::kMiB;
constexpr std::chrono::seconds kBeat{15};
// What may wait for a slow client before it is pushed no more; and how long until it is asked
// again.
constexpr std::size_t kMostUnheard = 256 * stream::kKiB;
constexpr std::chrono::milliseconds kPause{2};

struct PullArguments {
  stream::ViewKey key;
  stream::PullRequest request;
  std::chrono::milliseconds wait{0};
  std::size_t max_bytes{0};
  bool push{false};
  bool notify{false};
};

Result<PullArguments> read_pull(RequestContext const& request, json::Object const& arguments) {
  PullArguments pull;
  SP_TRY(pull.key, view_key(request, arguments));
  SP_TRY(pull.request.acks, numbers_argument(arguments, "acks"));
  SP_TRY(pull.request.credit, numbers_argument(arguments, "credit"));
  SP_TRY(auto const wait, number_argument(arguments, "waitMs", kLongestPullWait));
  SP_TRY(auto const bytes, number_argument(arguments, "maxBytes", kUsualPullBytes));
  pull.wait = std::chrono::milliseconds{std::min(wait, kLongestPullWait)};
  pull.max_bytes = std::clamp<std::size_t>(bytes, 1, kMostPullBytes);
  pull.push = flag_argument(arguments, "push");
  pull.notify = flag_argument(arguments, "notify");
  return pull;
}

void write_names(std::string& out, std::vector<std::string> const& names) {
  out += '[';
  for (auto const& name : names) {
    if (!out.ends_with('[')) out += ',';
    json::write_string(name, out);
  }
  out += ']';
}

// The end of a result: `"closed"`, `"open"`, and whether another pull has come.
void write_state(std::string& out, stream::Pull const& pull) {
  auto const state = pull.state();
  out += R"(,"closed":)";
  write_names(out, pull.closed());
  fmt::format_to(std::back_inserter(out), R"(,"open":{})", state.open);
  if (state.superseded) out += R"(,"superseded":true)";
  out += '}';
}

mcp::ToolResult pulled(std::vector<stream::NumberedFrame> const& frames, stream::Pull const& pull) {
  std::size_t size = 256;
  for (auto const& each : frames) {
    size += each.frame->payload.size() / 3 * 4 + each.frame->members.size() + stream::kFrameCost;
  }
  mcp::ToolResult result;
  auto& text = result.structured_text;
  text.reserve(size);
  text += R"({"frames":[)";
  for (auto const& each : frames) {
    if (!text.ends_with('[')) text += ',';
    stream::write_frame(text, each);
  }
  text += ']';
  write_state(text, pull);
  return result;
}

Task<mcp::ToolResult> wait_and_pull(stream::Pull& pull, PullArguments const& asked) {
  auto const deadline = Deadline::in(asked.wait);
  for (;;) {
    auto const frames = pull.take(asked.max_bytes);
    auto const state = pull.state();
    bool const is_answered = !frames.empty() || state.superseded || state.open == 0 ||
                             pull.names_unknown() || Clock::now() >= deadline.at;
    if (is_answered) co_return pulled(frames, pull);
    if (co_await pull.wait(deadline) == Wakeup::Cancelled) {
      co_return fail(Errc::Cancelled, "The request was cancelled.");
    }
  }
}

std::string_view notification_of(stream::Frame::Kind kind) {
  using Kind = stream::Frame::Kind;
  switch (kind) {
    case Kind::Text:
    case Kind::Binary:
    case Kind::Close: return "notifications/ws_message";
    case Kind::Event:
    case Kind::Retry: return "notifications/sse_event";
    case Kind::Head:
    case Kind::Data: return "notifications/stream_chunk";
    case Kind::End:
    case Kind::Error: return "notifications/stream_end";
  }
  return "notifications/stream_end";
}

// What they are of: a stream, a connection; the last ones do not say which it was.
std::string ids_of(std::string_view notification, std::string const& id) {
  if (notification.ends_with("stream_chunk")) return fmt::format(R"(,"streamId":"{}")", id);
  if (!notification.ends_with("stream_end")) return fmt::format(R"(,"connectionId":"{}")", id);
  return fmt::format(R"(,"streamId":"{0}","connectionId":"{0}")", id);
}

// A pull that stays open and sends each frame by itself.
class PushedPull {
 public:
  PushedPull(mcp::CallContext& context, stream::Pull& pull, PullArguments const& asked)
      : context_{context}, pull_{pull}, asked_{asked}, deadline_{Deadline::in(asked.wait)} {}

  Task<mcp::ToolResult> run() {
    for (;;) {
      for (auto const& frame : pull_.take(kMostUnheard)) {
        SP_CO_TRY(bool const sent, co_await send(frame));
        if (!sent) break;  // it is given again
      }
      auto const state = pull_.state();
      bool const is_over = state.superseded || state.open == 0 || !state.may_send ||
                           pull_.names_unknown() || Clock::now() >= deadline_.at ||
                           !context_.hears_notifications();
      if (is_over) co_return answer();
      SP_CO_CHECK(co_await until_there_is_more());
    }
  }

 private:
  Task<bool> send(stream::NumberedFrame const& frame) {
    SP_CO_TRY(bool caught_up, co_await catches_up());
    if (caught_up && context_.hears_progress()) {
      send_progress(frame);
      SP_CO_TRY(caught_up, co_await catches_up());
    }
    if (!caught_up) co_return false;
    if (asked_.notify) send_notification(frame);
    sent_[frame.id] = frame.seq + 1;
    last_said_ = Clock::now();
    co_return true;
  }

  void send_progress(stream::NumberedFrame const& frame) {
    std::string meta = R"({"sallyport/frame":)";
    meta.reserve(frame.frame->payload.size() / 3 * 4 + 256);
    stream::write_frame(meta, frame);
    meta += '}';
    context_.progress_with(static_cast<double>(++count_), meta);
  }

  void send_notification(stream::NumberedFrame const& frame) {
    std::string params;
    auto const name = notification_of(frame.frame->kind);
    stream::write_frame(params, frame, ids_of(name, frame.id));
    context_.notify(name, params);
  }

  // Nothing piles up for a slow client. False: it did not catch up before this pull is over.
  Task<bool> catches_up() {
    Timer pause{co_await asio::this_coro::executor};
    while (context_.unheard_bytes() > kMostUnheard) {
      if (Clock::now() >= deadline_.at || pull_.state().superseded) co_return false;
      pause.expires_after(kPause);
      auto const [interrupted] = co_await pause.async_wait(use_tuple);
      if (interrupted) co_return fail(Errc::Cancelled, "The request was cancelled.");
    }
    co_return true;
  }

  Task<void> until_there_is_more() {
    SP_CO_TRY(bool const caught_up, co_await catches_up());
    if (!caught_up) co_return Result<void>{};
    Deadline const beat{std::min(deadline_.at, last_said_ + kBeat)};
    auto const woken = co_await pull_.wait(beat);
    if (woken == Wakeup::Cancelled) co_return fail(Errc::Cancelled, "The request was cancelled.");
    if (woken == Wakeup::DeadlinePassed && Clock::now() < deadline_.at) {
      last_said_ = Clock::now();
      context_.progress(static_cast<double>(++count_));
    }
    co_return Result<void>{};
  }

  mcp::ToolResult answer() const {
    mcp::ToolResult result;
    auto& text = result.structured_text;
    text = R"({"frames":[],"sent":{)";
    for (auto const& [id, next] : sent_) {
      if (!text.ends_with('{')) text += ',';
      fmt::format_to(std::back_inserter(text), R"("{}":{})", id, next);
    }
    text += '}';
    write_state(text, pull_);
    return result;
  }

  mcp::CallContext& context_;
  stream::Pull& pull_;
  PullArguments const& asked_;
  Deadline const deadline_;
  std::map<std::string, std::uint64_t> sent_;
  std::uint64_t count_{0};
  Clock::time_point last_said_{Clock::now()};
};

Task<mcp::ToolResult> run_stream_pull(SharedParts parts, mcp::CallContext& context,
                                      json::Object const& arguments) {
  auto const asked = read_pull(context.request(), arguments);
  if (!asked) co_return failure_result(asked.error());
  auto pull = parts->views.pull(asked->key, asked->request);
  if (!pull) co_return failure_result(pull.error());
  bool const can_push =
      context.hears_progress() || (asked->notify && context.hears_notifications());
  if (asked->push && can_push) {
    PushedPull pushed{context, *pull, *asked};
    co_return co_await pushed.run();
  }
  co_return co_await wait_and_pull(*pull, *asked);
}

}  // namespace

mcp::Tool stream_pull(SharedParts parts) {
  auto tool = stream_tool(
      "stream_pull", "Pull streams",
      "Gives what has come for all streams of a view, as soon as there is anything; what is not "
      "acknowledged is given again.",
      R"json({
    "acks": {"type": "object", "additionalProperties": {"type": "number"},
             "description": "By stream: the first frame that the view does not have"},
    "credit": {"type": "object", "additionalProperties": {"type": "number"},
               "description": "By stream: bytes that the view takes from there on"},
    "waitMs": {"type": "number", "description": "How long to wait for the first frame, at most 25000"},
    "maxBytes": {"type": "number", "description": "About so many bytes, at most 4 MiB"},
    "push": {"type": "boolean", "description": "Stay open, and send each frame in a progress notification"},
    "notify": {"type": "boolean", "description": "With push: also in a notification of its own"}})json");
  tool.handler = [parts = std::move(parts)](mcp::CallContext& context,
                                            json::Object const& arguments) {
    return run_stream_pull(parts, context, arguments);
  };
  return tool;
}

}  // namespace sallyport::tools
