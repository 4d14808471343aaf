// A request under way at a server, and whoever waits for it: on the same loop or on another, and
// for a while perhaps nobody, where a stateless client has to be asked before an older server can
// go on.
//
//   handler ── Inbox ◄── said ── Errand ◄── Listener ── Client        (loop of the call │ home)
//              └── answer, refuse, give_up ──►
#pragma once

#include "src/base/request_context.hpp"
#include "src/base/signal.hpp"
#include "src/base/task_group.hpp"
#include "src/mcp/client/client.hpp"

#include <deque>
#include <memory>
#include <optional>
#include <variant>

namespace sallyport::upstream {

struct Progressed {
  json::Object params;
};
struct Logged {
  json::Object params;
};
struct Ended {
  Result<mcp::client::Outcome> outcome;
};
// What is said about a request; the outcome is the last of it.
using Said =
    std::variant<Progressed, Logged, mcp::NotificationMessage, mcp::client::Inquiry, Ended>;

// Where a handler hears of its request. Of the handler's loop.
class Inbox {
 public:
  explicit Inbox(Executor executor) : executor_{executor}, came_{executor} {}

  Executor const& executor() const noexcept { return executor_; }
  void put(Said said);
  // Fails with Cancelled.
  Task<Said> next();

 private:
  Executor executor_;
  std::deque<Said> said_;
  Signal came_;
};

class Errand final : public mcp::client::Listener, public std::enable_shared_from_this<Errand> {
 public:
  struct Job {
    mcp::client::Ask ask;
    RequestContext about;               // on whose behalf
    std::shared_ptr<void const> keeps;  // what `ask` points to
  };

  // `observer` outlives it; it hears of what concerns everybody.
  Errand(Job job, mcp::client::Observer& observer, Executor home);

  // From any loop:
  void attach(std::shared_ptr<Inbox> inbox);
  // What the last inquiry comes to. An inquiry is followed by no other before that.
  void answer(mcp::client::Answers answers) { settle(std::move(answers)); }
  void refuse(Error why) { settle(std::move(why)); }
  // Nobody wants to know any more.
  void give_up();

  // At home:
  Job& job() noexcept { return job_; }
  // Starts the request in the group that ends it.
  void run_in(TaskGroup& group, Task<mcp::client::Outcome> request);

  void progress(json::Object const& params) override { say(Progressed{params}); }
  void log(json::Object const& params) override { say(Logged{params}); }
  void heard(mcp::NotificationMessage const& message) override;
  Task<mcp::client::Answers> answer(mcp::client::Inquiry inquiry) override;

 private:
  Task<void> run(std::shared_ptr<Errand> self, Task<mcp::client::Outcome> request);
  void settle(Result<mcp::client::Answers> answers);
  void say(Said said);
  bool is_over() const noexcept { return ended_ || given_up_; }

  Job job_;
  mcp::client::Observer& observer_;
  Executor home_;
  // At home only:
  std::shared_ptr<Inbox> inbox_;
  std::optional<Said> unheard_;  // the outcome, where nobody was there
  bool asking_{false};
  std::optional<Result<mcp::client::Answers>> settled_;
  Signal changed_;
  std::optional<TaskGroup::Child> child_;
  bool ended_{false};
  bool given_up_{false};
};

}  // namespace sallyport::upstream
