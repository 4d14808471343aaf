#include "src/credentials/injector.hpp"
#include "src/http/chars.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

namespace sallyport::credentials {
namespace {

constexpr std::size_t kLongest = 64UL * 1024;

// `what` opens the message: "The environment variable X", "The file of the secret".
Result<Secret> checked(std::string text, std::string const& what) {
  // Editors and `echo` end a file with one; a second one is not ours to guess about.
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  if (text.empty()) return fail(Errc::InvalidInput, what + " is empty.");
  if (text.size() > kLongest) {
    return fail(Errc::InvalidInput, fmt::format("{} is longer than {} bytes.", what, kLongest));
  }
  if (!http::is_field_value(text)) {
    return fail(Errc::InvalidInput,
                what + " holds a line break or another character that no header can carry.");
  }
  if (http::trimmed(text).size() != text.size()) {
    return fail(Errc::InvalidInput,
                what + " starts or ends with a blank, which would be lost on the way.");
  }
  return Secret{std::move(text)};
}

}  // namespace

Result<Secret> secret_from_env(std::string const& variable) {
  // Read while the program starts, before there is a second thread.
  // NOLINTNEXTLINE(concurrency-mt-unsafe)
  char const* const value = std::getenv(variable.c_str());
  if (value == nullptr) {
    return fail(Errc::InvalidInput,
                fmt::format("The environment variable {} is not set.", variable));
  }
  return checked(value, "The environment variable " + variable);
}

Result<Secret> secret_from_file(std::string const& path) {
  std::ifstream stream{path, std::ios::binary};
  std::string text(kLongest + 3, '\0');
  if (stream) stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!stream.is_open() || stream.bad()) {
    return fail(Errc::InvalidInput, "The file of the secret cannot be read.", path);
  }
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return checked(std::move(text), "The file of the secret");
}

}  // namespace sallyport::credentials
