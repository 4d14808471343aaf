// What a value must be beyond its type: one function per rule, used by the tables.
//
// Each looks at one text (for a list: at each of its items) and returns what is wrong with it, fit
// to stand behind the name of the setting, or an empty text.
#pragma once

#include <string>
#include <string_view>

namespace sallyport::config {

std::string not_empty(std::string_view text);
std::string legacy_protocol_version(std::string_view text);
std::string host_name(std::string_view text);
std::string url_path(std::string_view text);
std::string web_origin(std::string_view text);
std::string http_url(std::string_view text);
std::string https_or_loopback_url(std::string_view text);
std::string signature_algorithm(std::string_view text);
std::string address_or_cidr(std::string_view text);
std::string header_name(std::string_view text);
std::string injected_header(std::string_view text);  // also one that does not frame the message
std::string header_value(std::string_view text);
std::string fetch_scheme(std::string_view text);
std::string http_method(std::string_view text);
std::string port_number(std::string_view text);
std::string host_pattern(std::string_view text);  // exact, or `*.suffix`
std::string guard_opening(std::string_view text);
std::string dns_server(std::string_view text);
std::string proxy_url(std::string_view text);
std::string rate(std::string_view text);
std::string keyring_entry(std::string_view text);

// SECURITY: these never repeat what they were given.
std::string proxy_login(std::string_view text);
std::string long_enough_token(std::string_view text);
std::string long_enough_key(std::string_view text);

// A name or address that only this machine reaches; brackets around an IPv6 address are allowed.
bool is_loopback_host(std::string_view host);

}  // namespace sallyport::config
