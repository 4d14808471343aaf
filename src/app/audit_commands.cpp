#include "src/app/audit_commands.hpp"

#include "src/app/audit_text.hpp"
#include "src/app/when.hpp"
#include "src/audit/verify.hpp"
#include "src/store/digest.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ostream>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace sallyport::app {
namespace {

constexpr char const* kAuditExamples = R"(Examples:
  sallyport audit list --since 1h --verdict denied
  sallyport audit show 0198f2c1a7e4
  sallyport audit verify --public-key audit.pub

All of them only read, and may be used while the server runs.)";

constexpr char const* kListExamples = R"(Examples:
  sallyport audit list --since 1h --verdict denied
  sallyport audit list --host api.example.com --principal alice --limit 200
  sallyport audit list --since 2026-07-28T12:00Z --until 2026-07-28T13:00Z --format json

The newest record comes first.)";

constexpr char const* kShowExamples = R"(Examples:
  sallyport audit show 0198f2c1a7e4
  sallyport audit show 0198f2c1a7e4 --format json

The id is in the result or the error of the call.)";

constexpr char const* kTailExamples = R"(Examples:
  sallyport audit tail -n 50
  sallyport audit tail -f)";

constexpr char const* kVerifyExamples = R"(Examples:
  sallyport audit verify
  sallyport audit verify --public-key /safe/place/audit.pub

Exit code 0: nobody changed the log; 1: somebody did, and where. Keep a copy of the public key
elsewhere: who can change the log can also change the one beside it.)";

constexpr char const* kExportExamples = R"(Examples:
  sallyport audit export --since 24h > calls.jsonl
  sallyport audit export --format csv --tool fetch > calls.csv

The oldest record comes first.)";

constexpr int kPollMilliseconds = 200;

CLI::Validator member_of(std::vector<std::string> words) {
  CLI::IsMember validator{std::move(words)};
  validator.description("");
  return validator;
}

void add_choice(CLI::App& command, std::string& value, std::vector<std::string> const& words) {
  command.add_option("--format", value, "Form of the output")
      ->default_str(value)
      ->check(member_of(words))
      ->type_name(words.front() + "|" + words.back());
}

// Waits for a moment. False: nobody reads our output any more.
bool wait_a_moment() {
  pollfd output{.fd = STDOUT_FILENO, .events = 0, .revents = 0};
  return poll(&output, 1, kPollMilliseconds) == 0 || (output.revents & POLLERR) == 0;
}

void print_findings(audit::Verification const& result, std::ostream& out) {
  for (auto const& finding : result.findings) out << for_terminal(to_string(finding)) << '\n';
  auto const count = result.findings.size() + result.more_findings;
  if (result.more_findings > 0) out << "… and " << result.more_findings << " more.\n";
  out << fmt::format("The audit log is NOT as it was written: {} finding{} in {} records.\n", count,
                     count == 1 ? "" : "s", result.records);
}

void print_facts(audit::Verification const& result, std::ostream& out) {
  auto const& head = result.head;
  if (result.findings.empty()) {
    out << fmt::format("The audit log is as it was written: {} records, seq {} to {}.\n",
                       result.records, result.removed_before + 1, head.at.seq + result.only_sealed);
  }
  if (head.at.seq > 0) {
    out << fmt::format("head        seq {}, signed {}\n", head.at.seq,
                       audit::time_text(audit::time_of(head.time)));
    out << fmt::format("hash        {}\n", store::to_hex(store::view(head.at.hash)));
    out << fmt::format("key         {}\n", head.key);
  }
  if (result.only_sealed > 0) {
    out << fmt::format("sealed      {} records since then, not signed yet\n", result.only_sealed);
  }
  if (result.removed_before > 0) {
    out << fmt::format("retention   removed the records up to seq {}\n", result.removed_before);
  }
  if (result.unrecorded > 0) {
    out << fmt::format("unrecorded  {} calls, as the log itself says\n", result.unrecorded);
  }
}

}  // namespace

