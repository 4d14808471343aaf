#include "src/tools/fetch_result.hpp"

#include "src/content/media_type.hpp"
#include "src/http/message.hpp"
#include "src/mcp/content.hpp"
#include "src/tools/header_text.hpp"
#include "src/tools/paging.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace sallyport::tools {
namespace {

using content::Kind;

constexpr std::string_view kError = "sallyport/error";

// "HTTP 404 Not Found"
std::string status_line(egress::ResponseHead const& head) {
  auto const reason =
      head.reason.empty() ? std::string{http::reason_phrase(head.status)} : as_utf8(head.reason);
  return fmt::format("HTTP {}{}{}", head.status, reason.empty() ? "" : " ", reason);
}

bool is_failure(egress::ResponseHead const& head) noexcept {
  return head.status >= 400;
}

json::Object headers_of(http::Headers const& headers) {
  json::Object out;
  for (auto const& [name, value] : headers) {
    if (is_cookie_header(name)) continue;
    auto const key = lowered(name);
    auto* const known = out.if_contains(key);
    if (known == nullptr)
      out.emplace(key, as_utf8(value));
    else
      *known = fmt::format("{}, {}", std::string_view{known->get_string()}, as_utf8(value));
  }
  return out;
}

json::Object facts_of(pipeline::OutboundAnswer const& answer, FetchedPage const& page) {
  json::Object facts{
      {"status", answer.head.status},     {"url", answer.url.href()},
      {"redirected", answer.redirected},  {"headers", headers_of(answer.head.headers)},
      {"contentType", page.type.essence}, {"format", page.format}};
  if (!page.title.empty()) facts["title"] = page.title;
  if (!page.charset.empty()) facts["charset"] = page.charset;
  return facts;
}

void add_place(json::Object& facts, FetchedPage const& page, Window const& shown) {
  facts["totalLength"] = shown.total;
  facts["startIndex"] = shown.start;
  facts["length"] = shown.end - shown.start;
  facts["truncated"] = shown.is_cut();
  if (shown.is_cut()) facts["nextIndex"] = shown.end;
  if (page.type.kind == Kind::Html) facts["wholePage"] = page.whole;
}

// What stands for a text of which nothing is left.
std::string placeholder(pipeline::OutboundAnswer const& answer, FetchedPage const& page) {
  switch (page.type.kind) {
    case Kind::Html:
      return "(The page has no text. Perhaps scripts make its content; format=html gives its "
             "markup.)";
    case Kind::Pdf:
      return "(The PDF has no text; it may consist of scanned images. format=raw gives the file.)";
    case Kind::Text:
    case Kind::Json:
    case Kind::Xml:
    case Kind::Image:
    case Kind::Audio:
    case Kind::Binary:
    case Kind::Empty: break;
  }
  bool const plain = answer.head.status == 200 || is_failure(answer.head);
  return plain ? "(empty response)" : fmt::format("(empty response: {})", status_line(answer.head));
}

std::string one_line(std::string_view text) {
  std::string out{text};
  std::ranges::replace_if(out, [](unsigned char c) { return c < 0x20; }, ' ');
  return out;
}

// What the model should know about the text it sees.
std::string notes_about(pipeline::OutboundAnswer const& answer, FetchedPage const& page,
                        Window const& shown) {
  std::string notes;
  auto const add = [&notes](std::string_view note) { notes += fmt::format("[{}]\n", note); };
  if (!page.title.empty() && shown.start == 0) add("Title: " + one_line(page.title));
  if (answer.redirected) add("Redirected to: " + answer.url.href());
  if (!page.whole) {
    add("Main content only: navigation, header, footer and the like are left out. "
        "format=markdown gives the whole page.");
  }
  if (page.replaced) {
    add(fmt::format("Some bytes are not valid {} and are shown as \uFFFD.", page.charset));
  }
  if (shown.is_cut()) {
    add(
        fmt::format("Cut: this is byte {} to {} of {}. To go on, fetch the same URL with "
                    "start_index={}.",
                    shown.start, shown.end, shown.total, shown.end));
  } else if (shown.start > 0) {
    add(fmt::format("This is byte {} to {} of {}: the end.", shown.start, shown.end, shown.total));
  }
  if (page.shortened && !shown.is_cut()) {
    add("The page is too long to be converted to its end. format=html gives its markup.");
  }
  return notes;
}

json::Object note_block(std::string_view notes) {
  auto block = mcp::content::text(notes.substr(0, notes.find_last_not_of('\n') + 1));
  block["annotations"] = json::Object{{"audience", json::Array{"assistant"}}};
  return block;
}

Result<mcp::ToolResult> text_result(FetchArguments const& arguments,
                                    pipeline::OutboundAnswer const& answer,
                                    FetchedPage const& page) {
  SP_TRY(auto const shown, window(page.text, arguments.start_index, arguments.max_length));
  auto const part = std::string_view{page.text}.substr(shown.start, shown.end - shown.start);
  mcp::ToolResult result;
  if (is_failure(answer.head)) {
    auto const body = part.empty() ? std::string_view{"(empty response)"} : part;
    result = mcp::error_result(fmt::format("Error: {}\n\n{}", status_line(answer.head), body));
  } else if (part.empty()) {
    result = mcp::text_result(placeholder(answer, page));
  } else {
    result = mcp::text_result(part);
  }
  auto const notes = notes_about(answer, page, shown);
  if (!notes.empty()) result.content.push_back(note_block(notes));
  auto facts = facts_of(answer, page);
  add_place(facts, page, shown);
  result.structured = std::move(facts);
  return result;
}

std::size_t encoded_size(std::size_t bytes) noexcept {
  return (bytes + 2) / 3 * 4;
}

Result<json::Object> media_block(FetchArguments const& arguments,
                                 pipeline::OutboundAnswer const& answer, FetchedPage const& page) {
  if (page.type.kind == Kind::Image) {
    return mcp::content::image(page.bytes, page.type.essence);
  }
  if (page.type.kind == Kind::Audio) {
    return mcp::content::audio(page.bytes, page.type.essence);
  }
  auto const needed = encoded_size(page.bytes.size());
  if (needed > arguments.max_length) {
    return fail(Errc::LimitExceeded,
                fmt::format("{} is a file of type {} with {} bytes, not a text. Set max_length to "
                            "{} or more to get it as an embedded resource in Base64.",
                            answer.url.href(), page.type.essence, page.bytes.size(), needed));
  }
  return mcp::content::embedded(
      mcp::content::resource_bytes(answer.url.href(), page.type.essence, page.bytes));
}

Result<mcp::ToolResult> media_result(FetchArguments const& arguments,
                                     pipeline::OutboundAnswer const& answer,
                                     FetchedPage const& page) {
  SP_TRY(auto block, media_block(arguments, answer, page));
  mcp::ToolResult result;
  if (is_failure(answer.head)) {
    result = mcp::error_result(fmt::format("Error: {}", status_line(answer.head)));
  }
  result.content.push_back(std::move(block));
  if (answer.redirected) {
    result.content.push_back(note_block(fmt::format("[Redirected to: {}]", answer.url.href())));
  }
  auto facts = facts_of(answer, page);
  facts["totalLength"] = page.bytes.size();
  facts["startIndex"] = 0;
  facts["length"] = page.bytes.size();
  facts["truncated"] = false;
  result.structured = std::move(facts);
  return result;
}

}  // namespace

Result<mcp::ToolResult> fetch_result(FetchArguments const& arguments,
                                     pipeline::OutboundAnswer const& answer, FetchedPage page) {
  return page.bytes.empty() ? text_result(arguments, answer, page)
                            : media_result(arguments, answer, page);
}

void name_call(mcp::ToolResult& result, std::string_view call_id) {
  if (result.structured) result.structured->get_object()["callId"] = call_id;
  if (auto* const error = result.meta.if_contains(kError)) error->get_object()["callId"] = call_id;
}

mcp::ToolResult fetch_error(Error const& error, RequestContext const& request) {
  auto result = mcp::error_result(fmt::format("Error: {}", error.message));
  result.meta[kError] =
      json::Object{{"code", to_string(error.code)}, {"requestId", request.request_id}};
  return result;
}

}  // namespace sallyport::tools
