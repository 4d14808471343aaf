// Hears what a server says during a call: progress and log on standard error; its questions are put
// to whoever sits at the terminal, field by field.
#pragma once

#include "src/app/servers/form_field.hpp"
#include "src/app/terminal_lines.hpp"
#include "src/mcp/client/listener.hpp"

#include <iosfwd>
#include <memory>

namespace sallyport::app::servers {

class TerminalListener final : public mcp::client::Listener {
 public:
  // Without `lines` nobody is there: every question is refused.
  TerminalListener(std::string server, std::ostream& err, std::unique_ptr<TerminalLines> lines)
      : server_{std::move(server)}, err_{err}, lines_{std::move(lines)} {}

  // What the server may ask, as it is told.
  json::Object capabilities() const;

  void progress(json::Object const& params) override;
  void log(json::Object const& params) override;
  Task<mcp::client::Answers> answer(mcp::client::Inquiry inquiry) override;

 private:
  Task<json::Object> answer_one(mcp::client::Question const& question);
  Task<json::Object> fill_in(json::Object const& schema);
  Task<std::optional<json::Value>> ask_for(FormField const& field);
  Task<bool> agrees(std::string_view to_what);
  void show(std::string_view text);

  std::string server_;
  std::ostream& err_;
  std::unique_ptr<TerminalLines> lines_;
};

}  // namespace sallyport::app::servers
