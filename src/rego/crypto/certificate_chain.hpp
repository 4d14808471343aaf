// Whether a certificate is vouched for by a root, as Go's x509.Certificate.Verify decides it.
#pragma once

#include "src/rego/crypto/problem.hpp"

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::rego::crypto {

struct ChainOptions {
  std::string dns_name;             // or an address; empty: any
  std::chrono::nanoseconds time{};  // since the epoch
  std::vector<int> usages;          // by Go's numbers, one of them suffices; empty: of a server
};

// `certificates` are the root, intermediate ones, and last the one that is asked about (DER).
// `chain` then begins with that one and ends with the root.
Problem verify_chain(std::span<std::string const> certificates, ChainOptions const& options,
                     std::vector<std::string>& chain);

}  // namespace sallyport::rego::crypto