CLI::App* AuditCommands::add_command(char const* name, char const* description,
                                     char const* examples) {
  auto* command = audit_->add_subcommand(name, description);
  command->footer(examples);
  command->add_option("--file", file_, "The audit log; else the one that the settings name")
      ->type_name("FILE");
  command
      ->add_option_function<std::string>(
          "-c,--config", [this](std::string const& path) { *config_file_ = path; },
          "YAML file with settings; else the variable SALLYPORT_CONFIG names one")
      ->type_name("FILE");
  return command;
}

void AuditCommands::add_filter(CLI::App& command) {
  command.add_option("--since", since_, "From then on: 1h (ago), or 2026-07-28T12:00:00Z")
      ->type_name("TIME");
  command.add_option("--until", until_, "Before then, written like --since")->type_name("TIME");
  command.add_option("--principal", principal_, "Calls of that caller")->type_name("NAME");
  command.add_option("--tool", tool_, "Calls of that tool")->type_name("NAME");
  command.add_option("--host", host_, "Calls that went to that host, redirects included")
      ->type_name("HOST");
  command.add_option("--verdict", verdict_, "What was decided")
      ->check(member_of({"allowed", "denied"}))
      ->type_name("allowed|denied");
  command.add_option("--status", status_, "HTTP status of the last answer; 0: none")
      ->type_name("NUMBER");
}

void AuditCommands::add(CLI::App& root, std::optional<std::string>& config_file) {
  config_file_ = &config_file;
  audit_ = root.add_subcommand("audit", "Read and prove the record of all calls");
  audit_->footer(kAuditExamples);
  audit_->require_subcommand(1);

  list_ = add_command("list", "List records, the newest first", kListExamples);
  add_filter(*list_);
  list_->add_option("--limit", limit_, "So many at most; 0: all")->default_str("50");
  add_choice(*list_, list_format_, {"table", "json"});

  show_ = add_command("show", "Show everything about one call", kShowExamples);
  show_->add_option("id", id_, "The id of the call")->required()->type_name("ID");
  add_choice(*show_, show_format_, {"text", "json"});

  tail_ = add_command("tail", "Show the last records", kTailExamples);
  tail_->add_flag("-f,--follow", follow_, "Go on as records are written, until Ctrl+C");
  tail_->add_option("-n,--lines", last_, "So many of the last")->default_str("20");

  verify_ = add_command("verify", "Prove that nobody changed the log", kVerifyExamples);
  verify_
      ->add_option("--public-key", public_key_,
                   "Public key (PEM) that must have signed it; else the one beside the log")
      ->type_name("FILE");

  export_ = add_command("export", "Write records to standard output", kExportExamples);
  add_filter(*export_);
  add_choice(*export_, export_format_, {"jsonl", "csv"});
}

bool AuditCommands::parsed() const {
  return audit_->parsed();
}

Result<audit::Filter> AuditCommands::filter() const {
  audit::Filter filter;
  SP_TRY(filter.since, parse_when(since_, "--since"));
  SP_TRY(filter.until, parse_when(until_, "--until"));
  filter.principal = principal_;
  filter.tool = tool_;
  filter.host = host_;
  if (!verdict_.empty()) {
    filter.verdict = verdict_ == "allowed" ? audit::Verdict::Allowed : audit::Verdict::Denied;
  }
  filter.status = status_;
  return filter;
}

Result<void> AuditCommands::list(audit::LogReader& log, std::ostream& out) const {
  SP_TRY(auto wanted, filter());
  wanted.limit = limit_;
  wanted.order = audit::Order::NewestFirst;
  bool const table = list_format_ == "table";
  out << (table ? table_heading() : "[");
  bool first = true;
  auto const done = log.each(wanted, [&](audit::Entry const& entry) {
    out << (table || first ? "" : ",\n") << (table ? table_row(entry) : json_line(entry));
    first = false;
    return out.good();
  });
  if (!table) out << "]\n";
  return done;
}

Result<void> AuditCommands::show(audit::LogReader& log, std::ostream& out) const {
  SP_TRY(auto const entries, log.find(id_));
  for (auto const& entry : entries) {
    // Blank lines between several records of one call.
    if (show_format_ == "text" && &entry != &entries.front()) out << '\n';
    out << (show_format_ == "text" ? full_text(entry) : json_line(entry) + "\n");
  }
  return {};
}

