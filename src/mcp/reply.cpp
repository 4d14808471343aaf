#include "src/mcp/reply.hpp"

#include "src/base/iso_time.hpp"
#include "src/json/write.hpp"
#include "src/mcp/codec.hpp"
#include "src/mcp/envelope.hpp"

#include <fmt/format.h>

#include <utility>

namespace sallyport::mcp {
namespace {

constexpr std::string_view kMetaStart = R"("_meta":{)";

// The members of an object as text, without the braces and without the one called `but`.
std::string members_of(json::Object const& object, std::string_view but = {}) {
  std::string text;
  for (auto const& [key, value] : object) {
    std::string_view const name{key};
    if (!but.empty() && name == but) continue;
    if (!text.empty()) text += ',';
    json::write_string(name, text);
    text += ':';
    json::write(value, text);
  }
  return text;
}

}  // namespace

Replies::Replies(ServerOptions const& options)
    : info_{server_info_object(options.info)},
      meta_{members_of({{"_meta", json::Object{{meta::kServerInfo, info_}}}})},
      ttl_{std::to_string(options.cache_ttl.count())} {}

std::string Replies::wrap(std::string_view members, Revision revision, Cacheable cacheable,
                          std::string_view type) const {
  std::string text = "{";
  if (!is_modern(revision)) {
    text += members;
    text += '}';
    return text;
  }
  text.reserve(members.size() + meta_.size() + 96);
  text += R"("resultType":")";
  text += type;
  text += '"';
  if (!members.empty()) {
    text += ',';
    text += members;
  }
  if (cacheable != Cacheable::No) {
    text += R"(,"ttlMs":)";
    text += ttl_;
    text +=
        cacheable == Cacheable::Public ? R"(,"cacheScope":"public")" : R"(,"cacheScope":"private")";
  }
  text += ',';
  text += meta_;
  text += '}';
  return text;
}

std::string Replies::wrap(json::Object const& result, Revision revision, Cacheable cacheable,
                          std::string_view type) const {
  auto const* own_meta = result.if_contains("_meta");
  if (own_meta == nullptr || !is_modern(revision)) {
    return wrap(members_of(result), revision, cacheable, type);
  }
  // A result with a `_meta` of its own: the two become one.
  auto text = wrap(members_of(result, "_meta"), revision, cacheable, type);
  put_meta(text, members_of(own_meta->get_object(), meta::kServerInfo));
  return text;
}

// Into the `_meta` with which the text of a modern result ends.
void Replies::put_meta(std::string& text, std::string_view own) const {
  if (own.empty()) return;
  text.resize(text.size() - meta_.size() - 1);
  text += kMetaStart;
  (text += own) += ',';
  text += std::string_view{meta_}.substr(kMetaStart.size());
  text += '}';
}

std::string Replies::wrap_with_meta(std::string members, std::string_view meta, Revision revision,
                                    Cacheable cacheable) const {
  if (!is_modern(revision) && !meta.empty()) {
    members += ',';
    members += kMetaStart;
    (members += meta) += '}';
  }
  auto text = wrap(members, revision, cacheable);
  if (is_modern(revision)) put_meta(text, meta);
  return text;
}

json::Object server_info_object(ServerInfo const& info) {
  json::Object object{{"name", info.name}, {"version", info.version}};
  if (!info.title.empty()) object["title"] = info.title;
  return object;
}

json::Object input_requests_object(InputRequests const& requests, Revision revision) {
  json::Object object;
  for (auto const& [key, request] : requests) {
    object[key] = json::Object{{"method", codec::input_method(request.kind)},
                               {"params", codec::input_params(request, revision)}};
  }
  return object;
}

json::Object task_object(TaskSnapshot const& task, TaskStore::Limits const& limits) {
  json::Object object{{"taskId", task.id}, {"status", to_string(task.status)}};
  if (!task.status_message.empty()) object["statusMessage"] = task.status_message;
  object["createdAt"] = iso_time(task.created);
  object["lastUpdatedAt"] = iso_time(task.updated);
  object["ttlMs"] = task.ttl.count();
  object["pollIntervalMs"] = limits.poll_interval.count();
  return object;
}

json::Object detailed_task_object(TaskSnapshot const& task, TaskStore::Limits const& limits) {
  auto object = task_object(task, limits);
  if (task.status == TaskStatus::InputRequired) {
    object["inputRequests"] = input_requests_object(task.pending, kModern);
  }
  if (task.result) {
    auto result = codec::tool_result(*task.result, kModern);
    result["resultType"] = "complete";
    object["result"] = std::move(result);
  }
  if (task.error) {
    object["error"] = json::Object{{"code", task.error->code}, {"message", task.error->message}};
  }
  return object;
}

json::Object core_task_object(TaskSnapshot const& task, TaskStore::Limits const& limits) {
  auto object = task_object(task, limits);
  object.erase("ttlMs");
  object.erase("pollIntervalMs");
  object["ttl"] = task.ttl.count();
  object["pollInterval"] = limits.poll_interval.count();
  // 2025-11-25: a tool that reports an error makes the task fail; the extension says it completed.
  bool const tool_failed = task.result && task.result->is_error;
  if (tool_failed) object["status"] = to_string(TaskStatus::Failed);
  return object;
}

}  // namespace sallyport::mcp
