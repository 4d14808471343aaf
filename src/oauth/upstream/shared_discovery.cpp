#include "src/oauth/upstream/shared_discovery.hpp"

#include "src/base/event_loops.hpp"
#include "src/base/one_shot_event.hpp"

#include <mutex>
#include <utility>

namespace sallyport::oauth::upstream {
namespace {

// It belongs to nobody who waits, so it has an end of its own.
constexpr std::chrono::seconds kSearchTimeout{20};

struct Search {
  ServerChallenge challenge;
  std::shared_ptr<OneShotEvent> ended = OneShotEvent::make();
  // Written before it has ended, read after.
  Result<Discovery> found{fail(Errc::Cancelled, "The request was cancelled.")};
};

// Whether both lead to the same places.
bool is_alike(ServerChallenge const& one, ServerChallenge const& other) {
  return one.resource_metadata == other.resource_metadata && one.offers_dpop == other.offers_dpop;
}

}  // namespace

class SharedDiscovery::State {
 public:
  State(ServerSettings settings, http::Client& client)
      : settings_{std::move(settings)}, client_{client} {}

  static Task<Discovery> look(std::shared_ptr<State> state, ServerChallenge challenge,
                              Deadline deadline) {
    Executor const executor = co_await asio::this_coro::executor;
    auto const [search, starts] = state->search_for(std::move(challenge));
    // Nothing may come between: a search that is announced and never starts has no end.
    if (starts) start_on(executor, run(state, search));
    auto const wakeup = co_await search->ended->wait(deadline);
    if (wakeup == Wakeup::Cancelled) co_return fail(Errc::Cancelled, "The request was cancelled.");
    if (wakeup == Wakeup::DeadlinePassed) {
      co_return fail(Errc::DeadlineExceeded, "The authorization server was not found in time.");
    }
    co_return search->found;
  }

 private:
  std::pair<std::shared_ptr<Search>, bool> search_for(ServerChallenge challenge) {
    std::lock_guard const lock{mutex_};
    if (search_ && is_alike(search_->challenge, challenge)) return {search_, false};
    search_ = std::make_shared<Search>();
    search_->challenge = std::move(challenge);
    return {search_, true};
  }

  // Ends the search for everyone who waits, also when its coroutine is destroyed with its loop.
  class Ending {
   public:
    Ending(State& state, std::shared_ptr<Search> search)
        : state_{state}, search_{std::move(search)} {}
    ~Ending() {
      {
        std::lock_guard const lock{state_.mutex_};
        if (state_.search_ == search_) state_.search_ = nullptr;
      }
      search_->ended->set();
    }
    Ending(Ending const&) = delete;
    Ending& operator=(Ending const&) = delete;

   private:
    State& state_;
    std::shared_ptr<Search> search_;
  };

  // Keeps itself and the search alive.
  static Task<void> run(std::shared_ptr<State> state, std::shared_ptr<Search> search) {
    Ending const ending{*state, search};
    search->found = co_await capture(state->find(search->challenge));
    co_return Result<void>{};
  }

  Task<Discovery> find(ServerChallenge challenge) {
    co_return co_await discover_for(client_, settings_, std::move(challenge),
                                    Deadline::in(kSearchTimeout));
  }

  ServerSettings const settings_;
  http::Client& client_;
  std::mutex mutex_;                // guards the next
  std::shared_ptr<Search> search_;  // under way; nullptr when there is none
};

SharedDiscovery::SharedDiscovery(ServerSettings const& settings, http::Client& client)
    : state_{std::make_shared<State>(settings, client)} {}

SharedDiscovery::~SharedDiscovery() = default;

Task<Discovery> SharedDiscovery::look(ServerChallenge challenge, Deadline deadline) {
  co_return co_await State::look(state_, std::move(challenge), deadline);
}

}  // namespace sallyport::oauth::upstream
