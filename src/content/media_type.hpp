// Media types: what a server says, and what the bytes say.
#pragma once

#include <string>
#include <string_view>

namespace sallyport::content {

struct MediaType {
  std::string essence;  // "text/html", lower case; empty when there is none or it is malformed
  std::string charset;  // lower case; empty when not given

  static MediaType parse(std::string_view content_type);
};

enum class Kind { Html, Text, Json, Xml, Image, Audio, Pdf, Binary, Empty };

struct Sniffed {
  Kind kind{Kind::Binary};
  std::string essence;  // of what it is: "image/png"
};

// The WHATWG MIME Sniffing Standard's patterns over the first bytes; the declared type decides
// between kinds of text, the bytes about images, audio, PDF and whether it is text at all.
Sniffed sniff(std::string_view bytes, MediaType const& declared);

}  // namespace sallyport::content
