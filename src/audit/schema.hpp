// The tables of the log.
#pragma once

#include "src/store/sqlite.hpp"

namespace sallyport::audit {

inline constexpr int kApplicationId = 0x53706c61;  // "Spla"
inline constexpr int kFormatVersion = 2;

enum class FileKind { Empty, Log };

// Fails with InvalidInput when the database is somebody else's or of a later format.
Result<FileKind> file_kind(store::Database& database);
Result<void> create_tables(store::Database& database);

}  // namespace sallyport::audit
