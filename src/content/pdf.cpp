#include "src/content/pdf.hpp"

#include "src/base/deadline.hpp"
#include "src/content/pdf_process.hpp"
#include "src/content/utf8.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <fmt/format.h>

#include <csignal>
#include <sys/wait.h>
#include <utility>

namespace sallyport::content {
namespace {

Error not_readable(std::string_view why, int status) {
  return fail(Errc::UpstreamFailed, fmt::format("The PDF cannot be read: {}.", why),
              fmt::format("pdftotext ended with wait status {}", status));
}

// pdftotext(1), "EXIT CODES".
Result<void> judged(int status) {
  if (WIFEXITED(status)) {
    switch (WEXITSTATUS(status)) {
      case 0: return {};
      case 3: return not_readable("it does not allow that its text is copied", status);
      default: return not_readable("it is damaged, or protected by a password", status);
    }
  }
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL)) {
    return fail(Errc::LimitExceeded, "The PDF takes too long to read.",
                fmt::format("pdftotext ended with wait status {}", status));
  }
  return not_readable("it is damaged", status);
}

Task<std::string> convert(std::string pdf, std::size_t max_output) {
  using asio::experimental::awaitable_operators::operator&&;
  auto const executor = co_await asio::this_coro::executor;
  SP_CO_TRY(auto process, PdfProcess::start(executor));
  auto feeding = process.feed(pdf);
  auto draining = process.drain(max_output);
  auto text = co_await (std::move(feeding) && std::move(draining));
  if (!text) co_return std::move(text).error();
  auto const status = co_await process.wait();
  if (!status) co_return status.error();
  SP_CO_CHECK(judged(*status));
  bool replaced = false;
  co_return mended_utf8(std::move(*text), replaced);
}

}  // namespace

bool can_read_pdf() {
  return !pdftotext_path().empty();
}

Task<std::string> pdf_text(std::string pdf, std::size_t max_output, Deadline deadline) {
  if (!can_read_pdf()) {
    co_return fail(Errc::UpstreamFailed, "This server cannot read PDF files.",
                   "pdftotext is not installed");
  }
  auto converting = convert(std::move(pdf), max_output);
  co_return co_await with_deadline(deadline, std::move(converting));
}

}  // namespace sallyport::content
