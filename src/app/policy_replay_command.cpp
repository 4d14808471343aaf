#include "src/app/policy_replay_command.hpp"

#include "src/app/audit_text.hpp"
#include "src/app/policy_replay_text.hpp"
#include "src/app/when.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ostream>
#include <unistd.h>

namespace sallyport::app {
namespace {

constexpr char const* kReplayExamples = R"(Examples:
  sallyport policy replay --since 7d --policy new.rego
  sallyport policy replay --since 2026-07-28 --until 2026-07-29 --policy policies/ --format json

Nothing is sent. Records have no values of headers, no scopes, and masked URLs: a change that may
depend on them is marked. Exit code 0: nothing changes; 1: something does; 2: nobody can tell.)";

constexpr std::uint64_t kProgressEvery = 1000;

// How far it is, on a terminal, until there is something better to read.
class Progress {
 public:
  Progress(std::ostream& err, std::int64_t total)
      : err_{err}, total_{total}, shown_{isatty(STDERR_FILENO) == 1} {}
  ~Progress() { clear(); }
  Progress(Progress const&) = delete;
  Progress& operator=(Progress const&) = delete;

  void show(std::uint64_t done) {
    if (!shown_ || done % kProgressEvery != 0) return;
    err_ << fmt::format("\r{} of at most {} records", done, total_) << std::flush;
    dirty_ = true;
  }
  void clear() {
    if (dirty_) err_ << "\r\x1b[K" << std::flush;
    dirty_ = false;
  }

 private:
  std::ostream& err_;
  std::int64_t total_;
  bool shown_;
  bool dirty_{false};
};

// Prints changes as they come, so that their number does not matter.
class ChangePrinter {
 public:
  ChangePrinter(std::ostream& out, bool json, std::size_t limit)
      : out_{out}, json_{json}, limit_{limit} {
    if (json_) out_ << R"({"changes":[)";
  }

  void print(ReplayChange const& change) {
    if (limit_ > 0 && shown_ == limit_) return;
    if (json_) {
      out_ << (shown_ == 0 ? "\n" : ",\n") << change_json(change);
    } else {
      out_ << change_text(change);
    }
    ++shown_;
  }
  void close(PolicyReplay const& replay) {
    if (json_) {
      out_ << "\n],\"summary\":" << summary_json(replay, shown_) << "}\n";
    } else {
      out_ << summary_text(replay, shown_);
    }
    out_.flush();
  }

 private:
  std::ostream& out_;
  bool json_;
  std::size_t limit_;
  std::uint64_t shown_{0};
};

Error with_place(std::string const& file, Error const& error) {
  auto const detail = error.detail.empty() ? "" : fmt::format(" ({})", error.detail);
  return fail(error.code, fmt::format("{}: {}", file, for_terminal(error.message + detail)));
}

}  // namespace

void PolicyReplayCommand::add(CLI::App& policy_group, std::optional<std::string>& config_file) {
  command_ = policy_group.add_subcommand("replay", "Judge recorded calls again, by another policy");
  command_->footer(kReplayExamples);
  command_->add_option("--since", since_, "From then on: 1h (ago), or 2026-07-28T12:00:00Z")
      ->required()
      ->type_name("TIME");
  command_->add_option("--until", until_, "Before then, written like --since")->type_name("TIME");
  command_->add_option("--policy", policy_, "The policy: a file, or a folder with its files")
      ->required()
      ->type_name("FILE|DIR");
  command_->add_option("--rule", rule_, "The rule that must be true")
      ->default_str(rule_)
      ->type_name("RULE");
  command_->add_option("--limit", limit_, "Print so many changes at most; 0: all")
      ->default_str("100");
  CLI::IsMember formats{std::vector<std::string>{"text", "json"}};
  formats.description("");
  command_->add_option("--format", format_, "Form of the output")
      ->default_str(format_)
      ->check(formats)
      ->type_name("text|json");
  command_->add_option("--file", file_, "The audit log; else the one that the settings name")
      ->type_name("FILE");
  command_
      ->add_option_function<std::string>(
          "-c,--config", [&config_file](std::string const& path) { config_file = path; },
          "YAML file with settings; else the variable SALLYPORT_CONFIG names one")
      ->type_name("FILE");
}

bool PolicyReplayCommand::parsed() const {
  return command_->parsed();
}

Result<int> PolicyReplayCommand::replay(std::string const& log_file,
                                        Surroundings const& surroundings) const {
  audit::Filter filter;
  SP_TRY(filter.since, parse_when(since_, "--since"));
  SP_TRY(filter.until, parse_when(until_, "--until"));
  SP_TRY(auto replay, PolicyReplay::create(policy_, rule_));
  auto log = audit::LogReader::open(log_file);
  if (!log) return with_place(log_file, log.error());
  auto const total = log->count();
  if (!total) return with_place(log_file, total.error());

  Progress progress{surroundings.err, *total};
  ChangePrinter printer{surroundings.out, format_ == "json", limit_};
  auto const on_change = [&](ReplayChange const& change) {
    progress.clear();
    printer.print(change);
  };
  auto const done = log->each(filter, [&](audit::Entry const& entry) {
    replay.judge(entry, on_change);
    progress.show(replay.summary().records);
    return surroundings.out.good();
  });
  progress.clear();
  if (!done) return with_place(log_file, done.error());
  printer.close(replay);
  return replay.summary().changes() == 0 ? 0 : 1;
}

int PolicyReplayCommand::run(std::string const& settings_file,
                             Surroundings const& surroundings) const {
  auto const& file = file_.empty() ? settings_file : file_;
  if (file.empty()) {
    surroundings.err << "sallyport: nobody says where the audit log is; name it with --file\n";
    return kUsageError;
  }
  auto const code = replay(file, surroundings);
  if (code) return *code;
  surroundings.err << "sallyport: " << code.error().message << '\n';
  return kUsageError;
}

}  // namespace sallyport::app
