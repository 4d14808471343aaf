// The built program behind a test: its settings in a file of the test's own, asked over HTTP as an
// MCP client asks, and its audit log read with its own commands.
//
//   Gateway gateway{{.egress = "  open: [\"127.0.0.2:8080\"]\n"}};
//   auto const reply = gateway.fetch("http://127.0.0.2:8080/");
//   EXPECT_EQ(gateway.records().size(), 1);
#pragma once

#include "src/json/write.hpp"

#include "tests/support/child_process.hpp"
#include "tests/support/mcp_client.hpp"
#include "tests/support/temp_folder.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace sallyport::test {

struct GatewayOptions {
  std::string egress{};                  // lines of YAML below `egress:`
  std::string fetch{"  robots: false"};  // below `fetch:`
  std::string audit{};                   // below `audit:`, besides the file
  std::string more{};                    // whole sections
  std::size_t loops{1};
  std::vector<std::string> environment{};
};

// What a caller of a tool gets.
struct Reply {
  int http_status{0};  // 0: the connection ended without an answer
  bool is_error{false};
  std::string text{};     // of the first content block
  std::string code{};     // of an error
  std::string call_id{};  // as in the audit log
  json::Object result{};
  std::string whole{};

  static Reply read(RawResponse const& response) {
    Reply reply{.http_status = response.status, .whole = response.body};
    // Either form that the transport may choose.
    auto const event = response.body.starts_with('{') ? std::string::npos  // it may be in a text
                                                      : response.body.rfind("data: ");
    auto const message =
        parsed(event == std::string::npos ? response.body : response.body.substr(event + 6));
    auto const* const result = json::find_object(message, "result");
    if (result == nullptr) return reply;
    reply.result = *result;
    if (auto const* error = json::find(*result, "isError")) reply.is_error = error->as_bool();
    auto const* const content = json::find(*result, "content");
    if (content != nullptr && content->is_array() && !content->get_array().empty()) {
      reply.text = text_in(content->get_array().front().as_object(), "text");
    }
    // Of an answer in the structured content, of a failure in the metadata.
    if (auto const* facts = json::find_object(*result, "structuredContent")) {
      reply.call_id = text_in(*facts, "callId");
    }
    auto const* const meta = json::find_object(*result, "_meta");
    auto const* const error = meta ? json::find_object(*meta, "sallyport/error") : nullptr;
    if (error == nullptr) return reply;
    reply.code = text_in(*error, "code");
    reply.call_id = text_in(*error, "callId");
    return reply;
  }

  static std::string text_in(json::Object const& object, std::string_view name) {
    auto const* const found = json::find_string(object, name);
    return found == nullptr ? std::string{} : std::string{json::view(*found)};
  }
};

// One record of the audit log, as `audit export` writes it.
struct AuditEntry {
  json::Object body;

  std::string text(std::string_view name) const { return Reply::text_in(body, name); }
  std::int64_t number(std::string_view name) const {
    return body.at(name).to_number<std::int64_t>();
  }
  json::Array const& hops() const { return body.at("hops").as_array(); }
  std::string hop(std::size_t index, std::string_view name) const {
    return Reply::text_in(hops().at(index).as_object(), name);
  }
  std::string all() const { return json::to_text(body); }
};

class Gateway {
 public:
  explicit Gateway(GatewayOptions options = {}) : options_{std::move(options)} {
    folder_.write("settings.yaml", settings());
    start();
  }
  ~Gateway() {
    if (!process_) return;
    EXPECT_EQ(stop(), 0) << log();
    EXPECT_EQ(log().find("Sanitizer"), std::string::npos) << log();
  }
  Gateway(Gateway const&) = delete;
  Gateway& operator=(Gateway const&) = delete;

  std::uint16_t port() const noexcept { return port_; }
  pid_t pid() const noexcept { return process_->pid(); }
  std::string audit_file() const { return folder_.file("audit.db"); }
  TempFolder const& folder() const noexcept { return folder_; }

  void start() {
    folder_.write("log", "");
    process_ = std::make_unique<ChildProcess>(
        std::vector<std::string>{"/bin/sh", "-c", R"(exec "$@" 2>>"$0")", folder_.file("log"),
                                 SALLYPORT_PROGRAM, "serve", "--config",
                                 folder_.file("settings.yaml")},
        options_.environment);
    port_ = announced_port();
    EXPECT_NE(port_, 0) << log();
  }

  void signal(int number) const { process_->signal(number); }
  // Its exit code, or the negative number of the signal that ended it.
  int wait() {
    auto const code = process_->wait();
    process_.reset();
    return code;
  }
  int stop() {
    signal(SIGTERM);
    return wait();
  }