Result<void> AuditCommands::tail(audit::LogReader& log, std::ostream& out) const {
  std::vector<std::string> rows;
  std::int64_t seen = 0;
  SP_TRY(auto version, log.version());
  SP_CHECK(log.each({.limit = std::max<std::size_t>(last_, 1), .order = audit::Order::NewestFirst},
                    [&](audit::Entry const& entry) {
                      seen = std::max(seen, entry.seq);
                      if (last_ > 0) rows.push_back(table_row(entry));
                      return true;
                    }));
  out << table_heading();
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) out << *row;
  out.flush();
  while (follow_ && out.good() && wait_a_moment()) {
    SP_TRY(auto const now, log.version());
    if (std::exchange(version, now) == now) continue;
    SP_CHECK(log.each({.after_seq = seen}, [&](audit::Entry const& entry) {
      seen = entry.seq;
      out << table_row(entry);
      return out.good();
    }));
    out.flush();
  }
  return {};
}

Result<void> AuditCommands::dump(audit::LogReader& log, std::ostream& out) const {
  SP_TRY(auto const wanted, filter());
  bool const csv = export_format_ == "csv";
  if (csv) out << csv_heading();
  return log.each(wanted, [&](audit::Entry const& entry) {
    out << (csv ? csv_row(entry) : json_line(entry) + "\n");
    return out.good();
  });
}

Result<int> AuditCommands::verify(audit::LogReader& log, std::string const& file,
                                  Surroundings const& surroundings) const {
  auto const key_file = public_key_.empty() ? file + ".pub" : public_key_;
  auto const key = store::PublicKey::read(key_file);
  if (!key) {
    return fail(Errc::InvalidInput,
                fmt::format("{} Name the public key with --public-key.", key.error().message),
                key.error().detail);
  }
  SP_TRY(auto const total, log.count());
  bool const shows_progress = isatty(STDERR_FILENO) == 1;
  // Who may read the private key can also check what is not signed yet.
  std::optional<audit::Sealer> sealer;
  if (auto const own = store::SigningKey::read(file + ".key")) sealer.emplace(*own);
  auto const result = audit::verify(log, *key, sealer, [&](std::int64_t done) {
    if (shows_progress)
      surroundings.err << fmt::format("\r{} of {} records", done, total) << std::flush;
  });
  if (shows_progress) surroundings.err << "\r\x1b[K" << std::flush;
  if (!result) return result.error();
  if (!result->findings.empty()) print_findings(*result, surroundings.out);
  print_facts(*result, surroundings.out);
  return result->findings.empty() ? 0 : 1;
}

int AuditCommands::run(std::string const& settings_file, Surroundings const& surroundings) const {
  auto const& file = file_.empty() ? settings_file : file_;
  auto const report = [&](Error const& error) {
    auto const detail = error.detail.empty() ? "" : fmt::format(" ({})", error.detail);
    surroundings.err << "sallyport: " << file << ": " << for_terminal(error.message + detail)
                     << '\n';
    return 1;
  };
  if (file.empty()) {
    surroundings.err << "sallyport: nobody says where the audit log is; name it with --file\n";
    return kUsageError;
  }
  if (auto const wanted = filter(); !wanted) {
    surroundings.err << "sallyport: " << wanted.error().message << '\n';
    return kUsageError;
  }
  auto log = audit::LogReader::open(file);
  if (!log) return report(log.error());
  if (verify_->parsed()) {
    auto const code = verify(*log, file, surroundings);
    return code ? *code : report(code.error());
  }
  auto const done = list_->parsed()   ? list(*log, surroundings.out)
                    : show_->parsed() ? show(*log, surroundings.out)
                    : tail_->parsed() ? tail(*log, surroundings.out)
                                      : dump(*log, surroundings.out);
  surroundings.out.flush();
  return done ? 0 : report(done.error());
}

}  // namespace sallyport::app
