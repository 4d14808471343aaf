// A DNS server on 127.0.0.1 (UDP and TCP on one port) that answers what a test tells it to, from a
// thread of its own. Names that it was not told of do not exist.
//
//   DnsServer dns;
//   dns.answer("a.example", {.addresses = {"192.0.2.1", "2001:db8::1"}, .ttl = 60});
//   dns.sequence("rebind.example", {{.addresses = {"192.0.2.1"}, .ttl = 0},
//                                   {.addresses = {"127.0.0.1"}}});
//   DnsOptions options{.servers = {dns.address()}};
#pragma once

#include "src/base/task.hpp"
#include "src/url/ip_address.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace sallyport::test {

enum class DnsReply { Answer, NoSuchName, ServerFailure, Refused, Silence };
enum class DnsType : std::uint16_t { A = 1, Cname = 5, Aaaa = 28 };

struct DnsScript {
  std::vector<std::string> addresses{};  // IPv4 and IPv6; each question gets those of its family
  std::uint32_t ttl{60};
  std::string alias{};  // a CNAME, followed as far as this server knows the way
  DnsReply reply{DnsReply::Answer};
  bool truncated{false};  // over UDP; the whole answer comes over TCP
};

class DnsServer {
 public:
  DnsServer() {
    open();
    asio::co_spawn(context_, serve_udp(), asio::detached);
    asio::co_spawn(context_, accept(), asio::detached);
    thread_ = std::thread{[this] { context_.run(); }};
  }
  ~DnsServer() {
    context_.stop();
    thread_.join();
  }
  DnsServer(DnsServer const&) = delete;
  DnsServer& operator=(DnsServer const&) = delete;

  std::uint16_t port() const { return port_; }
  // As DnsOptions::servers takes it.
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  // From now on, for both families.
  void answer(std::string const& name, DnsScript script) { sequence(name, {std::move(script)}); }

  // From now on, for questions of one type; the other keeps what it had.
  void answer(std::string const& name, DnsType type, DnsScript script) {
    std::scoped_lock const lock{mutex_};
    names_[name][type] = {.scripts = {std::move(script)}};
  }

  // One look-up after the other; the last one stays.
  void sequence(std::string const& name, std::vector<DnsScript> const& scripts) {
    std::scoped_lock const lock{mutex_};
    for (auto const type : {DnsType::A, DnsType::Aaaa}) names_[name][type] = {.scripts = scripts};
  }

  // How many questions came for `name`; a look-up asks two, one for each family.
  std::size_t questions(std::string const& name) const {
    std::scoped_lock const lock{mutex_};
    auto const found = asked_.find(name);
    return found == asked_.end() ? 0 : found->second;
  }
  std::size_t tcp_questions() const {
    std::scoped_lock const lock{mutex_};
    return tcp_questions_;
  }

 private:
  using Udp = asio::basic_datagram_socket<asio::ip::udp, Executor>;
  using Tcp = asio::basic_stream_socket<asio::ip::tcp, Executor>;
  using Acceptor = asio::basic_socket_acceptor<asio::ip::tcp, Executor>;
  enum class Over { Udp, Tcp };

  struct Turns {
    std::vector<DnsScript> scripts;
    std::size_t next{0};
  };
  struct Question {
    std::string name;       // lower case, dots between labels
    std::string_view wire;  // with type and class
    std::uint16_t type{0};
  };

  // A port that is free for both protocols.
  void open() {
    auto const loopback = asio::ip::address_v4::loopback();
    for (int attempt = 0;; ++attempt) {
      udp_ = Udp{context_.get_executor(), {loopback, 0}};
      port_ = udp_.local_endpoint().port();
      boost::system::error_code failed;
      acceptor_ = Acceptor{context_.get_executor()};
      acceptor_.open(asio::ip::tcp::v4());
      acceptor_.bind({loopback, port_}, failed);
      if (!failed) break;
      if (attempt == 20) throw boost::system::system_error{failed};
    }
    acceptor_.listen();
  }

  Async<void> serve_udp() {
    std::array<char, 4096> buffer{};
    while (true) {
      asio::ip::udp::endpoint peer;
      auto const [failed, size] =
          co_await udp_.async_receive_from(asio::buffer(buffer), peer, use_tuple);
      if (failed) continue;
      auto const reply = reply_to({buffer.data(), size}, Over::Udp);
      if (!reply.empty()) co_await udp_.async_send_to(asio::buffer(reply), peer, use_tuple);
    }
  }

  Async<void> accept() {
    while (true) {
      Tcp socket{context_.get_executor()};
      co_await acceptor_.async_accept(socket, use_async);
      asio::co_spawn(context_, serve_tcp(std::move(socket)), asio::detached);
    }
  }

