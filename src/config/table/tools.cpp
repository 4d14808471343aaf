// The tools that reach the network.
#include "src/config/table/places.hpp"

namespace sallyport::config {
namespace {

constexpr Setting kTable[] = {
    {.key = "fetch.allowed_schemes",
     .place = SP_AT(fetch.allowed_schemes),
     .help = "URL schemes that the fetch tool opens",
     .environment = "MCP_FETCH_ALLOWED_SCHEMES",
     .check = &fetch_scheme},
    {.key = "fetch.max_redirects",
     .place = SP_AT(fetch.max_redirects),
     .help = "Redirects that the fetch tool follows; 0 follows none",
     .environment = "MCP_FETCH_MAX_REDIRECTS",
     .maximum = 50},
    {.key = "fetch.default_user_agent",
     .place = SP_AT(fetch.default_user_agent),
     .help = "User-Agent of the fetch tool where a call names none",
     .environment = "MCP_FETCH_DEFAULT_USER_AGENT",
     .check = &header_value},
    {.key = "fetch.enable_sse",
     .place = SP_AT(fetch.enable_sse),
     .help = "Let the fetch tool read event streams",
     .environment = "MCP_FETCH_ENABLE_SSE"},
    {.key = "fetch.robots",
     .place = SP_AT(fetch.robots),
     .help = "Let the fetch tool heed robots.txt"},
    {.key = "fetch.timeout",
     .place = SP_AT(fetch.timeout),
     .help = "Time a fetch may take where a call names none",
     .minimum = 1,
     .maximum = kDay},
    {.key = "fetch.max_timeout",
     .place = SP_AT(fetch.max_timeout),
     .help = "The longest time that a call of the fetch tool may name",
     .minimum = 1,
     .maximum = kDay},
    {.key = "fetch.max_bytes",
     .place = SP_BYTES(fetch.max_bytes),
     .help = "Largest answer that the fetch tool reads, decompressed",
     .minimum = kKiB,
     .maximum = kGiB},

    {.key = "http_request.absolute_urls",
     .place = SP_AT(http_request.absolute_urls),
     .help = "URLs, with what is below them, that apps may name in full besides the backends",
     .check = &http_url},
    {.key = "http_request.timeout",
     .place = SP_AT(http_request.timeout),
     .help = "Time for a request of an app that names none",
     .minimum = 1,
     .maximum = kDay},
    {.key = "http_request.max_timeout",
     .place = SP_AT(http_request.max_timeout),
     .help = "Longest time that a request of an app may ask for",
     .minimum = 1,
     .maximum = kDay},
    {.key = "http_request.max_redirects",
     .place = SP_AT(http_request.max_redirects),
     .help = "Redirects that a request of an app follows",
     .maximum = 50},
    {.key = "http_request.cache_bytes",
     .place = SP_BYTES(http_request.cache_bytes),
     .help = "HTTP cache of one principal with one backend; 0 keeps nothing",
     .maximum = kGiB},
    {.key = "http_request.cookies",
     .place = SP_AT(http_request.cookies),
     .help = "Cookies of one principal with one backend",
     .minimum = 1,
     .maximum = 100'000},

    {.key = "backends",
     .place = EntriesAt{&kBackendList},
     .help = "HTTP APIs that apps may call through `http_request` (only in the file)"},
};

}  // namespace

std::span<Setting const> tools_settings() noexcept {
  return kTable;
}

}  // namespace sallyport::config
