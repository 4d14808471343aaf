// What an answer is, once its bytes have been looked at: text in the format asked for, or media.
#pragma once

#include "src/content/media_type.hpp"
#include "src/pipeline/outbound.hpp"
#include "src/tools/fetch_arguments.hpp"

#include <string>

namespace sallyport::tools {

struct FetchedPage {
  content::Sniffed type;
  std::string format;     // of the text: "markdown", "text", "html", "raw"; of bytes: "image", …
  std::string text;       // UTF-8; empty for media
  std::string bytes;      // of an image, audio or any other file; empty for text
  std::string title;      // of HTML
  std::string charset;    // that the text came in
  bool whole{true};       // nothing was left out as beside the content
  bool replaced{false};   // some characters could not be read
  bool shortened{false};  // too long to be converted to its end
};

// What the body is, by its bytes and the Content-Type.
content::Sniffed sniff_answer(pipeline::OutboundAnswer const& answer);

// Takes the body out of `answer`. Costs about 16 ms per MiB of HTML.
FetchedPage read_page(pipeline::OutboundAnswer& answer, content::Sniffed type, FetchFormat format);

// The same for a PDF whose text is known.
FetchedPage read_pdf_page(std::string text);

}  // namespace sallyport::tools
