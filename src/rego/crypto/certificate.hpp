// Certificates and requests for them as policies see them: the JSON of Go's x509.Certificate and
// x509.CertificateRequest.
#pragma once

#include "src/rego/build.hpp"
#include "src/rego/crypto/go_values.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::rego::crypto {

// The DER of each certificate in a text: PEM blocks, or base64 of these, or base64 of DER.
Problem certificates_of_text(std::string_view text, std::vector<std::string>& out);

// With the member URIStrings, which OPA adds in some places.
enum class UriStrings { Without, With };
Problem certificate_value(std::string_view der, UriStrings strings, Arena& arena, Value& out);

// From PEM or base64 of DER.
Problem certificate_request_value(std::string_view text, Arena& arena, Value& out);

// The members that come from extensions; all of them, whether there are such or not.
Problem add_extension_members(std::span<Extension const> extensions, UriStrings strings,
                              ObjectBuilder& certificate, Arena& arena);

// Subject alternative names.
struct AlternativeNames {
  std::vector<std::string_view> dns;
  std::vector<std::string_view> emails;
  std::vector<std::string_view> addresses;  // four or sixteen bytes
  std::vector<std::string_view> uris;
};
Problem read_alternative_names(std::string_view extension, AlternativeNames& out);
void add_alternative_names(AlternativeNames const& names, ObjectBuilder& object, Arena& arena);

}  // namespace sallyport::rego::crypto