  // The arguments of `fetch`; `more` are members besides the URL, with a comma in front.
  static Modern fetch_call(std::string const& url, std::string const& more = {}) {
    return modern_call("fetch", R"({"url":")" + url + R"(")" + more + "}");
  }
  Reply fetch(std::string const& url, std::string const& more = {}) const {
    return call(fetch_call(url, more));
  }
  Reply call(Modern const& message) const {
    RawClient client{port_};
    return call(client, message);
  }
  static Reply call(RawClient& client, Modern const& message) {
    client.send(message.http());
    return Reply::read(client.receive());
  }

  std::string log() const { return contents("log"); }
  std::string contents(std::string_view name) const {
    std::ifstream file{folder_.file(name), std::ios::binary};
    return (std::stringstream{} << file.rdbuf()).str();
  }

  // Everything that the program has written anywhere: its log, and the audit log as it is on disk.
  std::string written() const {
    std::string all;
    for (auto const& file : std::filesystem::directory_iterator{folder_.path()}) {
      auto const name = file.path().filename().string();
      if (name != "settings.yaml") all += contents(name);
    }
    return all;
  }
  std::string metrics() const {
    RawClient client{port_};
    client.send(http_request("GET", "/metrics", {}));
    return client.receive().body;
  }

  // All records, or those of one purpose, the oldest first.
  std::vector<AuditEntry> records(std::string const& purpose = {}) const {
    std::vector<AuditEntry> found;
    ChildProcess exporting{{SALLYPORT_PROGRAM, "audit", "export", "--file", audit_file()}};
    for (auto line = exporting.line(); !line.empty(); line = exporting.line()) {
      AuditEntry entry{parsed(line).at("record").as_object()};
      if (purpose.empty() || entry.text("purpose") == purpose) found.push_back(std::move(entry));
    }
    EXPECT_EQ(exporting.wait(), 0);
    return found;
  }
  std::size_t record_count() const {
    std::size_t count = 0;
    ChildProcess exporting{{SALLYPORT_PROGRAM, "audit", "export", "--file", audit_file()}};
    while (!exporting.line().empty()) ++count;
    return count;
  }
  // Once there are so many; what a caller did not wait for comes a moment later.
  std::vector<AuditEntry> records_after(std::size_t count) const {
    auto found = records();
    for (int left = 100; found.size() < count && left > 0; --left) {
      std::this_thread::sleep_for(std::chrono::milliseconds{30});
      found = records();
    }
    return found;
  }
  bool audit_log_is_sound() const {
    ChildProcess verifying{{SALLYPORT_PROGRAM, "audit", "verify", "--file", audit_file()}};
    while (!verifying.line().empty()) {
    }
    return verifying.wait() == 0;
  }

 private:
  // From its log: listening mcp="http://127.0.0.1:PORT/mcp" …; 0 when it does not come up.
  std::uint16_t announced_port() const {
    constexpr std::string_view kBefore = "listening mcp=\"http://127.0.0.1:";
    for (int left = 6000; left > 0; --left) {
      auto const text = log();
      auto const at = text.find(kBefore);
      if (at != std::string::npos && text.find('\n', at) != std::string::npos) {
        return static_cast<std::uint16_t>(std::stoul(text.substr(at + kBefore.size())));
      }
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
    return 0;
  }

  std::string settings() const {
    return "listen:\n  port: 0\n  loops: " + std::to_string(options_.loops) +
           "\nlog:\n  level: debug\naudit:\n  file: \"" + audit_file() + "\"\n" + options_.audit +
           "\n" + section("fetch", options_.fetch) + section("egress", options_.egress) +
           options_.more;
  }
  static std::string section(std::string const& name, std::string const& lines) {
    return lines.empty() ? std::string{} : name + ":\n" + lines + "\n";
  }

  GatewayOptions options_;
  TempFolder folder_;
  std::unique_ptr<ChildProcess> process_;
  std::uint16_t port_{0};
};

// As `open` takes it.
inline std::string place(std::uint16_t port) {
  return "127.0.0.1:" + std::to_string(port);
}

// A line for GatewayOptions::egress that opens addresses ("127.0.0.2:8080") or hosts.
inline std::string open(std::vector<std::string> const& places) {
  std::string line = "  open: [";
  for (auto const& place : places) line += (line.ends_with('[') ? "\"" : ", \"") + place + "\"";
  return line + "]\n";
}

}  // namespace sallyport::test

// One call, one record, and both tell the same: `code` is empty where the call succeeded.
#define EXPECT_ONE_RECORD(gateway, reply, expected_code)              \
  do {                                                                \
    auto const sallyport_records = (gateway).records();               \
    ASSERT_EQ(sallyport_records.size(), 1);                           \
    EXPECT_EQ(sallyport_records[0].text("id"), (reply).call_id);      \
    EXPECT_EQ(sallyport_records[0].text("error_code"), expected_code) \
        << sallyport_records[0].all();                                \
  } while (false)
