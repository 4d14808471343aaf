// What is judged, and what is written down.
#include "src/config/table/places.hpp"

namespace sallyport::config {
namespace {

constexpr Setting kTable[] = {
    {.key = "policies",
     .place = EntriesAt{&kPolicyList},
     .help = "Rego policies that judge calls; in a variable or a flag: JSON, or a file of it",
     .environment = "SALLYPORT_POLICIES_JSON",
     .flag = "--policies-json"},

    {.key = "audit.enabled",
     .place = SP_AT(audit.enabled),
     .help = "Record every call that leaves"},
    {.key = "audit.file",
     .place = SP_AT(audit.file),
     .help = "SQLite file of the audit log",
     .default_note = "`audit.db` in `$STATE_DIRECTORY`, `$XDG_STATE_HOME/sallyport` or "
                     "`~/.local/state/sallyport`"},
    {.key = "audit.key_file",
     .place = SP_AT(audit.key_file),
     .help = "Private Ed25519 key (PEM) that signs the log; made when it does not exist",
     .default_note = "beside the log, with the ending `.key`"},
    {.key = "audit.durability",
     .place = SP_AT(audit.durability),
     .help = "What a record survives: the end of the process, or power loss (fsync per commit)"},
    {.key = "audit.when_full",
     .place = SP_AT(audit.when_full),
     .help = "While the log cannot be written: refuse calls, or continue unrecorded"},
    {.key = "audit.keep_for",
     .place = SP_AT(audit.keep_for),
     .help = "Older records are removed",
     .minimum = 60'000,
     .maximum = 36'500 * kDay},
    {.key = "audit.keep_bytes",
     .place = SP_BYTES(audit.keep_bytes),
     .help = "The oldest records are removed when the log grows beyond this",
     .minimum = kMiB,
     .maximum = 1024 * kGiB},
    {.key = "audit.checkpoint_every",
     .place = SP_AT(audit.checkpoint_every),
     .help = "Records between two signed checkpoints",
     .minimum = 1,
     .maximum = 1'000'000},
    {.key = "audit.shown_query_parameters",
     .place = SP_AT(audit.shown_query_parameters),
     .help = "Query parameters whose values are recorded; all others are masked",
     .check = &not_empty},

    {.key = "state_key",
     .place = SP_AT(state_key),
     .help = "Seals what clients hold for us; the same on all replicas, made up when unset",
     .check = &long_enough_key},
    {.key = "state_key_file",
     .place = SP_AT(sources.state_key_file),
     .help = "File whose first line is the state key"},

    {.key = "log.level", .place = SP_AT(log.level), .help = "What is logged"},
    {.key = "log.format", .place = SP_AT(log.format), .help = "Form of the log on stderr"},
};

}  // namespace

std::span<Setting const> records_settings() noexcept {
  return kTable;
}

}  // namespace sallyport::config
