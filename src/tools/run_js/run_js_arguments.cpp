#include "src/tools/run_js/run_js_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace sallyport::tools {
namespace {

constexpr std::string_view kCode =
    "The JavaScript to run, as a script; top-level await works. The result has what it writes with "
    "console.log() and the value of its last expression.";

// No engine starts with less.
constexpr std::size_t kLeastHeap = 8;

double seconds_of(std::chrono::milliseconds time) noexcept {
  return std::chrono::duration<double>(time).count();
}

json::Object timeout_schema(RunJsOptions const& options) {
  return {{"type", "number"},
          {"description", "How long the script may run, in seconds; also while it only waits."},
          {"exclusiveMinimum", 0},
          {"maximum", seconds_of(options.max_wall)},
          {"default", seconds_of(options.limits.wall)}};
}

json::Object heap_schema(RunJsOptions const& options) {
  return {{"type", "integer"},
          {"description", "How large the heap of the script may become, in MiB."},
          {"minimum", kLeastHeap},
          {"maximum", options.max_heap_mb},
          {"default", options.limits.heap_mb}};
}

json::Object session_schema() {
  return {{"type", "string"},
          {"description",
           "Any name. Scripts that run under the same name share their globals, until the session "
           "has not been used for some time; without a name a script starts afresh."},
          {"pattern", "^[A-Za-z0-9._-]+$"},
          {"minLength", 1},
          {"maxLength", 64}};
}

json::Object background_schema() {
  return {{"type", "boolean"},
          {"description",
           "Answer at once, with an execution_id for get_execution, get_execution_output and "
           "cancel_execution, while the script goes on."},
          {"default", false}};
}

std::string plain_text(json::Object const& arguments, std::string_view name) {
  auto const* const found = json::find_string(arguments, name);
  return found == nullptr ? std::string{} : std::string{json::view(*found)};
}

Result<std::chrono::milliseconds> timeout_of(json::Object const& arguments,
                                             RunJsOptions const& options) {
  auto const most = seconds_of(options.max_wall);
  auto const seconds =
      number_or(arguments, "execution_timeout_secs", seconds_of(options.limits.wall));
  if (!(seconds > 0)) return fail(Errc::InvalidInput, "execution_timeout_secs must be above 0.");
  if (seconds > most) {
    return fail(Errc::InvalidInput,
                fmt::format("execution_timeout_secs is {}, but at most {} is allowed here.",
                            seconds, most));
  }
  return std::chrono::milliseconds{
      std::max<std::int64_t>(1, static_cast<std::int64_t>(std::llround(seconds * 1000)))};
}

Result<std::size_t> heap_of(json::Object const& arguments, RunJsOptions const& options) {
  auto const heap = count_of(arguments, "heap_memory_max_mb", options.limits.heap_mb);
  if (heap < kLeastHeap) {
    return fail(Errc::InvalidInput,
                fmt::format("heap_memory_max_mb must be {} or more.", kLeastHeap));
  }
  if (heap > options.max_heap_mb) {
    return fail(Errc::InvalidInput,
                fmt::format("heap_memory_max_mb is {}, but at most {} is allowed here.", heap,
                            options.max_heap_mb));
  }
  return heap;
}

}  // namespace

json::Object run_js_input_schema(RunJsOptions const& options) {
  json::Object properties{
      {"code", json::Object{{"type", "string"}, {"description", kCode}, {"minLength", 1}}},
      {"execution_timeout_secs", timeout_schema(options)},
      {"heap_memory_max_mb", heap_schema(options)},
      {"session", session_schema()},
      {"background", background_schema()}};
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", json::Array{"code"}},
          {"additionalProperties", false}};
}

Result<RunJsArguments> read_run_js_arguments(json::Object const& arguments,
                                             RunJsOptions const& options) {
  RunJsArguments read;
  read.code = plain_text(arguments, "code");
  read.session = plain_text(arguments, "session");
  read.limits = options.limits;
  SP_TRY(read.limits.wall, timeout_of(arguments, options));
  SP_TRY(read.limits.heap_mb, heap_of(arguments, options));
  auto const* const background = json::find(arguments, "background");
  read.background = background != nullptr && background->is_bool() && background->get_bool();
  return read;
}

json::Object execution_id_property() {
  return {{"type", "string"},
          {"description", "As run_js and list_executions name it."},
          {"minLength", 1},
          {"maxLength", 64}};
}

std::string execution_id_of(json::Object const& arguments) {
  return plain_text(arguments, "execution_id");
}

double number_or(json::Object const& arguments, std::string_view name, double otherwise) {
  auto const* const found = json::find(arguments, name);
  if (found == nullptr) return otherwise;
  if (found->is_int64()) return static_cast<double>(found->get_int64());
  if (found->is_uint64()) return static_cast<double>(found->get_uint64());
  return found->is_double() ? found->get_double() : otherwise;
}

std::size_t count_of(json::Object const& arguments, std::string_view name, std::size_t otherwise) {
  constexpr double kMost = 1e15;
  return static_cast<std::size_t>(
      std::clamp(number_or(arguments, name, static_cast<double>(otherwise)), 0.0, kMost));
}

std::string session_key(Principal const& principal, std::string_view name) {
  // SECURITY: the length keeps apart what a principal and a name could otherwise spell together.
  auto const owner = principal.key();
  return fmt::format("{}:{}:{}", owner.size(), owner, name);
}

}  // namespace sallyport::tools
