// The parts of the table of settings, one file each.
#pragma once

#include "src/config/setting.hpp"

#include <span>

namespace sallyport::config {

std::span<Setting const> server_settings() noexcept;
std::span<Setting const> auth_settings() noexcept;
std::span<Setting const> egress_settings() noexcept;
std::span<Setting const> tools_settings() noexcept;
std::span<Setting const> js_settings() noexcept;
std::span<Setting const> gateway_settings() noexcept;
std::span<Setting const> records_settings() noexcept;

}  // namespace sallyport::config
