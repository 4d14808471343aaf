#include "src/tools/fetch.hpp"

#include "src/base/worker_pool.hpp"
#include "src/content/pdf.hpp"
#include "src/tools/fetch_arguments.hpp"
#include "src/tools/fetch_page.hpp"
#include "src/tools/fetch_result.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace sallyport::tools {
namespace {

constexpr std::string_view kName = "fetch";

// A larger body is converted in a thread of its own: it would hold up the loop for milliseconds.
constexpr std::size_t kLongBody = 128UL * 1024;

// Each is a process that may take a GiB.
constexpr std::size_t kPdfReaders = 8;

// A place among those who read PDF files, as long as it lives.
class PdfReader {
 public:
  explicit PdfReader(std::atomic<std::size_t>& readers)
      : readers_{readers}, has_place_{readers.fetch_add(1) < kPdfReaders} {}
  PdfReader(PdfReader const&) = delete;
  PdfReader& operator=(PdfReader const&) = delete;
  ~PdfReader() { readers_.fetch_sub(1); }

  bool has_place() const noexcept { return has_place_; }

 private:
  std::atomic<std::size_t>& readers_;
  bool has_place_;
};

Result<mcp::ToolResult> page_result(FetchArguments const& arguments,
                                    pipeline::OutboundAnswer answer, content::Sniffed type) {
  auto page = read_page(answer, std::move(type), arguments.format);
  return fetch_result(arguments, answer, std::move(page));
}

class FetchTool {
 public:
  FetchTool(FetchOptions options, pipeline::Road& road)
      : options_{std::move(options)}, road_{road} {}

  FetchOptions const& options() const noexcept { return options_; }

  Task<mcp::ToolResult> run(mcp::CallContext& context, json::Object const& arguments) {
    auto const& request = context.request();
    auto const read = read_fetch_arguments(arguments, options_);
    if (!read) co_return fetch_error(read.error(), request);
    pipeline::Passage passage;
    passage.request = &request;
    passage.operation = passage.purpose = passage.tool = kName;
    auto result = co_await fetch_page(passage, *read);
    // These are not for the model: the caller is gone, or we have made a mistake.
    bool const told =
        result || (result.error().code != Errc::Cancelled && result.error().code != Errc::Internal);
    if (!told) co_return std::move(result).error();
    auto shown = result ? std::move(*result) : fetch_error(result.error(), request);
    name_call(shown, passage.call_id);
    co_return shown;
  }

 private:
  Task<mcp::ToolResult> fetch_page(pipeline::Passage const& passage, FetchArguments const& read) {
    auto const until = passage.request->deadline.at;
    auto const deadline = Deadline{std::min(until, Deadline::in(read.timeout).at)};
    auto answer = co_await road_.send(passage, fetch_request(read, options_));
    if (!answer) co_return std::move(answer).error();
    auto type = sniff_answer(*answer);
    bool const readable_pdf = type.kind == content::Kind::Pdf && read.format != FetchFormat::Raw &&
                              content::can_read_pdf();
    if (readable_pdf) co_return co_await pdf_page(read, std::move(*answer), deadline);
    if (answer->body.size() <= kLongBody) {
      co_return page_result(read, std::move(*answer), std::move(type));
    }
    co_return co_await long_page(read, std::move(*answer), std::move(type), deadline);
  }

  Task<mcp::ToolResult> pdf_page(FetchArguments const& read, pipeline::OutboundAnswer answer,
                                 Deadline deadline) {
    PdfReader const reader{pdf_readers_};
    if (!reader.has_place()) {
      co_return fail(Errc::LimitExceeded,
                     "Too many PDF files are being read at the moment. Try again in some seconds.");
    }
    auto body = std::exchange(answer.body, {});
    auto text = co_await content::pdf_text(std::move(body), options_.max_bytes, deadline);
    if (!text) co_return std::move(text).error();
    co_return fetch_result(read, answer, read_pdf_page(std::move(*text)));
  }

  Task<mcp::ToolResult> long_page(FetchArguments const& read, pipeline::OutboundAnswer answer,
                                  content::Sniffed type, Deadline deadline) {
    auto work = [read, answer = std::move(answer), type = std::move(type)]() mutable {
      return page_result(read, std::move(answer), std::move(type));
    };
    co_return co_await workers_.run(std::move(work), deadline);
  }

  FetchOptions options_;
  pipeline::Road& road_;
  WorkerPool workers_{2, 64};
  std::atomic<std::size_t> pdf_readers_{0};
};

}  // namespace

mcp::Tool fetch(FetchOptions options, pipeline::Road& road) {
  auto const self = std::make_shared<FetchTool>(std::move(options), road);
  mcp::Tool tool;
  tool.name = kName;
  tool.title = "Fetch";
  tool.description =
      "Fetches a URL from the internet and gives back what is there: an HTML page as Markdown of "
      "its main content (see format for others), JSON and other texts as they are, a PDF as text, "
      "images and audio as such. A long text comes in parts; a note at the end of each says how to "
      "get the next.";
  tool.input_schema = fetch_input_schema(self->options());
  tool.output_schema = fetch_output_schema();
  // Not read-only: a POST may change something.
  tool.annotations = {{"readOnlyHint", false}, {"openWorldHint", true}};
  tool.handler = [self](mcp::CallContext& context, json::Object const& arguments) {
    return self->run(context, arguments);
  };
  return tool;
}

}  // namespace sallyport::tools
