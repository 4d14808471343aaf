// A PDF to test with, written by hand.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace sallyport::test {

// The smallest PDF with one page of text; `copies` draws the same line again and again.
inline std::string small_pdf(std::string_view line, std::size_t copies = 1) {
  std::string drawing = "BT /F1 12 Tf 14 TL 72 720 Td\n";
  for (std::size_t i = 0; i < copies; ++i) drawing += fmt::format("({}) Tj T*\n", line);
  drawing += "ET\n";
  std::string const objects[] = {
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
      "/Resources << /Font << /F1 5 0 R >> >> >>",
      fmt::format("<< /Length {} >>\nstream\n{}endstream", drawing.size(), drawing),
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
  };
  std::string pdf = "%PDF-1.4\n";
  std::string table = "0000000000 65535 f \n";
  std::size_t number = 0;
  for (auto const& object : objects) {
    table += fmt::format("{:010} 00000 n \n", pdf.size());
    pdf += fmt::format("{} 0 obj\n{}\nendobj\n", ++number, object);
  }
  return pdf + fmt::format(
                   "xref\n0 {}\n{}trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{}\n"
                   "%%EOF\n",
                   number + 1, table, number + 1, pdf.size());
}

}  // namespace sallyport::test