  Async<void> serve_tcp(Tcp socket) {
    while (true) {
      std::array<unsigned char, 2> length{};
      auto const [ended, _] = co_await asio::async_read(socket, asio::buffer(length), use_tuple);
      if (ended) co_return;
      std::string query(length[0] * 256U + length[1], '\0');
      co_await asio::async_read(socket, asio::buffer(query), use_async);
      auto const reply = reply_to(query, Over::Tcp);
      if (reply.empty()) continue;
      std::string framed;
      append16(framed, static_cast<std::uint16_t>(reply.size()));
      framed += reply;
      co_await asio::async_write(socket, asio::buffer(framed), use_async);
    }
  }

  static void append16(std::string& out, std::uint16_t value) {
    out += static_cast<char>(value >> 8U);
    out += static_cast<char>(value & 0xFFU);
  }
  static void append32(std::string& out, std::uint32_t value) {
    append16(out, static_cast<std::uint16_t>(value >> 16U));
    append16(out, static_cast<std::uint16_t>(value & 0xFFFFU));
  }
  static void append_name(std::string& out, std::string_view name) {
    while (!name.empty()) {
      auto const label = name.substr(0, name.find('.'));
      out += static_cast<char>(label.size());
      out += label;
      name.remove_prefix(std::min(label.size() + 1, name.size()));
    }
    out += '\0';
  }
  static void append_record(std::string& out, std::string_view name, DnsType type,
                            std::uint32_t ttl, std::string_view data) {
    append_name(out, name);
    append16(out, static_cast<std::uint16_t>(type));
    append16(out, 1);  // IN
    append32(out, ttl);
    append16(out, static_cast<std::uint16_t>(data.size()));
    out += data;
  }

  static Question read_question(std::string_view query) {
    Question question;
    std::size_t at = 12;
    while (at < query.size() && query[at] != '\0') {
      auto const size = static_cast<unsigned char>(query[at]);
      if (!question.name.empty()) question.name += '.';
      for (char const c : query.substr(at + 1, size)) {
        question.name += c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
      }
      at += size + 1U;
    }
    if (at + 5 > query.size()) return {};
    question.type = static_cast<std::uint16_t>(static_cast<unsigned char>(query[at + 1]) * 256U +
                                               static_cast<unsigned char>(query[at + 2]));
    question.wire = query.substr(12, at + 5 - 12);
    return question;
  }

  // What is told of `name`; a null pointer for a name that does not exist.
  DnsScript const* turn(std::string const& name, DnsType type) {
    auto const found = names_.find(name);
    if (found == names_.end()) return nullptr;
    static DnsScript const nothing;
    auto const turns = found->second.find(type);
    if (turns == found->second.end()) return &nothing;
    auto& [scripts, next] = turns->second;
    auto const& script = scripts[std::min(next, scripts.size() - 1)];
    ++next;
    return &script;
  }

  // Records for `name` and for where its aliases lead.
  std::uint16_t append_records(std::string& out, std::string name, DnsType type,
                               DnsScript const* script) {
    std::uint16_t count = 0;
    for (int hops = 0; script && hops < 16; ++hops) {
      for (auto const& text : script->addresses) {
        auto const address = url::IpAddress::parse(text);
        if (!address || address->is_v4() != (type == DnsType::A)) continue;
        std::string_view const bytes{reinterpret_cast<char const*>(address->v6_bytes().data()),
                                     address->is_v4() ? 4U : 16U};
        append_record(out, name, type, script->ttl, bytes);
        ++count;
      }
      if (script->alias.empty()) break;
      std::string target;
      append_name(target, script->alias);
      append_record(out, name, DnsType::Cname, script->ttl, target);
      ++count;
      name = script->alias;
      script = turn(name, type);
    }
    return count;
  }

  // Empty: say nothing.
  std::string reply_to(std::string_view query, Over over) {
    std::scoped_lock const lock{mutex_};
    if (query.size() < 12) return {};
    auto const question = read_question(query);
    ++asked_[question.name];
    if (over == Over::Tcp) ++tcp_questions_;
    auto const type = static_cast<DnsType>(question.type);
    auto const* const script = turn(question.name, type);
    auto const kind = script ? script->reply : DnsReply::NoSuchName;
    if (kind == DnsReply::Silence) return {};

    bool const truncated = script && script->truncated && over == Over::Udp;
    std::string records;
    std::uint16_t count = 0;
    if (kind == DnsReply::Answer && !truncated) {
      count = append_records(records, question.name, type, script);
    }
    std::uint16_t const codes[] = {0, 3, 2, 5, 0};
    std::string reply{query.substr(0, 2)};
    append16(reply, static_cast<std::uint16_t>(0x8580U | (truncated ? 0x0200U : 0U) |
                                               codes[static_cast<std::size_t>(kind)]));
    append16(reply, 1);
    append16(reply, count);
    append32(reply, 0);
    reply += question.wire;
    return reply + records;
  }

  asio::io_context context_{1};
  Udp udp_{context_.get_executor()};
  Acceptor acceptor_{context_.get_executor()};
  std::uint16_t port_{0};
  std::thread thread_;
  mutable std::mutex mutex_;
  std::map<std::string, std::map<DnsType, Turns>> names_;
  std::map<std::string, std::size_t> asked_;
  std::size_t tcp_questions_{0};
};

}  // namespace sallyport::test
