#include "src/js/sandbox/control.hpp"

#include "src/json/parse.hpp"
#include "src/json/write.hpp"

#include <fmt/format.h>

#include <sys/wait.h>

namespace sallyport::js::sandbox {
namespace {

// A whole number from 1 to `most`. Missing: what is there already.
template <class Number>
std::string read_limit(json::Object const& limits, std::string_view name, std::size_t most,
                       Number& limit) {
  auto const* const value = json::find(limits, name);
  if (value == nullptr) return {};
  auto const* const number = value->if_int64();
  if (number == nullptr || *number < 1 || static_cast<std::size_t>(*number) > most) {
    return fmt::format("limits.{}: must be a whole number from 1 to {}", name, most);
  }
  limit = static_cast<Number>(*number);
  return {};
}

ForkRequest read_fork(json::Object const& packet, RunId id) {
  constexpr std::size_t kWeekInSeconds = 7UL * 24 * 3600;
  ForkRequest request{.id = id};
  auto const* const limits = json::find_object(packet, "limits");
  if (limits == nullptr) return request;
  auto& into = request.limits;
  auto& refusal = request.refusal;
  refusal = read_limit(*limits, "heap_mb", kLargestHeapMb, into.heap_mb);
  if (refusal.empty()) refusal = read_limit(*limits, "data_mb", 1UL << 20U, into.data_mb);
  if (refusal.empty()) refusal = read_limit(*limits, "cpu_ms", kWeekInSeconds * 1000, into.cpu_ms);
  if (refusal.empty()) {
    refusal = read_limit(*limits, "total_cpu_s", kWeekInSeconds, into.total_cpu_s);
  }
  if (refusal.empty() && into.data_mb < into.heap_mb) {
    refusal = "limits.data_mb: must not be less than heap_mb, which is a part of it";
  }
  return request;
}

}  // namespace

Result<ControlRequest> read_control(std::string_view packet) {
  SP_TRY(auto const value, json::parse(packet));
  auto const* const object = value.if_object();
  if (object == nullptr) return fail(Errc::InvalidInput, "not an object");
  for (std::string_view const verb : {"fork", "kill"}) {
    auto const* const member = json::find(*object, verb);
    auto const* const id = member == nullptr ? nullptr : member->if_int64();
    if (id == nullptr) continue;
    if (verb == "kill") return ControlRequest{KillRequest{*id}};
    return ControlRequest{read_fork(*object, *id)};
  }
  return fail(Errc::InvalidInput, "neither \"fork\" nor \"kill\" with a whole number");
}

std::string ready_message(std::size_t rss_kb, std::string_view namespaces) {
  return fmt::format(R"({{"ready":true,"rss_kb":{},"namespaces":"{}"}})", rss_kb, namespaces);
}

std::string ended_message(RunId id, int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    return fmt::format(R"({{"ended":{},"signal":{}}})", id, WTERMSIG(wait_status));
  }
  return fmt::format(R"({{"ended":{},"exit":{}}})", id, WEXITSTATUS(wait_status));
}

std::string failed_message(RunId id, std::string_view why) {
  auto text = fmt::format(R"({{"failed":{},"error":)", id);
  json::write_string(why, text);
  return text + '}';
}

std::string refused_message(std::string_view why) {
  std::string text = R"({"refused":)";
  json::write_string(why, text);
  return text + '}';
}

}  // namespace sallyport::js::sandbox
