// Records of the audit log as people and programs read them.
#pragma once

#include "src/audit/log_reader.hpp"

#include <string>
#include <string_view>

namespace sallyport::app {

// SECURITY: what a peer wrote cannot move the cursor or change colours: control characters are
// replaced.
std::string for_terminal(std::string_view text);

std::string table_heading();
std::string table_row(audit::Entry const& entry);

// Everything, one thing per line.
std::string full_text(audit::Entry const& entry);

// {"seq":…,"hash":"…","record":{…}} on one line; a record that cannot be read is a text.
std::string json_line(audit::Entry const& entry);

std::string csv_heading();
std::string csv_row(audit::Entry const& entry);  // RFC 4180

}  // namespace sallyport::app
