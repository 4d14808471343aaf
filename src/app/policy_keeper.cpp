#include "src/app/policy_keeper.hpp"

#include "src/app/policy_files.hpp"
#include "src/base/assert.hpp"
#include "src/base/log.hpp"
#include "src/policy/remote_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

namespace sallyport::app {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// Calls wait on an event loop while a policy judges: one that takes longer is broken.
constexpr rego::Limits kJudgementLimits{.time = 50ms};
// Policies that use http.send are evaluated here, and wait here for answers: so many at once.
constexpr std::size_t kSendingThreads = 16;
constexpr std::size_t kMostWaiting = 512;
// Editors and deployments write in several steps.
constexpr int kSettleMilliseconds = 100;
constexpr int kMostSettling = 20;

constexpr std::uint32_t kChanges =
    IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO;

// An operator who wrote it believes that something is judged.
void warn_of_idle_section(std::string_view name) {
  if (name != "modules") return;
  log::warn("A SECTION OF POLICIES IS NOT ASKED: nothing that it could judge leaves the program",
            {{"section", name}});
}

void drain(int descriptor) {
  std::array<char, 4096> buffer;
  while (::read(descriptor, buffer.data(), buffer.size()) > 0) {
  }
}

}  // namespace

json::Object to_json(std::vector<PolicyProblem> const& problems) {
  json::Object object;
  if (problems.empty()) return object;
  json::Array all;
  for (auto const& each : problems) {
    all.push_back(json::Object{
        {"policy", each.policy}, {"problem", each.problem}, {"in_force", each.in_force}});
  }
  object["policies"] = std::move(all);
  return object;
}

PolicyKeeper::PolicyKeeper(policy::HttpSend http_send, Metrics& metrics)
    : http_send_{http_send},
      broken_{metrics.gauge("sallyport_policies_broken",
                            "Policies whose files cannot be used; the ones before are in force.")},
      reloads_{metrics.counter("sallyport_policy_reloads_total", "Policies that were replaced.")},
      changes_{inotify_init1(IN_NONBLOCK | IN_CLOEXEC)},
      wake_{eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)} {
  SP_ASSERT(wake_ >= 0, "a process has room for one more descriptor at its start");
}

PolicyKeeper::~PolicyKeeper() {
  stops_ = true;
  eventfd_write(wake_, 1);
  if (thread_.joinable()) thread_.join();
  if (changes_ >= 0) ::close(changes_);
  ::close(wake_);
}

Result<std::unique_ptr<PolicyKeeper>> PolicyKeeper::create(policy::ChainSettings const& settings,
                                                           Ways ways, Metrics& metrics) {
  auto const http_send = settings.http_send ? policy::HttpSend::Allowed : policy::HttpSend::Refused;
  std::unique_ptr<PolicyKeeper> keeper{new PolicyKeeper{http_send, metrics}};
  if (settings.http_send) {
    keeper->senders_ = std::make_unique<WorkerPool>(kSendingThreads, kMostWaiting);
  }
  std::vector<policy::Section> sections;
  for (auto const& each : settings.sections) {
    warn_of_idle_section(each.name);
    policy::Section section{.name = each.name, .mode = each.mode, .sources = {}};
    for (auto const& source : each.sources) {
      SP_TRY(auto made, keeper->make_source(source, ways));
      section.sources.push_back(std::move(made));
    }
    sections.push_back(std::move(section));
  }
  keeper->chain_ = std::make_unique<policy::Chain>(std::move(sections));
  if (!keeper->watched_.empty()) keeper->watch();
  return keeper;
}

Result<std::unique_ptr<policy::Source>> PolicyKeeper::make_source(
    policy::SourceSettings const& settings, Ways ways) {
  if (settings.is_remote()) {
    return std::make_unique<policy::RemoteSource>(
        policy::RemoteOptions{.url = settings.url, .policy_path = settings.policy_path},
        ways.client);
  }
  SP_TRY(auto path, path_of_file_url(settings.url));
  SP_TRY(auto const files, read_policy_files(path));
  SP_TRY(auto policy, policy::compile_rego(files, settings.rule, http_send_));
  auto revision = policy->revision;
  std::optional<policy::Outside> outside;
  if (senders_) outside.emplace(policy::Outside{*senders_, ways.sender, send_cache_});
  auto source =
      std::make_unique<policy::RegoSource>(fmt::format("the policy {}", name_of_policy(path)),
                                           std::move(policy), kJudgementLimits, outside);
  watched_.push_back({std::move(path), settings.rule, source.get(), std::move(revision), {}});
  return source;
}

void PolicyKeeper::watch() {
  for (auto const& each : watched_) {
    // The folder of a file: editors put another file in its place.
    std::error_code ignored;
    auto const folder = fs::is_directory(each.path, ignored) ? each.path : each.path.parent_path();
    if (inotify_add_watch(changes_, folder.c_str(), kChanges) < 0) {
      log::warn("changes of a policy are not noticed by themselves",
                {{"folder", folder.string()}, {"reason", std::generic_category().message(errno)}});
    }
  }
  thread_ = std::thread{[this] { run(); }};
}

void PolicyKeeper::reload() {
  eventfd_write(wake_, 1);
}

void PolicyKeeper::run() {
  std::array<pollfd, 2> waits{pollfd{.fd = changes_, .events = POLLIN, .revents = 0},
                              pollfd{.fd = wake_, .events = POLLIN, .revents = 0}};
  while (!stops_) {
    if (poll(waits.data(), waits.size(), -1) < 0) continue;
    drain(wake_);
    for (int i = 0; i < kMostSettling && !stops_; ++i) {
      drain(changes_);
      if (poll(waits.data(), 1, kSettleMilliseconds) == 0) break;
    }
    if (!stops_) look_again();
  }
}

void PolicyKeeper::look_again() {
  for (auto& each : watched_) look_again_at(each);
  publish_problems();
}

void PolicyKeeper::publish_problems() {
  std::vector<PolicyProblem> problems;
  for (auto const& each : watched_) {
    if (each.problem.empty()) continue;
    problems.push_back(
        {.policy = name_of_policy(each.path), .problem = each.problem, .in_force = each.revision});
  }
  broken_.set(static_cast<std::int64_t>(problems.size()));
  problems_.publish(std::make_shared<std::vector<PolicyProblem> const>(std::move(problems)));
}

void PolicyKeeper::look_again_at(Watched& watched) {
  auto const files = read_policy_files(watched.path);
  if (!files) return report_broken(watched, files.error());
  if (files->revision == watched.revision && watched.problem.empty()) return;
  auto policy = policy::compile_rego(*files, watched.rule, http_send_);
  if (!policy) return report_broken(watched, policy.error());
  watched.problem.clear();
  if (files->revision == watched.revision) return;  // mended by going back
  watched.revision = files->revision;
  watched.source->replace(*std::move(policy));
  reloads_.add(1);
  log::info("policy replaced", {{"policy", watched.path.string()}, {"revision", watched.revision}});
}

void PolicyKeeper::report_broken(Watched& watched, Error const& error) {
  watched.problem = error.detail.empty() ? "cannot be used" : error.detail;
  log::error("POLICY CANNOT BE USED: the one before stays in force",
             {{"policy", watched.path.string()},
              {"in_force", watched.revision},
              {"problem", error.message}});
}

}  // namespace sallyport::app
